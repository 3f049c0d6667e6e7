/** Tests that too many connections and too many headers are refused and counted, and everyone else is served as before. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ApiAnswer, assertProblems, requestProblem } from '../harness/api-client.ts';
import { limitHits, scrape } from '../harness/metrics.ts';
import { RawConnection, requestBytes } from '../harness/raw-http.ts';
import { startTestServer } from '../harness/test-server.ts';
import { waitUntil } from '../harness/wait-until.ts';

const TOO_LARGE = requestProblem(
  'request_malformed',
  'The request line and headers are too large, or there are too many headers.',
);
const HEALTH = requestBytes({ target: '/healthz' });

/** A request with this many headers, including the host. */
function withHeaders(count: number): Buffer {
  const headers = Object.fromEntries(Array.from({ length: count - 1 }, (_, n) => [`x-${n}`, 'y']));
  return requestBytes({ target: '/healthz', headers });
}

async function ask(connection: RawConnection, bytes: Uint8Array): Promise<ApiAnswer | undefined> {
  connection.write(bytes);
  return connection.answer();
}

describe('connections', () => {
  it('one beyond the limit is dropped, the others are served, and a slot that was freed can be used', async (t) => {
    const server = await startTestServer({ CONNECTIONS_MAX: '3', METRICS_PORT: '0' });
    t.after(() => server.close());
    const connections = await Promise.all([1, 2, 3].map(() => RawConnection.open(server.url)));
    for (const connection of connections) assert.equal((await ask(connection, HEALTH))?.status, 200);
    const tooMany = await RawConnection.open(server.url);
    assert.equal(await ask(tooMany, HEALTH), undefined);
    await tooMany.closed();
    for (const connection of connections) assert.equal((await ask(connection, HEALTH))?.status, 200);

    connections[0]?.destroy();
    const next = await waitUntil('a free slot', 30_000, async () => {
      const connection = await RawConnection.open(server.url);
      return (await ask(connection, HEALTH)) === undefined ? undefined : connection;
    });
    assert.equal((await ask(next, HEALTH))?.status, 200);
    const samples = await scrape(server.metricsUrl);
    assert.equal(samples.get('offerbook_http_connections'), 3);
    assert.ok((limitHits(samples, 'connections') ?? 0) >= 1);
  });
});

describe('headers', () => {
  it('requests up to the limit are accepted, one more is refused, and so are too large ones', async (t) => {
    const server = await startTestServer({ HEADERS_MAX: '20', HEADER_BYTES_MAX: '4096', METRICS_PORT: '0' });
    t.after(() => server.close());
    const connection = await RawConnection.open(server.url);
    assert.equal((await ask(connection, withHeaders(20)))?.status, 200);
    const large = requestBytes({ target: '/healthz', headers: { x: 'y'.repeat(5000) } });
    for (const bytes of [withHeaders(21), withHeaders(300), large]) {
      const flooding = await RawConnection.open(server.url);
      const answer = await ask(flooding, bytes);
      assert.ok(answer);
      assertProblems(answer, [TOO_LARGE]);
      assert.equal(answer.headers.get('connection'), 'close');
      assert.ok(answer.headers.get('x-request-id'));
      await flooding.closed();
    }
    assert.equal((await ask(connection, HEALTH))?.status, 200);
    assert.equal(limitHits(await scrape(server.metricsUrl), 'headers'), 3);
  });

  it('that never end are cut off at their size', async (t) => {
    const server = await startTestServer({ HEADER_BYTES_MAX: '4096' });
    t.after(() => server.close());
    const connection = await RawConnection.open(server.url);
    connection.write('GET /healthz HTTP/1.1\r\n');
    for (let n = 0; n < 1000; n++) connection.write(`x-${n}: ${'y'.repeat(50)}\r\n`);
    assert.equal((await connection.answer())?.status, 400);
    await connection.closed();
  });
});
