/** Tests behavior between processes: the lock on the data folder, killed processes, and settings changed alongside a server. */

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, type TestContext, test } from 'node:test';
import { putSku } from '../contract/put-parts.ts';
import { AUTHOR, documentOf, NOW_MS, newMerchant } from '../contract/subject.ts';
import { createDatabaseFile } from './engine/data-dir.ts';
import { openForWriting } from './engine/engine.ts';
import { DataDirLockedError, lockDataDir } from './engine/lock.ts';
import { migrate } from './engine/migrations.ts';
import { openAlongsideServer, openSqliteSetupStore } from './open.ts';
import { MIGRATIONS } from './schema/migration-list.ts';
import { openStoreFor } from './testing/open-for.ts';
import { temporaryDir } from './testing/temporary-dir.ts';

describe('lock of the data folder', () => {
  const isLocked = (dataDir: string) => (error: unknown) =>
    error instanceof DataDirLockedError && error.message.includes(dataDir);

  test('a second lock is refused until the first is released', () => {
    const dataDir = temporaryDir();
    const release = lockDataDir(dataDir);
    assert.throws(() => lockDataDir(dataDir), isLocked(dataDir));
    release();
    release();
    lockDataDir(dataDir)();
  });

  test('another process is refused too, and killing the holder frees the folder', async (t) => {
    const dataDir = temporaryDir();
    const holder = startProcess(
      t,
      './engine/lock.ts',
      `import(module).then(({ lockDataDir }) => { lockDataDir(dataDir); console.log('locked'); setInterval(() => {}, 1000); })`,
      dataDir,
    );
    assert.equal(await firstLine(holder), 'locked');
    assert.throws(() => lockDataDir(dataDir), isLocked(dataDir));
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    lockDataDir(dataDir)();
  });

  test('the lock blocks neither the store itself nor the command line', async (t) => {
    const dataDir = temporaryDir();
    const release = lockDataDir(dataDir);
    const store = await openStoreFor(t, { dataDir });
    const setup = await openSqliteSetupStore({ dataDir });
    assert.throws(() => lockDataDir(dataDir), isLocked(dataDir));
    await setup.close();
    assert.throws(() => lockDataDir(dataDir), isLocked(dataDir));
    await store.close();
    release();
  });

  test('a command of a newer release upgrades the tables only if no server runs', async () => {
    const dataDir = temporaryDir();
    const older = openForWriting(createDatabaseFile(dataDir));
    migrate(older);
    const nextRelease = [...MIGRATIONS, 'CREATE TABLE later (a INTEGER) STRICT'];
    const version = () => older.query<[number]>('PRAGMA user_version').get()?.[0];
    const release = lockDataDir(dataDir);
    assert.throws(
      () => openAlongsideServer(dataDir, nextRelease),
      (error: unknown) => {
        assert.ok(error instanceof DataDirLockedError);
        assert.match(error.message, /older release.*stop the server first/);
        return true;
      },
    );
    assert.equal(version(), MIGRATIONS.length);
    release();
    openAlongsideServer(dataDir, nextRelease).close();
    assert.equal(version(), nextRelease.length);
    older.close();
    lockDataDir(dataDir)();
  });
});

describe('sudden death', () => {
  test('every confirmed write is stored after kill -9', async (t) => {
    const dataDir = temporaryDir();
    const writer = startProcess(
      t,
      './open.ts',
      `import(module).then(async ({ openSqliteStore }) => {
        const store = await openSqliteStore({ dataDir, onFatal: () => process.exit(1) });
        for (let number = 0; ; number += 10) {
          const skuIds = Array.from({ length: 10 }, (_, place) => 'sku-' + (number + place));
          const write = (skuId) =>
            store.offers.write({ accountId: 1, skuId, by: 'key:a' }, [{ part: 'sku', skuId, document: '{"brand":"A"}' }], 1);
          await Promise.all(skuIds.map(write));
          process.stdout.write(skuIds.at(-1) + '\\n');
        }
      })`,
      dataDir,
    );
    assert.ok(writer.stdout);
    let answered = '';
    for await (const line of createInterface(writer.stdout)) {
      answered = line;
      if (line === 'sku-1999') writer.kill('SIGKILL');
    }
    const store = await openStoreFor(t, { dataDir });
    const last = Number(answered.slice('sku-'.length));
    assert.ok(last >= 1999);
    for (let number = 0; number <= last; number++) {
      assert.equal(await store.offers.readSkuState({ accountId: 1, skuId: `sku-${number}` }), 'open', `sku-${number}`);
    }
    assert.equal(
      await putSku(store.offers, { accountId: 1, skuId: 'next', by: AUTHOR }, documentOf(), NOW_MS),
      'stored',
    );
  });
});

describe('account settings changed while a server runs', () => {
  test('a merchant added by another process is seen, with a new version, while offers are written', async (t) => {
    const dataDir = temporaryDir();
    const store = await openStoreFor(t, { dataDir });
    const before = await store.settings.readSetupVersion();
    const merchant = newMerchant();
    const commandLine = startProcess(
      t,
      './open.ts',
      `import(module).then(async ({ openSqliteSetupStore }) => {
        const credential = (user) => ({ user, salt: new Uint8Array(8), secretHash: new Uint8Array(32) });
        const store = await openSqliteSetupStore({ dataDir });
        console.log(await store.settings.addMerchant({
          merchantId: '${merchant.merchantId}', name: 'Added', timeToReturnDays: 30, returnShippingMethods: [],
          credentials: { test: credential('t'), live: credential('l') },
        }, 5));
          })`,
      dataDir,
    );
    const outcome = firstLine(commandLine);
    let done = false;
    void outcome.then(() => {
      done = true;
    });
    for (let number = 0; !done; number++) {
      const keys = Array.from({ length: 20 }, (_, place) => ({
        accountId: 1,
        skuId: `${number}-${place}`,
        by: AUTHOR,
      }));
      await Promise.all(keys.map((key) => putSku(store.offers, key, documentOf(), NOW_MS)));
    }
    assert.equal(await outcome, 'stored');
    assert.equal(await store.settings.readSetupVersion(), before + 1);
    const added = await store.settings.readMerchant(merchant.merchantId);
    assert.deepEqual(added, {
      merchantId: merchant.merchantId,
      name: 'Added',
      createdMs: 5,
      suspended: false,
      timeToReturnDays: 30,
      returnShippingMethods: [],
      unfinished: null,
      accounts: added?.accounts,
    });
  });
});

/** The script can use `module`, the URL of the named file, and `dataDir`. */
function startProcess(t: TestContext, file: string, script: string, dataDir: string): ChildProcess {
  const module = new URL(file, import.meta.url).href;
  const given = `const module = ${JSON.stringify(module)}, dataDir = ${JSON.stringify(dataDir)};`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', given + script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  return child;
}

async function firstLine(child: ChildProcess): Promise<string> {
  assert.ok(child.stdout);
  for await (const line of createInterface(child.stdout)) return line;
  throw new Error('The process printed nothing.');
}
