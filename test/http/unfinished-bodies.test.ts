/** Promise: bodies that never end are refused beyond the memory that they may hold, and all others are served. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type ApiAnswer, ApiClient, assertProblems, requestProblem } from '../harness/api-client.ts';
import { limitHits, scrape } from '../harness/metrics.ts';
import { RawConnection, requestBytes } from '../harness/raw-http.ts';
import { FIRST_VARIANT } from '../harness/variants.ts';
import { waitUntil } from '../harness/wait-until.ts';

const MEBIBYTE = 1_048_576;
const OVERLOADED = requestProblem(
  'overloaded',
  'Too many request bodies are arriving; nothing was changed. Try again shortly.',
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
  // The four that are left may still end, and are then as good as any other.
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
