/** Tests that unfinished bodies are refused beyond their memory budget, and all others are served. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ApiAnswer, ApiClient, assertProblems, requestProblem } from '../harness/api-client.ts';
import { limitHits, scrape } from '../harness/metrics.ts';
import { RawConnection, requestBytes } from '../harness/raw-http.ts';
import { FIRST_VARIANT } from '../harness/variants.ts';
import { waitUntil } from '../harness/wait-until.ts';

const MEBIBYTE = 1_048_576;
const OVERLOADED = requestProblem(
  'overloaded',
  'Too many request bodies are arriving. Nothing was changed; retry shortly.',
);

it('the largest are refused with 503, and small ones pass meanwhile', async (t) => {
  const api = await ApiClient.open(FIRST_VARIANT, {
    METRICS_PORT: '0',
    BODY_BYTES_IN_FLIGHT_MAX: String(4 * MEBIBYTE),
  });
  t.after(() => api.server.close());
  const path = await api.uploadedSku();
  const headers = { authorization: `Bearer ${api.token}`, 'content-length': String(MEBIBYTE) };
  const head = requestBytes({ method: 'PUT', target: `${path}/price`, headers });
  const unfinished = Buffer.concat([head, Buffer.alloc(MEBIBYTE - 1, ' ')]);
  const connections: RawConnection[] = [];
  for (let n = 0; n < 12; n++) {
    const connection = await RawConnection.open(api.server.url);
    connection.write(unfinished);
    connections.push(connection);
    await api.accepted('PUT', `${path}/price`, { price: 5 });
  }
  await waitUntil('refusals of all but four', 30_000, async () => {
    return limitHits(await scrape(api.server.metricsUrl), 'bodies') === 8 || undefined;
  });
  // The remaining four can still complete and are then handled like any other request.
  for (const connection of connections) connection.write(' ');
  const answers = await Promise.all(connections.map((connection) => connection.answer('PUT')));
  for (const connection of connections) connection.destroy();
  const refused = answers.filter((answer) => answer?.status === 503) as ApiAnswer[];
  assert.deepEqual([refused.length, answers.filter((answer) => answer?.status === 400).length], [8, 4]);
  for (const answer of refused) {
    assertProblems(answer, [OVERLOADED], 503);
    assert.deepEqual([answer.headers.get('retry-after'), answer.headers.get('connection')], ['1', 'close']);
  }
  assert.equal(limitHits(await scrape(api.server.metricsUrl), 'load'), 0);
});

describe('bodies in many small chunks', () => {
  const oneByteChunks = (count: number): string => '1\r\n \r\n'.repeat(count);
  const tiny = (target: string, token?: string): Buffer =>
    requestBytes({
      method: target === '/token' ? 'POST' : 'PUT',
      target,
      headers: {
        'transfer-encoding': 'chunked',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
    });
  const answerTo = async (url: string, bytes: string | Buffer, rest: string): Promise<ApiAnswer | undefined> => {
    const connection = await RawConnection.open(url);
    connection.write(bytes);
    connection.write(rest);
    const answer = await connection.answer('PUT');
    connection.destroy();
    return answer;
  };

  it('are accepted up to 288 for a token and 4,352 for a merchant call, and refused beyond', async (t) => {
    const api = await ApiClient.open(FIRST_VARIANT);
    t.after(() => api.server.close());
    const path = `${await api.uploadedSku()}/price`;
    const price = `b\r\n{"price":5}\r\n0\r\n\r\n`;
    const { url } = api.server;
    const ok = await answerTo(url, tiny(path, api.token), `${oneByteChunks(4351)}${price}`);
    assert.equal(ok?.status, 202);
    for (const [target, token, count] of [
      ['/token', undefined, 288],
      [path, api.token, 4352],
    ] as const) {
      const answer = await answerTo(url, tiny(target, token), `${oneByteChunks(count)}${price}`);
      assert.ok(answer);
      assertProblems(answer, [
        requestProblem('request_malformed', 'The body has too many chunks. Send fewer, larger ones.'),
      ]);
      assert.equal(answer.headers.get('connection'), 'close');
    }
  });

  it('of a request that was already refused end its connection', async (t) => {
    const api = await ApiClient.open(FIRST_VARIANT);
    t.after(() => api.server.close());
    const connection = await RawConnection.open(api.server.url);
    connection.write(tiny('/merchant-skus/x/price'));
    connection.write(oneByteChunks(10));
    const answer = await connection.answer('PUT');
    assert.deepEqual([answer?.status, answer?.headers.get('connection')], [401, 'close']);
    await connection.closed();
  });
});
