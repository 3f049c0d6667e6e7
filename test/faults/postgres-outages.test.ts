/**
 * Tests a PostgreSQL that stops, restarts, is killed or hangs under steady load: every response is in time and is a success or a 503
 * with `Retry-After`, everything recovers by itself within 5 seconds, and no acknowledged write is lost.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { postgresSkipped } from '../../src/store/postgres/testing/availability.ts';
import { type BreakablePostgres, startBreakablePostgres } from '../harness/breakable-postgres.ts';
import { scrape } from '../harness/metrics.ts';
import { isRun } from '../harness/scope.ts';
import { type ServeProcess, startServeProcess } from '../harness/serve-process.ts';
import { SteadyLoad } from '../harness/steady-load.ts';
import { waitUntil } from '../harness/wait-until.ts';

describe('PostgreSQL outages', { skip: postgresSkipped() || noSignals() }, () => {
  let postgres: BreakablePostgres;
  let server: ServeProcess;
  let metricsUrl: string;
  let load: SteadyLoad;

  before(async () => {
    postgres = await startBreakablePostgres();
    server = await startServeProcess({
      DATABASE_URL: postgres.url,
      REQUESTS_PER_MINUTE: '1000000',
      METRICS_PORT: '0',
    });
    metricsUrl = /"metricsUrl":"([^"]+)"/.exec(server.output())?.[1] ?? '';
    load = await SteadyLoad.start(server.url);
  });

  after(async () => {
    await load?.stop();
    assert.equal(await server?.stop(), 0, server?.output());
    await postgres?.close();
  });

  it('stopped cleanly, and started again after a while', { skip: !isRun('usual') }, async () => {
    const before = await scrape(metricsUrl);
    await postgres.stop('SIGINT');
    await load.isRefused();
    assert.equal(await readiness(), 503);
    const samples = await scrape(metricsUrl);
    assert.equal(samples.get('offerbook_ready'), 0);
    const bytes = samples.get('offerbook_store_bytes');
    assert.ok(bytes !== undefined && bytes >= (before.get('offerbook_store_bytes') ?? 0), 'as it was last seen');
    assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
    await postgres.start();
    await allIsWell();
  });

  it('restarted immediately', { skip: !isRun('long') }, async () => {
    await postgres.stop('SIGINT');
    await postgres.start();
    await allIsWell();
  });

  it('killed', { skip: !isRun('long') }, async () => {
    await postgres.kill();
    await load.isRefused();
    await postgres.start();
    await allIsWell();
  });

  it('crashed, which rolls back uncommitted writes', { skip: !isRun('usual') }, async () => {
    await postgres.stop('SIGQUIT');
    await load.isRefused();
    await postgres.start();
    await allIsWell();
  });

  it('hangs, and resumes', { skip: !isRun('usual') }, async () => {
    const goOn = await postgres.freeze();
    try {
      await load.isRefused();
      assert.equal(await readiness(), 503);
      assert.equal((await scrape(metricsUrl)).get('offerbook_ready'), 0);
    } finally {
      goOn();
    }
    await allIsWell();
  });

  async function allIsWell(): Promise<void> {
    await load.isWell();
    await waitUntil('readiness', 60_000, async () => {
      return ((await readiness()) === 200 && (await scrape(metricsUrl)).get('offerbook_ready') === 1) || undefined;
    });
    assert.equal(server.process.exitCode, null, server.output());
    await load.assertStored();
    assert.doesNotMatch(server.output(), /"event":"request_failed"/);
  }

  async function readiness(): Promise<number> {
    return (await fetch(`${server.url}/readyz`)).status;
  }
});

function noSignals(): string | false {
  return process.platform === 'win32' && 'processes cannot be stopped and killed apart here';
}
