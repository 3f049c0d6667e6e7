/** Tests that a server killed in the middle of a bulk file continues it: no row is lost or counted twice. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { postgresSkipped } from '../../src/store/postgres/testing/availability.ts';
import { minimalSku, requestToken, skuPath } from '../harness/api-client.ts';
import { BulkFiles, type FileRecord } from '../harness/bulk-files.ts';
import { lapseLeases } from '../harness/lapsed-leases.ts';
import { type ServeProcess, startServeProcess } from '../harness/serve-process.ts';
import { type StorePlace, withPlace } from '../harness/store-place.ts';
import { OFTEN, waitUntil } from '../harness/wait-until.ts';

const ROWS = 9_000;
/** One row in this many fails. */
const BAD_EVERY = 97;
/** Makes the file large enough that threads check its rows. */
const product_description = 'd'.repeat(1_200);
/** The server is killed after this many further rows, plus a few milliseconds. */
const KILLS = [
  { rows: 1, later_ms: 0 },
  { rows: 800, later_ms: 7 },
  { rows: 1_800, later_ms: 3 },
  { rows: 3_000, later_ms: 11 },
];
const KILLS_MIN = 2;
const TRIES_MAX = 3;
/** Time until the leases of a killed process expire; awaited after the last kill. */
const LEASE_MS_MAX = 15_000;

describe('kill -9 in the middle of a file', { concurrency: 2 }, () => {
  for (const store of ['sqlite', 'postgres'] as const) {
    const skip = store === 'postgres' ? postgresSkipped() : false;
    const name = `on ${store}: totals, errors and offers are exact in the end`;
    it(name, { timeout: 1_100_000, skip }, async (t) => {
      const kills: number[] = [];
      const run = () => withPlace(store, async (place) => void kills.push(await killAndCompare(t, place)));
      // If this process stands still, the server may finish the file meanwhile.
      while (kills.length < TRIES_MAX && Math.max(0, ...kills) < KILLS_MIN) await run();
      assert.ok(Math.max(...kills) >= KILLS_MIN, `The files were done after ${kills} kills.`);
    });
  }
});

/** Returns the number of kills. */
async function killAndCompare(t: TestContext, place: StorePlace): Promise<number> {
  const variables = { ...place, REQUESTS_PER_MINUTE: '1000000', FILE_CHECK_THREADS: '2' };
  const running: ServeProcess[] = [];
  t.after(() => Promise.all(running.map((server) => server.stop('SIGKILL'))));
  const start = async () => {
    const server = await startServeProcess(variables);
    running.push(server);
    return { server, files: new BulkFiles(server.url, await requestToken(server.url, 'test')) };
  };
  const bad: string[] = [];
  const rows = Array.from({ length: ROWS }, (_, index) => {
    const skuId = `sku-${index}`;
    if (index % BAD_EVERY !== 0)
      return `${JSON.stringify(skuId)}: ${JSON.stringify({ ...minimalSku(), product_description })}`;
    bad.push(skuId);
    return `${JSON.stringify(skuId)}: {"product_title": ${index}}`;
  });

  let { server, files } = await start();
  const fileId = await files.send('MerchantSKUs', gzipSync(`{${rows.join(',\n')}}`, { level: 1 }));
  let kills = 0;
  for (const { rows: further, later_ms } of KILLS) {
    const from = (await files.read(fileId)).rows_processed;
    const probe = async () => {
      const record = await files.read(fileId);
      return hasEnded(record) || record.rows_processed >= from + further ? record : undefined;
    };
    const seen = await waitUntil('some rows', LEASE_MS_MAX + 180_000, probe, OFTEN);
    if (hasEnded(seen)) break;
    await pause(later_ms);
    await server.stop('SIGKILL');
    kills++;
    if (kills < KILLS.length) await lapseLeases(place);
    ({ server, files } = await start());
  }
  const record = await files.ended(fileId, LEASE_MS_MAX + 180_000);
  assert.equal(record.status, 'Processed with errors');
  assert.deepEqual(
    [record.rows_processed, record.rows_failed, record.rows_superseded, record.rows_waiting],
    [ROWS, bad.length, 0, 0],
  );
  assert.equal(record.bytes_processed, record.bytes_total);
  assert.deepEqual(Object.keys(await files.download(record.error_url)), bad);
  assert.deepEqual(Object.keys(await files.download(record.retry_url)), bad);
  assert.deepEqual(await listed(server.url, await requestToken(server.url, 'test')), ROWS - bad.length);
  await server.stop();
  return kills;
}

function hasEnded({ status }: FileRecord): boolean {
  return status !== 'Acknowledged' && status !== 'Processing';
}

/** Number of SKUs, counted page by page. */
async function listed(url: string, token: string): Promise<number> {
  let count = 0;
  let next = `${url}/merchant-skus?limit=1000`;
  while (next !== '') {
    const response = await fetch(next, { headers: { authorization: `Bearer ${token}` } });
    const { sku_urls } = (await response.json()) as { sku_urls: string[] };
    assert.equal(new Set(sku_urls).size, sku_urls.length);
    count += sku_urls.length;
    const last = decodeURIComponent(sku_urls.at(-1)?.replace(skuPath('').slice(1), '') ?? '');
    next = sku_urls.length < 1000 ? '' : `${url}/merchant-skus?limit=1000&after=${encodeURIComponent(last)}`;
  }
  return count;
}
