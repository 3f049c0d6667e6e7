/** Tests export, import, merchant remove and sandbox reset as commands: files, streams, confirmation, and a running server. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { createReadyDatabase } from '../../src/store/postgres/testing/test-database.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { minimalSku, requestToken, skuPath } from '../harness/api-client.ts';
import { offerbookHere, offerbookJson, runHere, runOfferbook } from '../harness/command-line.ts';
import { addFullMerchant } from '../harness/moved-merchants.ts';
import { withOfferbook } from '../harness/own-server.ts';
import { createPlace, type StoreKind } from '../harness/store-place.ts';
import { tempFolder } from '../harness/temp-folder.ts';
import { STORE_VARIANTS } from '../harness/variants.ts';
import { waitUntil } from '../harness/wait-until.ts';

/** Generous; running-server.test.ts checks the promised two seconds. */
const NOTICE_MS = 30_000;

describe('whole merchants', { concurrency: 3 }, () => {
  it('are exported to a file or a stream, and imported from either', async () => {
    const folder = await tempFolder();
    const [from, to, again] = ['from', 'to', 'again'].map((name) => path.join(folder, name)) as [
      string,
      string,
      string,
    ];
    await seed(from);
    const file = path.join(folder, 'all.ndjson');
    const { lines, ...counts } = await offerbookJson({ DATA_DIR: from }, 'export', file);
    assert.deepEqual(counts, { file, merchants: 1, skus: 8 });
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    const content = await readFile(file, 'utf8');
    assert.equal(content.split('\n').length - 1, lines);
    const streamed = await runOfferbook({ DATA_DIR: from }, 'export', '-');
    assert.deepEqual([streamed.exitCode, streamed.stdout], [0, content]);
    assert.equal(streamed.stderr, 'Exported 1 merchant with 8 SKUs to standard output.\n');
    const taken = await runOfferbook({ DATA_DIR: from }, 'export', file);
    assert.match(taken.stderr, /already exists and was not overwritten/);

    assert.deepEqual(await offerbookJson({ DATA_DIR: to }, 'import', file), {
      merchant_ids: ['acme'],
      merchants: 1,
      skus: 8,
      lines,
    });
    const child = spawn(process.execPath, ['bin/offerbook.mjs', 'import', '-'], {
      env: { ...process.env, DATA_DIR: again },
    });
    child.stdin.end(content);
    assert.equal(await text(child.stdout), 'Imported 1 merchant with 8 SKUs: acme.\n');
    for (const dataDir of [to, again]) {
      assert.equal((await runOfferbook({ DATA_DIR: dataDir }, 'export', '-')).stdout, content);
    }
    const missing = await runOfferbook({ DATA_DIR: to }, 'import', path.join(folder, 'missing'), '--json');
    assert.deepEqual([missing.exitCode, JSON.parse(missing.stderr).details[0].code], [1, 'file_unreadable']);
  });

  it('are removed after they were exported, and only with consent', async () => {
    const folder = await tempFolder();
    const DATA_DIR = path.join(folder, 'data');
    const file = path.join(folder, 'acme.ndjson');
    await seed(DATA_DIR);
    const refused = await runHere({ DATA_DIR }, 'merchant', 'remove', 'acme', '--export', file, '--json');
    assert.deepEqual([refused.exitCode, JSON.parse(refused.stderr).details[0].code], [1, 'not_confirmed']);
    const unwritable = path.join(folder, 'no', 'where');
    const failed = await runHere({ DATA_DIR }, 'merchant', 'remove', 'acme', '--export', unwritable, '--yes', '--json');
    assert.deepEqual([failed.exitCode, JSON.parse(failed.stderr).details[0].code], [1, 'file_unwritable']);
    const listed = (await offerbookHere({ DATA_DIR }, 'merchant', 'list')).merchants as { suspended: boolean }[];
    assert.deepEqual([listed.length, listed[0]?.suspended], [1, false], 'it stays, and is no longer suspended');

    const removal = ['merchant', 'remove', 'acme', '--export', file, '--yes'];
    assert.deepEqual(await offerbookHere({ DATA_DIR }, ...removal), { merchant_id: 'acme', export: file, skus: 8 });
    assert.deepEqual(await offerbookHere({ DATA_DIR }, 'merchant', 'list'), { merchants: [] });
    const bytes = await readFile(path.join(DATA_DIR, 'offerbook.db'));
    assert.ok(!bytes.includes('https://images.example/a.jpg'), 'what was erased is overwritten');
    assert.equal((await offerbookHere({ DATA_DIR }, 'import', file)).skus, 8);
  });

  for (const { store, skip } of STORE_VARIANTS)
    it(
      `are suspended, resumed, cleared and removed while a server runs, whose writes continue (${store})`,
      {
        skip,
      },
      (t) => moveWhileServed(t, store),
    );
});

async function moveWhileServed(t: Pick<TestContext, 'after'>, store: StoreKind): Promise<void> {
  const folder = await tempFolder();
  const { place, remove } = await createPlace(store, createReadyDatabase);
  t.after(remove);
  const settings = { REQUESTS_PER_MINUTE: '1000000' };
  await withOfferbook(place, { demo: true, settings }, async (url) => {
    const headers = { authorization: `Bearer ${await requestToken(url, 'test')}` };
    const live = { authorization: `Bearer ${await requestToken(url, 'live')}` };
    const body = JSON.stringify(minimalSku());
    const put = async (skuId: string, as = headers) =>
      (await fetch(`${url}${skuPath(skuId)}`, { method: 'PUT', headers: as, body })).status;
    const status = async (path: string) => (await fetch(`${url}${path}`, { headers })).status;
    const becomes = (expected: number) =>
      waitUntil(`${expected}`, NOTICE_MS, async () => ((await status('/authcheck')) === expected ? true : undefined));

    await offerbookJson(place, 'merchant', 'suspend', 'demo');
    await becomes(403);
    await offerbookJson(place, 'merchant', 'resume', 'demo');
    await becomes(200);

    const skuIds = Array.from({ length: 400 }, (_, n) => `sku-${n}`);
    assert.deepEqual(new Set(await Promise.all(skuIds.map((skuId) => put(skuId)))), new Set([202]));
    let done = false;
    const reset = offerbookJson(place, 'sandbox', 'reset', '--merchant', 'demo', '--yes').finally(() => {
      done = true;
    });
    for (let n = 0; !done; n++) assert.equal(await put(`live-${n}`, live), 202, 'live writes continue');
    assert.equal((await reset).skus, 400);
    assert.equal(await status(skuPath('sku-0')), 404);
    assert.equal(await status('/fulfillment-nodes/demo-node-east'), 200, 'the setup stays');
    assert.equal((await fetch(`${url}${skuPath('live-0')}`, { headers: live })).status, 200);

    const file = path.join(folder, 'demo.ndjson');
    await offerbookJson(place, 'merchant', 'remove', 'demo', '--export', file, '--yes');
    await becomes(401);
    assert.ok((await readFile(file, 'utf8')).includes('"sku_id":"live-0"'));
  });
}

async function seed(dataDir: string): Promise<void> {
  const store = await openSqliteStore({ dataDir, onFatal: (error) => assert.fail(error) });
  await addFullMerchant(store, 'acme');
  await store.close();
}
