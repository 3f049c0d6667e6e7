/** Tests that a client that is slow, idle or does not read is disconnected in time, with a reason if it reads, and counted. */
import assert from 'node:assert/strict';
import { after, before, describe } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type ApiAnswer, assertProblems, requestProblem, requestToken } from '../harness/api-client.ts';
import { timedIt as it } from '../harness/lost-time.ts';
import { limitHits, scrape } from '../harness/metrics.ts';
import { RawConnection, requestBytes } from '../harness/raw-http.ts';
import { openDeafClient } from '../harness/slow-client.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { waitUntil } from '../harness/wait-until.ts';

const TOO_SLOW = requestProblem('request_malformed', 'The request took too long to arrive.');
const DRIP_INTERVAL_MS = 100;

/** Keeps sending one byte at a time while it waits for the response and the end of the connection. */
async function answerToDrip(connection: RawConnection, byte: string): Promise<ApiAnswer | undefined> {
  const dripping = setInterval(() => connection.write(byte), DRIP_INTERVAL_MS);
  try {
    const answer = await connection.answer();
    await connection.closed();
    return answer;
  } finally {
    clearInterval(dripping);
  }
}

describe('slow clients', { concurrency: true }, () => {
  let server: TestServer;
  let token: string;
  before(async () => {
    server = await startTestServer({
      HEADERS_TIMEOUT_SECONDS: '1',
      REQUEST_TIMEOUT_SECONDS: '2',
      KEEP_ALIVE_SECONDS: '1',
    });
    token = await requestToken(server.url, 'test');
  });
  after(() => server.close());

  it('headers that arrive byte by byte', async () => {
    const connection = await RawConnection.open(server.url);
    connection.write('GET /authcheck HTTP/1.1\r\nx: ');
    const answer = await answerToDrip(connection, 'y');
    assert.ok(answer);
    assertProblems(answer, [TOO_SLOW]);
    assert.ok(answer.headers.get('x-request-id'));
  });

  it('a body that arrives byte by byte', async () => {
    const connection = await RawConnection.open(server.url);
    const headers = { authorization: `Bearer ${token}`, 'content-length': '1000' };
    connection.write(requestBytes({ method: 'PUT', target: '/merchant-skus/slow', headers }));
    const answer = await answerToDrip(connection, ' ');
    assert.ok(answer);
    assertProblems(answer, [TOO_SLOW]);
  });

  it('a body that arrives byte by byte after a request whose response is sent first', async () => {
    const connection = await RawConnection.open(server.url);
    const headers = { authorization: `Bearer ${token}` };
    const whole = requestBytes({ method: 'PUT', target: '/merchant-skus/quick', headers, body: '{}' });
    const slow = { method: 'PUT', target: '/merchant-skus/slow', headers: { ...headers, 'content-length': '1000' } };
    connection.write(Buffer.concat([whole, requestBytes(slow)]));
    const first = await connection.answer('PUT');
    assert.match(first?.text ?? '', /is required/);
    const answer = await answerToDrip(connection, ' ');
    assert.ok(answer);
    assertProblems(answer, [TOO_SLOW]);
  });

  it('a connection on which nothing is ever sent', async () => {
    const connection = await RawConnection.open(server.url);
    await connection.closed();
  });

  it('a connection that is idle after its response, without another response', async () => {
    const connection = await RawConnection.open(server.url);
    connection.write(requestBytes({ target: '/healthz' }));
    assert.equal((await connection.answer())?.status, 200);
    await connection.closed();
    assert.equal(await connection.answer(), undefined);
  });

  for (const [name, bytes] of Object.entries({ CR: '\r', CRLF: '\r\n', LF: '\n' })) {
    it(`a connection that sends nothing but ${name}, before or after its first request`, async () => {
      const first = await RawConnection.open(server.url);
      const second = await RawConnection.open(server.url);
      second.write(requestBytes({ target: '/healthz' }));
      assert.equal((await second.answer())?.status, 200);
      for (const answer of await Promise.all([first, second].map((connection) => answerToDrip(connection, bytes)))) {
        assert.ok(answer);
        assertProblems(answer, [TOO_SLOW]);
      }
    });
  }

  it('a body that continues after the response, with that one response', async () => {
    const connection = await RawConnection.open(server.url);
    const headers = { 'content-length': '1000' };
    connection.write(requestBytes({ method: 'PUT', target: '/merchant-skus/refused', headers }));
    const startMs = performance.now();
    assert.equal((await connection.answer('PUT'))?.status, 401);
    assert.equal(await answerToDrip(connection, ' '), undefined);
    assert.ok(performance.now() - startMs > 1900, 'it had the time of a head, not of a body');
  });

  it('a client that vanishes in the middle of its body leaves nothing behind', async () => {
    const connection = await RawConnection.open(server.url);
    const headers = { authorization: `Bearer ${token}`, 'content-length': '1000' };
    connection.write(requestBytes({ method: 'PUT', target: '/merchant-skus/gone', headers }));
    connection.write('{"product_title":');
    connection.destroy();
    const response = await fetch(`${server.url}/merchant-skus/gone`, { headers: { authorization: `Bearer ${token}` } });
    assert.equal(response.status, 404);
  });
});

