/** Tests that the request limit applies to all processes together. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { postgresSkipped } from '../../src/store/postgres/testing/availability.ts';
import { requestToken } from '../harness/api-client.ts';
import { waitForLines } from '../harness/log-lines.ts';
import { timedIt } from '../harness/lost-time.ts';
import { scrape } from '../harness/metrics.ts';
import { postgresPlace } from '../harness/postgres-place.ts';
import { startServeProcess } from '../harness/serve-process.ts';

const LIMIT = 300;
const REQUESTS = 600;
/** Minimum number of accepted requests. The others may be refused early while load moves between processes. */
const PASSED_MIN = 0.9 * LIMIT;
const CLIENTS = 8;

describe('the rate over two worker processes', { skip: postgresSkipped() }, () => {
  timedIt(`accepts at most ${LIMIT} of ${REQUESTS} requests, and at least ${PASSED_MIN}`, async (t) => {
    const variables = { ...(await postgresPlace()), REQUESTS_PER_MINUTE: String(LIMIT), METRICS_PORT: '0' };
    const server = await startServeProcess(variables, ['--demo', '--processes', '2']);
    t.after(() => server.stop('SIGKILL'));
    const startedMs = performance.now();
    const headers = { authorization: `Bearer ${await requestToken(server.url, 'test')}`, connection: 'close' };
    const statuses = new Map<number, number>();
    let left = REQUESTS;
    const sendInTurn = async () => {
      while (left-- > 0) {
        const response = await fetch(`${server.url}/authcheck`, { headers });
        await response.arrayBuffer();
        if (response.status === 429) assert.ok(Number(response.headers.get('retry-after')) >= 1);
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, sendInTurn));
    assert.ok(performance.now() - startedMs < 60_000, 'all was sent within one window');

    // A token request counts as well.
    const passed = 1 + (statuses.get(200) ?? 0);
    assert.ok(passed <= LIMIT && passed >= PASSED_MIN, `${passed} requests were accepted; the limit is ${LIMIT}`);
    assert.equal(passed - 1 + (statuses.get(429) ?? 0), REQUESTS, JSON.stringify([...statuses]));
    for (const { metricsUrl } of await waitForLines(server, 'server_started', 2)) {
      const samples = await scrape(String(metricsUrl));
      const series = 'offerbook_http_requests_total{method="GET",route="/authcheck",status="200"}';
      assert.ok((samples.get(series) ?? 0) > 0, 'each worker accepted some');
    }
  });
});
