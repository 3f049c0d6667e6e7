/**
 * Tests a damaged database: damage is reported at start if detectable, unreadable data gets 503 and never a wrong response, and a restore
 * works.
 */

import assert from 'node:assert/strict';
import { copyFile, open, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { putSku } from '../../src/store/contract/put-parts.ts';
import { AUTHOR } from '../../src/store/contract/subject.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { minimalSku, requestToken, skuPath } from '../harness/api-client.ts';
import { offerbookJson, runOfferbook } from '../harness/command-line.ts';
import { withOfferbook } from '../harness/own-server.ts';
import { startServeProcess } from '../harness/serve-process.ts';
import { tempFolder } from '../harness/temp-folder.ts';

const PAGE_BYTES = 4096;
const SKUS = 300;

describe('a damaged database', { concurrency: 3 }, () => {
  it('with a destroyed header is refused at start by every command, with advice', async () => {
    const { dataDir, file } = await folderWithOffers();
    const handle = await open(file, 'r+');
    await handle.write(Buffer.alloc(100, 0x5a), 0, 100, 0);
    await handle.close();
    for (const command of [['serve'], ['merchant', 'list'], ['export', '-']]) {
      const { exitCode, stdout, stderr } = await runOfferbook({ DATA_DIR: dataDir, PORT: '0' }, ...command);
      assert.deepEqual([exitCode, stdout], [1, ''], stderr);
      assert.match(
        stderr,
        /^offerbook: The file is not a database, or its start is damaged: stop the server [^\n]*restore FILE --replace[^\n]*\n$/,
      );
      assert.ok(stderr.includes(file));
    }
    const doctor = await runOfferbook({ DATA_DIR: dataDir }, 'doctor');
    assert.equal(doctor.exitCode, 1);
    assert.match(doctor.stdout, /^fail {2}database: .*offerbook restore FILE --replace/m);
    assert.equal(doctor.stdout.match(/offerbook restore/g)?.length, 1, doctor.stdout);
  });

  it('whose file is deleted while the server runs: writes are refused, and it is not ready', async () => {
    const { dataDir, file } = await folderWithOffers();
    await withOfferbook({ DATA_DIR: dataDir }, { demo: true }, async (url) => {
      const headers = { authorization: `Bearer ${await requestToken(url, 'test')}` };
      const put = () =>
        fetch(`${url}${skuPath('sku-1')}`, { method: 'PUT', headers, body: JSON.stringify(minimalSku()) });
      assert.deepEqual([(await put()).status, (await fetch(`${url}/readyz`)).status], [202, 200]);
      for (const suffix of ['', '-wal', '-shm']) await rm(`${file}${suffix}`);
      const refused = await put();
      assert.deepEqual([refused.status, refused.headers.has('retry-after')], [503, true]);
      assert.equal((await fetch(`${url}/readyz`)).status, 503);
    });
  });

  it('in the middle: intact data is served, the rest is 503; doctor and backup find it, restore fixes it', async (t) => {
    const { dataDir, file } = await folderWithOffers();
    const variables = { DATA_DIR: dataDir };
    const backup = path.join(dataDir, '..', `${path.basename(dataDir)}.backup`);
    t.after(() => rm(backup, { force: true }));
    await offerbookJson(variables, 'backup', backup);
    await damageDocuments(file);

    await withOfferbook({ DATA_DIR: dataDir }, { demo: true }, async (url) => {
      const headers = { authorization: `Bearer ${await requestToken(url, 'test')}` };
      const statuses = new Map<number, number>();
      for (let n = 0; n < SKUS; n++) {
        const response = await fetch(`${url}${skuPath(`sku-${n}`)}`, { headers });
        const body = (await response.json()) as { product_title?: string; details?: { code: string }[] };
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
        if (response.status === 200) {
          assert.equal(body.product_title, `Title of sku-${n}`);
        } else {
          assert.deepEqual([response.status, body.details?.[0]?.code], [503, 'store_unavailable']);
          assert.ok(response.headers.has('retry-after'));
        }
      }
      assert.ok((statuses.get(200) ?? 0) > 0 && (statuses.get(503) ?? 0) > 0, JSON.stringify([...statuses]));
      assert.equal((await fetch(`${url}/merchant-skus`, { headers })).status, 200);

      // Writes that hit damage are refused, and later ones are not: the writer is still running.
      for (let n = 0; n < SKUS; n += 3) {
        const body = JSON.stringify({ ...minimalSku(), product_title: `Title of sku-${n}` });
        const response = await fetch(`${url}${skuPath(`sku-${n}`)}`, { method: 'PUT', headers, body });
        assert.ok(response.status === 202 || response.status === 503, `${response.status}`);
      }
      const body = JSON.stringify({ price: 5 });
      const priced = await fetch(`${url}${skuPath('sku-0')}/price`, { method: 'PUT', headers, body });
      assert.equal(priced.status, 202);
    });

    const doctor = await runOfferbook(variables, 'doctor', '--json');
    assert.equal(doctor.exitCode, 1);
    const { healthy, checks } = JSON.parse(doctor.stdout) as { healthy: boolean; checks: Record<string, string>[] };
    assert.equal(healthy, false);
    const found = checks.find(({ check }) => check === 'database');
    assert.equal(found?.state, 'fail');
    assert.match(found?.text ?? '', /^Damaged \([^*\n]+, and \d+ more\): stop the server [^\n]*$/);

    const again = await runOfferbook(variables, 'backup', `${backup}-2`, '--json');
    assert.equal(again.exitCode, 1);
    assert.match(again.stderr, /backup_damaged|store_unavailable/);
    assert.match(JSON.parse(again.stderr).details[0].message, /damaged.*restore FILE --replace/);
    await assert.rejects(readFile(`${backup}-2`), 'a damaged copy is not kept');

    const { before } = await offerbookJson(variables, 'restore', backup, '--replace');
    assert.ok((await readFile(String(before))).length > 0, 'the damaged one is kept');
    assert.equal((await runOfferbook(variables, 'doctor', '--full', '--no-server')).exitCode, 0);
    await withOfferbook({ DATA_DIR: dataDir }, { demo: true }, async (url) => {
      const headers = { authorization: `Bearer ${await requestToken(url, 'test')}` };
      for (let n = 0; n < SKUS; n += 10) {
        assert.equal((await fetch(`${url}${skuPath(`sku-${n}`)}`, { headers })).status, 200);
      }
    });
  });

  it('in its write-ahead log: start and doctor report the kept copy until it is removed', async (t) => {
    const { dataDir, file } = await folderWithOffers();
    const kept = `${file}-wal.damaged-0011`;
    await writeFile(kept, '', { mode: 0o600 });
    const server = await startServeProcess({ DATA_DIR: dataDir });
    t.after(() => server.stop('SIGKILL'));
    assert.match(server.output(), /"event":"log_damaged"[^\n]*offerbook\.db-wal\.damaged-0011/);
    assert.equal(await server.stop(), 0);
    const doctor = await runOfferbook({ DATA_DIR: dataDir }, 'doctor');
    assert.equal(doctor.exitCode, 1);
    assert.match(doctor.stdout, /^fail {2}log: .*offerbook\.db-wal\.damaged-0011 lost transactions/m);
    await rm(kept);
    assert.equal((await runOfferbook({ DATA_DIR: dataDir }, 'doctor', '--no-server')).exitCode, 0);
  });

  it('is not accepted as a backup', async () => {
    const { dataDir, file } = await folderWithOffers();
    const damaged = `${file}.copy`;
    await copyFile(file, damaged);
    await damageDocuments(damaged);
    const text = `${file}.txt`;
    await writeFile(text, 'no backup');
    const target = path.join(dataDir, 'elsewhere');
    for (const [given, code] of [
      [damaged, /backup_invalid|backup_damaged/],
      [text, /backup_invalid/],
      [path.join(dataDir, 'missing'), /backup_invalid/],
    ] as const) {
      const { exitCode, stdout, stderr } = await runOfferbook({ DATA_DIR: target }, 'restore', given, '--json');
      assert.deepEqual([exitCode, stdout], [1, '']);
      assert.match(stderr, code);
      const [problem] = JSON.parse(stderr).details;
      const expected = `The backup ${given} is damaged, or it is not a database. Nothing was changed. Use an older backup.`;
      assert.equal(problem.message, given.endsWith('missing') ? `There is no file ${given}.` : expected);
    }
    await assert.rejects(readFile(path.join(target, 'offerbook.db')), 'no database is created');
  });
});

/** A closed database with the demo merchant and SKUs whose documents fill three pages each. */
async function folderWithOffers(): Promise<{ dataDir: string; file: string }> {
  const dataDir = await tempFolder();
  await withOfferbook({ DATA_DIR: dataDir }, { demo: true }, async () => {});
  const store = await openSqliteStore({ dataDir, onFatal: (error) => assert.fail(error) });
  const accountId = (await store.settings.readMerchant('demo'))?.accounts.test ?? 0;
  await Promise.all(
    Array.from({ length: SKUS }, (_, n) => {
      const document = {
        product_title: `Title of sku-${n}`,
        brand: 'B',
        product_description: 'x'.repeat(9000),
      };
      return putSku(store.offers, { accountId, skuId: `sku-${n}`, by: AUTHOR }, JSON.stringify(document), 1);
    }),
  );
  await store.close();
  return { dataDir, file: path.join(dataDir, 'offerbook.db') };
}

/** Overwrites whole pages with documents, as a failing disk does. */
async function damageDocuments(file: string): Promise<void> {
  const bytes = await readFile(file);
  const handle = await open(file, 'r+');
  let damaged = 0;
  for (let at = PAGE_BYTES * 10; at < bytes.length && damaged < 30; at += PAGE_BYTES * 7) {
    if (!bytes.subarray(at, at + PAGE_BYTES).includes('xxxxxxxx')) continue;
    await handle.write(Buffer.alloc(PAGE_BYTES, 0xa5), 0, PAGE_BYTES, at);
    damaged++;
  }
  await handle.close();
  assert.ok(damaged > 0);
}