it('slow clients are counted, idle ones are not, and all their connections are gone', async (t) => {
  const server = await startTestServer({ METRICS_PORT: '0', HEADERS_TIMEOUT_SECONDS: '1', KEEP_ALIVE_SECONDS: '1' });
  t.after(() => server.close());
  const idle = await RawConnection.open(server.url);
  idle.write(requestBytes({ target: '/healthz' }));
  assert.equal((await idle.answer())?.status, 200);
  const connections = await Promise.all(Array.from({ length: 5 }, () => RawConnection.open(server.url)));
  for (const connection of connections) connection.write('GET / HTTP/1.1\r\n');
  await Promise.all(connections.map((connection) => connection.closed()));
  const samples = await waitUntil('the connections to be gone', 30_000, async () => {
    const found = await scrape(server.metricsUrl);
    return found.get('offerbook_http_connections') === 0 ? found : undefined;
  });
  assert.equal(limitHits(samples, 'time'), 5);
  assert.equal(samples.get('offerbook_http_requests_total{method="",route="unreadable",status="400"}'), 5);
});

describe('a kept connection', { concurrency: true }, () => {
  const PAGE = requestBytes({ target: '/portal/' });
  const HEALTH = requestBytes({ target: '/healthz' });
  const answersOf = async (connection: RawConnection, count: number) => {
    const answers = [];
    for (let answer = 0; answer < count; answer++) answers.push(await connection.answer());
    return answers.map((answer) => [answer?.status, answer?.headers.get('keep-alive')?.split('=')[0]]);
  };

  it('stays open beyond its idle time while it is used', async (t) => {
    const server = await startTestServer({ KEEP_ALIVE_SECONDS: '3' });
    t.after(() => server.close());
    const connection = await RawConnection.open(server.url);
    const endMs = performance.now() + 5000;
    while (performance.now() < endMs) {
      connection.write(HEALTH);
      assert.deepEqual(await answersOf(connection, 1), [[200, 'timeout']]);
      await pause(DRIP_INTERVAL_MS);
    }
    connection.destroy();
  });

  it('may be idle after a page for longer than it may stall during one', async (t) => {
    const server = await startTestServer({ REQUEST_TIMEOUT_SECONDS: '3', KEEP_ALIVE_SECONDS: '3600' });
    t.after(() => server.close());
    const alone = await RawConnection.open(server.url);
    alone.write(PAGE);
    assert.equal((await alone.answer())?.status, 200);
    const pipelined = await RawConnection.open(server.url);
    pipelined.write(Buffer.concat([PAGE, HEALTH]));
    for (let answer = 0; answer < 2; answer++) assert.equal((await pipelined.answer())?.status, 200);
    await pause(4500);
    for (const connection of [alone, pipelined]) {
      connection.write(HEALTH);
      assert.deepEqual(await answersOf(connection, 1), [[200, 'timeout']]);
      connection.destroy();
    }
  });

  it('has the time limit of a request head, not of an idle connection, once a request has started', async (t) => {
    const server = await startTestServer({ HEADERS_TIMEOUT_SECONDS: '60', KEEP_ALIVE_SECONDS: '3' });
    t.after(() => server.close());
    const first = await RawConnection.open(server.url);
    const second = await RawConnection.open(server.url);
    second.write(HEALTH);
    assert.equal((await second.answer())?.status, 200);
    // A separate check notices this after the response.
    await pause(700);
    for (const connection of [first, second]) connection.write(HEALTH.subarray(0, 10));
    await pause(4500);
    for (const connection of [first, second]) {
      connection.write(HEALTH.subarray(10));
      assert.deepEqual(await answersOf(connection, 1), [[200, 'timeout']]);
      connection.destroy();
    }
  });
});

it('a client that sends many requests and never reads is disconnected and counted', async (t) => {
  const server = await startTestServer({ METRICS_PORT: '0', REQUEST_TIMEOUT_SECONDS: '1', KEEP_ALIVE_SECONDS: '3600' });
  t.after(() => server.close());
  const client = await openDeafClient(server.url);
  t.after(() => client.destroy());
  const samples = await waitUntil('the connection to be gone', 30_000, async () => {
    const found = await scrape(server.metricsUrl);
    const wasServed = found.has('offerbook_http_requests_total{method="GET",route="/openapi.json",status="200"}');
    return wasServed && found.get('offerbook_http_connections') === 0 ? found : undefined;
  });
  assert.equal(limitHits(samples, 'time'), 1);
});
