/** Tests that a process does only what its role says. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { postgresSkipped } from '../../src/store/postgres/testing/availability.ts';
import { offerbookJson } from '../harness/command-line.ts';
import { waitForLines } from '../harness/log-lines.ts';
import { scrape } from '../harness/metrics.ts';
import { postgresPlace, selectColumn } from '../harness/postgres-place.ts';
import { startServeProcess } from '../harness/serve-process.ts';
import { waitUntil } from '../harness/wait-until.ts';

const ENDED = `SELECT user_name FROM credential WHERE ends_ms < extract(epoch FROM clock_timestamp()) * 1000`;

describe('roles', { skip: postgresSkipped(), concurrency: 2 }, () => {
  it('api serves requests without background work, worker does background work without listening', async (t) => {
    const place = await postgresPlace();
    await offerbookJson(place, 'merchant', 'add', 'acme', '--name', 'Acme');
    await offerbookJson(place, 'keys', 'roll', '--merchant', 'acme', '--env', 'test', '--overlap', '1s');
    const [ended] = await waitUntil('the old set to be past its end', 30_000, async () => {
      const users = await selectColumn(place, ENDED);
      return users.length === 1 ? users : undefined;
    });

    const api = await startServeProcess(place, ['--role', 'api']);
    t.after(() => api.stop('SIGKILL'));
    assert.equal((await fetch(`${api.url}/readyz`)).status, 200);
    assert.deepEqual(await selectColumn(place, 'SELECT kind FROM work_lease'), [], 'nothing was announced');
    assert.deepEqual(await selectColumn(place, ENDED), [ended], 'nothing was dropped');

    const worker = await startServeProcess({ ...place, METRICS_PORT: '0' }, ['--role', 'worker']);
    t.after(() => worker.stop('SIGKILL'));
    await waitUntil('what is past its end to be dropped', 30_000, async () =>
      (await selectColumn(place, ENDED)).length === 0 ? true : undefined,
    );
    assert.equal(worker.url, '');
    const [started] = await waitForLines(worker, 'server_started', 1);
    assert.deepEqual([started?.role, started?.url], ['worker', undefined]);
    const samples = await scrape(String(started?.metricsUrl));
    assert.deepEqual([samples.get('offerbook_ready'), samples.get('offerbook_http_connections')], [1, 0]);
    assert.deepEqual([await worker.stop(), await api.stop()], [0, 0]);
  });

  it('all of several processes may be workers', async (t) => {
    const server = await startServeProcess(await postgresPlace(), ['--role', 'worker', '--processes', '2', '--json']);
    t.after(() => server.stop('SIGKILL'));
    await waitUntil('the response', 30_000, async () => (server.output().includes('{"url":null}') ? true : undefined));
    assert.equal((await waitForLines(server, 'server_started', 2)).length, 2);
    assert.equal(await server.stop(), 0);
  });
});
