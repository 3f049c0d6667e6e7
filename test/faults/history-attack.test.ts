/**
 * Attacks the disk through the history and through uploads of one account: the other accounts' writes go on. The disk and its
 * reserve are a quarter of those where this was seen: 1,341 uploads of 224 KB filled 300 MB, 100 MB of them reserved, in 8 seconds.
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { postgresSkipped } from '../../src/store/postgres/testing/availability.ts';
import { finished, sendFile } from '../api/fixtures/bulk-files.ts';
import { ApiClient, assertProblems, minimalSku, requestProblem, skuPath } from '../harness/api-client.ts';
import { runSql } from '../harness/run-sql.ts';
import { CANNOT_MOUNT, smallDisk } from '../harness/small-disk.ts';
import { FIRST_VARIANT, STORE_VARIANTS } from '../harness/variants.ts';

const MEBIBYTE = 1_048_576;
const HISTORY_BYTES_MAX = 16 * MEBIBYTE;
const FREE_BYTES_MIN = 25 * MEBIBYTE;
const DISK_MIB = 75;
const UPLOADS = 200;
const FILES = 10;
const CONNECTIONS = 8;
const LOW = requestProblem(
  'store_unavailable',
  'Disk space is low. Nothing was changed; retry later. Prices and stock can still be changed.',
);

/** A SKU whose JSON has about 224 KB. */
const largeSku = (mark: unknown) => ({
  ...minimalSku(),
  product_title: `Title ${mark}`,
  attributes_node_specific: Array.from({ length: 50 }, (_, id) => ({
    attribute_id: id + 1,
    attribute_value: `${mark}`,
    attribute_value_unit: '界'.repeat(1480),
  })),
});

async function smallDataDir(): Promise<string> {
  return path.join((await smallDisk(DISK_MIB)).folder, 'data');
}

/** Writes as another account until it is stopped. Returns the statuses. */
function writeSteadily(t: TestContext, api: ApiClient): () => Promise<readonly number[]> {
  const ending = new AbortController();
  t.after(() => ending.abort());
  const writing = (async () => {
    const live = await api.inEnvironment('live');
    const statuses: number[] = [];
    for (let n = 0; !ending.signal.aborted; n++) {
      const path = skuPath(`steady-${n}`);
      statuses.push((await live.send('PUT', path, minimalSku())).status);
      statuses.push((await live.send('PUT', `${path}/price`, { price: 1 + n })).status);
      await pause(50);
    }
    return statuses;
  })();
  return () => {
    ending.abort();
    return writing;
  };
}

function assertAllStored(statuses: readonly number[]): void {
  assert.ok(statuses.length > 10);
  assert.deepEqual(
    statuses.filter((status) => status !== 202),
    [],
  );
}

/** Sends the requests 0 to `count` - 1 over several connections, and returns their statuses. */
async function flood(count: number, send: (n: number) => Promise<{ readonly status: number }>): Promise<number[]> {
  const statuses: number[] = [];
  let next = 0;
  const sendNext = async (): Promise<void> => {
    for (let n = next++; n < count; n = next++) statuses.push((await send(n)).status);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, sendNext));
  return statuses;
}

describe('one account cannot fill the disk of all', () => {
  for (const variant of STORE_VARIANTS) {
    const skip = variant.store === 'sqlite' ? CANNOT_MOUNT : postgresSkipped();
    const attacked = async (t: TestContext) => {
      const settings = { FILES_FREE_BYTES_MIN: String(FREE_BYTES_MIN), HISTORY_BYTES_MAX: String(HISTORY_BYTES_MAX) };
      const disk = variant.store === 'sqlite' ? { DATA_DIR: await smallDataDir() } : {};
      const api = await ApiClient.open(variant, { ...settings, ...disk });
      t.after(() => api.server.close());
      const history = async () => {
        const [bytes] = await runSql(
          { ...api.server.place, ...disk },
          'SELECT sum(octet_length(text)) FROM offer_history',
        );
        return Number(bytes);
      };
      return { api, history, others: writeSteadily(t, api) };
    };

    it(`by alternating between two large values, on ${variant.store}`, { skip }, async (t) => {
      const { api, history, others } = await attacked(t);
      // PostgreSQL combines simultaneous writes to one SKU, so each connection has its own.
      const statuses = await flood(UPLOADS, (n) =>
        api.send('PUT', skuPath(`sku-${n % CONNECTIONS}`), largeSku(Math.floor(n / CONNECTIONS) % 2)),
      );
      assert.deepEqual(
        statuses.filter((status) => status !== 202),
        [],
      );
      assertAllStored(await others());
      const bytes = await history();
      assert.ok(bytes > HISTORY_BYTES_MAX / 2 && bytes < HISTORY_BYTES_MAX * 1.25, `${bytes} bytes of history`);

      // The last change can be undone.
      const { body } = await api.send('GET', `${skuPath('sku-0')}/history`);
      const [last] = (body as { changes: { id: number }[] }).changes;
      assert.equal((await api.send('POST', `${skuPath('sku-0')}/history/${last?.id}/restore`)).status, 202);
    });

    it(`by small files that unpack to large ones, on ${variant.store}`, { skip }, async (t) => {
      const { api, history, others } = await attacked(t);
      for (let mark = 0; mark < FILES; mark++) {
        const rows = Array.from({ length: 15 }, (_, n) => [`large-${n}`, largeSku(mark % 2)]);
        const packed = gzipSync(JSON.stringify(Object.fromEntries(rows)));
        assert.ok(packed.length < 50_000);
        await finished(api, await sendFile(api, 'MerchantSKUs', packed));
      }
      assertAllStored(await others());
      const bytes = await history();
      assert.ok(bytes > HISTORY_BYTES_MAX / 2 && bytes < HISTORY_BYTES_MAX * 1.5, `${bytes} bytes of history`);
    });
  }

  it('by uploading new SKUs: its uploads are refused first, its prices are not', { skip: CANNOT_MOUNT }, async (t) => {
    const DATA_DIR = await smallDataDir();
    const settings = { DATA_DIR, FILES_FREE_BYTES_MIN: String(2 * FREE_BYTES_MIN) };
    const api = await ApiClient.open(FIRST_VARIANT, settings);
    t.after(() => api.server.close());
    const others = writeSteadily(t, api);
    const statuses = await flood(UPLOADS, (n) => api.send('PUT', skuPath(`new-${n}`), largeSku(n)));
    assert.deepEqual([...new Set(statuses)].sort(), [202, 503]);
    const refused = await api.send('PUT', skuPath('one-more'), largeSku(0));
    assertProblems(refused, [LOW], 503);
    assert.equal(refused.headers.get('retry-after'), '60');
    assert.equal((await api.send('PUT', `${skuPath('new-0')}/price`, { price: 5 })).status, 202);
    assertAllStored(await others());
  });
});
