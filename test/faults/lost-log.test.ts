/** Tests that a server says when its write-ahead log was truncated or removed, and only then. */
import assert from 'node:assert/strict';
import { readdir, readFile, rm, truncate } from 'node:fs/promises';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { minimalSku, requestToken, skuPath } from '../harness/api-client.ts';
import { offerbookJson, runOfferbook } from '../harness/command-line.ts';
import { type ServeProcess, startServeProcess } from '../harness/serve-process.ts';
import { tempFolder } from '../harness/temp-folder.ts';

/** With the salts, which change when SQLite restarts the log. */
const LOG_HEADER_BYTES = 32;
const REPORTED = /"event":"log_damaged"[^\n]*offerbook\.db-wal\.lost-\d+/;

async function start(t: TestContext, DATA_DIR: string): Promise<ServeProcess> {
  const server = await startServeProcess({ DATA_DIR, REQUESTS_PER_MINUTE: '1000000' });
  t.after(() => server.stop('SIGKILL'));
  return server;
}

async function put(url: string, skuIds: readonly string[], description = 'A pot'): Promise<void> {
  const headers = { authorization: `Bearer ${await requestToken(url, 'test')}` };
  const body = JSON.stringify({ ...minimalSku(), product_description: description });
  for (const skuId of skuIds) {
    assert.equal((await fetch(`${url}${skuPath(skuId)}`, { method: 'PUT', headers, body })).status, 202);
  }
}

async function statusOf(url: string, skuId: string): Promise<number> {
  const headers = { authorization: `Bearer ${await requestToken(url, 'test')}` };
  return (await fetch(`${url}${skuPath(skuId)}`, { headers })).status;
}

/** A folder whose server was killed after acknowledged writes, which are only in the log. */
async function killed(t: TestContext, writes: (url: string, dataDir: string) => Promise<void>): Promise<string> {
  const dataDir = await tempFolder();
  const first = await start(t, dataDir);
  await put(first.url, ['old']);
  assert.equal(await first.stop(), 0);
  const server = await start(t, dataDir);
  assert.doesNotMatch(server.output(), /log_damaged/);
  await writes(server.url, dataDir);
  await server.stop('SIGKILL');
  return dataDir;
}

const logOf = (dataDir: string) => path.join(dataDir, 'offerbook.db-wal');

async function removeLog(dataDir: string): Promise<void> {
  for (const end of ['wal', 'shm']) await rm(path.join(dataDir, `offerbook.db-${end}`));
}

describe('a write-ahead log that a killed server left', () => {
  for (const [what, lose] of [
    ['truncated', (dataDir: string) => truncate(logOf(dataDir), 0)],
    ['removed', removeLog],
  ] as const) {
    it(`and that was ${what} is reported at each start and by doctor`, async (t) => {
      const dataDir = await killed(t, (url) => put(url, ['lost']));
      await lose(dataDir);
      const server = await start(t, dataDir);
      assert.match(server.output(), REPORTED);
      assert.deepEqual([await statusOf(server.url, 'old'), await statusOf(server.url, 'lost')], [200, 404]);
      await put(server.url, ['new']);
      assert.equal(await server.stop(), 0);
      const doctor = await runOfferbook({ DATA_DIR: dataDir }, 'doctor', '--no-server');
      assert.match(doctor.stdout, /^fail {2}log: .*offerbook\.db-wal\.lost-\d+ lost transactions/m);
      const again = await start(t, dataDir);
      assert.match(again.output(), REPORTED);
      assert.equal(await again.stop(), 0);

      const [note = '', ...others] = (await readdir(dataDir)).filter((name) => name.includes('.lost-'));
      assert.deepEqual(others, []);
      await rm(path.join(dataDir, note));
      assert.equal((await runOfferbook({ DATA_DIR: dataDir }, 'doctor', '--no-server')).exitCode, 0);
    });
  }

  it('is also reported after SQLite has restarted it', async (t) => {
    const dataDir = await killed(t, async (url, folder) => {
      const header = async () => (await readFile(logOf(folder))).subarray(0, LOG_HEADER_BYTES);
      await put(url, ['first']);
      const before = await header();
      let count = 0;
      while (before.equals(await header())) {
        assert.ok(++count < 1000, 'SQLite restarts the log after 1,000 pages.');
        await put(url, [`sku-${count}`], 'x'.repeat(2000));
      }
      // The mark is made by the commit after the one that started the log.
      await put(url, ['lost-1', 'lost-2']);
    });
    await truncate(logOf(dataDir), 0);
    assert.match((await start(t, dataDir)).output(), REPORTED);
  });

  it('is not reported if it is complete, or a command has merged it, or a backup was restored', async (t) => {
    const dataDir = await killed(t, (url) => put(url, ['kept']));
    const variables = { DATA_DIR: dataDir };
    await offerbookJson(variables, 'backup', path.join(dataDir, 'backup.db'));
    const merged = await start(t, dataDir);
    assert.equal(await statusOf(merged.url, 'kept'), 200);
    await put(merged.url, ['newer']);
    await merged.stop('SIGKILL');
    const complete = await start(t, dataDir);
    assert.equal(await statusOf(complete.url, 'newer'), 200);
    await put(complete.url, ['newest']);
    await complete.stop('SIGKILL');
    await offerbookJson(variables, 'restore', path.join(dataDir, 'backup.db'), '--replace');
    const restored = await start(t, dataDir);
    assert.deepEqual([await statusOf(restored.url, 'kept'), await statusOf(restored.url, 'newer')], [200, 404]);
    for (const server of [merged, complete, restored]) assert.doesNotMatch(server.output(), /log_damaged/);
    assert.deepEqual(
      (await readdir(dataDir)).filter((name) => name.includes('.lost-')),
      [],
    );
  });
});
