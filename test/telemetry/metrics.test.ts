/** Tests that the metrics port shows what happens, to this machine only, with a bounded number of series. */
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { readSettings } from '../../src/config/settings.ts';
import { startOfferbook } from '../../src/main.ts';
import { EVENTS } from '../../src/telemetry/events.ts';
import { METRICS } from '../../src/telemetry/metric-table.ts';
import { ApiClient, minimalSku } from '../harness/api-client.ts';
import { runOfferbook } from '../harness/command-line.ts';
import { limitHits, type Samples, scrape } from '../harness/metrics.ts';
import { RawConnection } from '../harness/raw-http.ts';
import { tempFolder } from '../harness/temp-folder.ts';
import { startTestServer } from '../harness/test-server.ts';
import { waitUntil } from '../harness/wait-until.ts';

const PRICE_ROUTE = '/merchant-skus/{user_defined_sku_id}/price';

const requests = (samples: Samples, method: string, route: string, status: number) =>
  samples.get(`offerbook_http_requests_total{method="${method}",route="${route}",status="${status}"}`) ?? 0;

describe('metrics', () => {
  let api: ApiClient;
  const page = () => scrape(api.server.metricsUrl);
  before(async () => {
    api = await ApiClient.open(undefined, { METRICS_PORT: '0', REQUESTS_PER_MINUTE: '200' });
  });
  after(() => api.server.close());

  it('count requests by route and status, and their durations', async () => {
    const sku = await api.uploadedSku();
    const before = await page();
    for (const price of [1, 2, 3]) await api.accepted('PUT', `${sku}/price`, { price });
    await api.put(`${sku}/price`, { price: 0 });
    await api.get(`${sku}/price`);
    await api.send('HEAD', `${sku}/price`);
    await api.send('GET', `${sku}/price`, undefined, { authorization: 'Bearer nonsense' });
    const after = await page();
    const moved = (method: string, status: number) =>
      requests(after, method, PRICE_ROUTE, status) - requests(before, method, PRICE_ROUTE, status);
    assert.deepEqual([moved('PUT', 202), moved('PUT', 400), moved('GET', 200), moved('GET', 401)], [3, 1, 2, 1]);
    const duration = (part: string, rest = '') =>
      after.get(`offerbook_http_request_seconds_${part}{method="PUT",route="${PRICE_ROUTE}"${rest}}`) ?? Number.NaN;
    assert.equal(duration('count'), 4);
    assert.equal(duration('bucket', ',le="+Inf"'), 4);
    assert.ok(duration('bucket', ',le="0.0005"') <= duration('bucket', ',le="0.25"'));
    assert.ok(duration('sum') > 0 && duration('sum') < 10);
  });

  it('never use client input as a label', async () => {
    const before = await page();
    for (let n = 0; n < 20; n++) {
      await api.get(`/nowhere-${n}`);
      await api.get(`/merchant-skus/unknown-${n}`);
      await api.send('DELETE', `/merchant-skus/unknown-${n}`);
      const connection = await RawConnection.open(api.server.url);
      connection.write(`METHOD-${n} / HTTP/1.1\r\n\r\n`);
      await connection.closed();
    }
    await api.get('/docs/');
    const after = await page();
    assert.deepEqual(
      [
        requests(after, '', 'unknown', 404) - requests(before, '', 'unknown', 404),
        requests(after, '', 'unknown', 405) - requests(before, '', 'unknown', 405),
        requests(after, '', 'unreadable', 400) - requests(before, '', 'unreadable', 400),
        requests(after, 'GET', '/merchant-skus/{user_defined_sku_id}', 404),
        requests(after, 'GET', '/docs', 200),
      ],
      [20, 20, 20, 20, 1],
    );
    assert.doesNotMatch([...after.keys()].join('\n'), /nowhere|unknown-|METHOD/);
  });

  it('count unknown docs pages as one', async () => {
    const docs = ['/docs/nope.js', '/docs/%zz'];
    const before = await page();
    const answers = await Promise.all(docs.map((path) => api.get(path)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [404, 400],
    );
    const after = await page();
    const moved = (method: string, route: string, status: number) =>
      requests(after, method, route, status) - requests(before, method, route, status);
    assert.deepEqual([moved('', 'unknown', 404), moved('', 'unknown', 400)], [1, 1]);
    assert.deepEqual([moved('GET', '/docs', 404), moved('GET', '/docs', 400)], [0, 0]);
  });

  it('show commits, empty queues, and the database size', async () => {
    const before = await page();
    await Promise.all(
      Array.from({ length: 30 }, () => api.accepted('PUT', `/merchant-skus/${api.newSkuId()}`, minimalSku())),
    );
    const waits = (samples: Samples) =>
      ['writes', 'lists'].some((queue) => samples.get(`offerbook_store_waiting{queue="${queue}"}`) !== 0);
    const after = await waitUntil('nothing to wait', 60_000, async () => {
      const samples = await page();
      return waits(samples) ? undefined : samples;
    });
    const moved = (series: string) => (after.get(series) ?? Number.NaN) - (before.get(series) ?? Number.NaN);
    const commits = moved('offerbook_store_commit_writes_count');
    // The earlier scrape checked whether the database is ready, and the review writes too. All use the same queue.
    const writes = moved('offerbook_store_commit_writes_sum');
    assert.ok(writes >= 30, `${writes} writes`);
    assert.ok(commits >= 1 && commits <= writes, `${commits} commits`);
    assert.equal(moved('offerbook_store_commit_writes_bucket{le="+Inf"}'), commits);
    for (const queue of ['writes', 'lists']) {
      assert.equal(after.get(`offerbook_store_waiting{queue="${queue}"}`), 0);
      assert.equal(after.get(`offerbook_store_oldest_wait_seconds{queue="${queue}"}`), 0);
    }
    assert.ok((after.get('offerbook_store_bytes') ?? 0) > 10_000);
    assert.equal(after.get('offerbook_ready'), 1);
  });

  it('count reached limits', async () => {
    const before = await page();
    await api.put('/merchant-skus/large', 'x'.repeat(1_100_000));
    const wrong = { user: 'nobody', pass: 'wrong' };
    for (let n = 0; n < 22; n++) await api.send('POST', '/token', wrong);
    let refused = 0;
    // One more than the limit, because a slow machine may take longer than a minute until here.
    for (let n = 0; n < 201; n++) if ((await api.get('/authcheck')).status === 429) refused++;
    const after = await page();
    const moved = (limit: string) => (limitHits(after, limit) ?? Number.NaN) - (limitHits(before, limit) ?? 0);
    assert.ok(refused > 0);
    assert.deepEqual([moved('body'), moved('login'), moved('rate')], [1, 2, refused]);
  });

  it('show every metric of the table, and the process', async () => {
    const samples = await page();
    const names = [...samples.keys()].map((series) => series.replace(/\{.*/, '').replace(/_(?:bucket|sum|count)$/, ''));
    const expected = Object.values(METRICS).map(({ name }) => name);
    // This metric exists only with a certificate.
    const absent = METRICS.certificateEnd.name;
    assert.deepEqual(new Set(names), new Set(expected.filter((name) => name !== absent)));
    for (const name of ['process_resident_memory_bytes', 'process_cpu_seconds_total', 'nodejs_heap_size_used_bytes']) {
      assert.ok((samples.get(name) ?? 0) > 0, name);
    }
  });

  it('name every limit in the help text', () => {
    for (const { limit } of Object.values(EVENTS))
      if (limit !== undefined) assert.ok(METRICS.limits.help.includes(limit));
  });

  it('serve only GET /metrics', async () => {
    const url = api.server.metricsUrl ?? '';
    assert.equal((await fetch(new URL('/', url))).status, 404);
    assert.equal((await fetch(url, { method: 'POST' })).status, 405);
    assert.equal((await fetch(url, { method: 'HEAD' })).status, 200);
    assert.equal((await api.get('/metrics')).status, 404);
  });
});

describe('the metrics port', () => {
  it('is closed to other addresses than 127.0.0.1, even if the API is not', async (t) => {
    const settings = readSettings({
      HOST: '0.0.0.0',
      PORT: '0',
      METRICS_PORT: '0',
      DATA_DIR: await tempFolder(),
      LOG_LEVEL: 'silent',
    });
    const offerbook = await startOfferbook(settings, { demo: false });
    t.after(() => offerbook.close());
    const url = new URL(offerbook.metricsUrl ?? '');
    assert.equal(url.hostname, '127.0.0.1');
    assert.equal((await fetch(url)).status, 200);
    // The same machine at another of its addresses.
    url.hostname = '127.0.0.2';
    await assert.rejects(fetch(url));
  });

  it('is closed by default, and after the server has stopped', async () => {
    const quiet = await startTestServer();
    assert.equal(quiet.metricsUrl, undefined);
    await quiet.close();
    const server = await startTestServer({ METRICS_PORT: '0' });
    await server.close();
    await assert.rejects(fetch(server.metricsUrl ?? ''));
  });

  it('may be the port after the API port, where demo images usually are', async (t) => {
    const port = await neighboringPorts();
    const server = await startTestServer({ PORT: String(port), METRICS_PORT: String(port + 1) });
    t.after(() => server.close());
    assert.equal(server.metricsUrl, `http://127.0.0.1:${port + 1}/metrics`);
    assert.equal((await fetch(server.metricsUrl)).status, 200);
  });

  it('that is in use is named', async (t) => {
    const other = createServer().listen(0, '127.0.0.1');
    t.after(() => other.close());
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const run = await runOfferbook({ DATA_DIR: await tempFolder(), PORT: '0', METRICS_PORT: String(port) }, 'serve');
    assert.deepEqual(run, {
      exitCode: 1,
      stdout: '',
      stderr: `offerbook: METRICS_PORT must be a free port on 127.0.0.1 (${port}: another program uses it)\n`,
    });
  });
});

/**
 * Returns the first of two adjacent free ports. They are below the range for outgoing connections and automatic ports, which might be taken
 * while the server starts.
 */
async function neighboringPorts(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 30_000);
    const both = [port, port + 1].map((each) => createServer().listen(each, '127.0.0.1'));
    const listening = await Promise.allSettled(both.map((server) => once(server, 'listening')));
    await Promise.all(both.map((server) => new Promise((resolve) => server.close(resolve))));
    if (listening.every(({ status }) => status === 'fulfilled')) return port;
  }
}
