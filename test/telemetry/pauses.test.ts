/** Tests that a call that blocks the request thread is named in the log, and that the metrics show the pause. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { requestToken } from '../harness/api-client.ts';
import { waitForLines } from '../harness/log-lines.ts';
import { scrape } from '../harness/metrics.ts';
import { startServeProcess } from '../harness/serve-process.ts';
import { tempFolder } from '../harness/temp-folder.ts';
import { waitUntil } from '../harness/wait-until.ts';

const HELD_MS = 1500;

/** Loaded before the server, so that a marked body blocks the thread while it is parsed. */
const SLOW_PARSE = `
  const parse = JSON.parse;
  JSON.parse = (text, ...rest) => {
    const endMs = performance.now() + (String(text).includes('hold the thread') ? ${HELD_MS} : 0);
    while (performance.now() < endMs);
    return parse(text, ...rest);
  };`;

describe('a pause of the request thread', () => {
  it('is reported with the call that caused it, and reset in the metrics after a scrape', async (t) => {
    const server = await startServeProcess({
      DATA_DIR: await tempFolder(),
      METRICS_PORT: '0',
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(SLOW_PARSE)}`,
    });
    t.after(() => server.stop('SIGKILL'));
    const metricsUrl = /"metricsUrl":"([^"]+)"/.exec(server.output())?.[1];
    const pauseSeconds = async () => (await scrape(metricsUrl)).get('offerbook_request_thread_pause_seconds') ?? -1;
    const token = await requestToken(server.url, 'test');
    await pauseSeconds();

    const requestIds = new Set<unknown>();
    // More than one, because the log writes one line in 10 seconds, and a busy machine causes other pauses.
    const told = await waitUntil('the pause to be told', 60_000, async () => {
      const response = await fetch(`${server.url}/merchant-skus/x/price`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${token}` },
        body: '{"hold the thread":1}',
      });
      await response.text();
      requestIds.add(response.headers.get('x-request-id'));
      const lines = await waitForLines(server, 'request_thread_paused', 1);
      return lines.find((line) => requestIds.has(line.requestId));
    });
    assert.equal(told.route, '/merchant-skus/{user_defined_sku_id}/price');
    assert.ok(Number(told.pause_ms) >= HELD_MS - 100, JSON.stringify(told));
    assert.ok((await pauseSeconds()) >= (HELD_MS - 100) / 1000);
    // A busy machine causes other pauses.
    await waitUntil(
      'a scrape after the reset',
      60_000,
      async () => (await pauseSeconds()) < HELD_MS / 1000 || undefined,
    );
  });
});
