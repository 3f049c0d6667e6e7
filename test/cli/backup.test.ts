/**
 * Tests backup and restore as an operator uses them: while a server is busy, complete, private, and without overwriting files.
 */
import assert from 'node:assert/strict';
import { copyFile, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { restoreDatabase } from '../../src/store/sqlite/backup/restore.ts';
import { openForWriting } from '../../src/store/sqlite/engine/engine.ts';
import { MIGRATIONS } from '../../src/store/sqlite/schema/migration-list.ts';
import { minimalSku, requestToken, skuPath } from '../harness/api-client.ts';
import { offerbookHere, offerbookJson, runHere, runOfferbook } from '../harness/command-line.ts';
import { withOfferbook } from '../harness/own-server.ts';
import { tempFolder } from '../harness/temp-folder.ts';

type Rows = Record<string, number>;

describe('backup and restore', { concurrency: 3 }, () => {
  it('copy one moment of a server that is writing; a server starts on the copy with all data', async () => {
    const folder = await tempFolder();
    const dataDir = path.join(folder, 'data');
    const file = path.join(folder, 'copy.db');
    const settings = { REQUESTS_PER_MINUTE: '1000000' };
    const before: string[] = [];
    await withOfferbook({ DATA_DIR: dataDir }, { demo: true, settings }, async (url) => {
      const headers = { authorization: `Bearer ${await requestToken(url, 'test')}` };
      const put = async (skuId: string) => {
        const body = JSON.stringify(minimalSku());
        const { status } = await fetch(`${url}${skuPath(skuId)}`, { method: 'PUT', headers, body });
        assert.equal(status, 202);
      };
      for (let n = 0; n < 50; n++) {
        await put(`before-${n}`);
        before.push(`before-${n}`);
      }
      let done = false;
      const backup = offerbookJson({ DATA_DIR: dataDir }, 'backup', file).finally(() => {
        done = true;
      });
      for (let n = 0; !done; n++) await put(`during-${n}`);
      const { rows, schema_version } = (await backup) as { rows: Rows; schema_version: number };
      assert.equal(schema_version, MIGRATIONS.length);
      assert.ok((rows.sku ?? 0) >= before.length);
      assert.equal(rows.sku, rows.sku_document);
      const locked = await runOfferbook({ DATA_DIR: dataDir }, 'restore', file, '--replace', '--json');
      const [problem] = JSON.parse(locked.stderr).details;
      assert.equal(problem.code, 'data_dir_locked');
      assert.match(problem.message, /is in use by another server\. Stop it first\.$/);
    });
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.deepEqual((await readdir(folder)).sort(), ['copy.db', 'data'], 'no draft and no log is left');

    const restored = path.join(folder, 'restored');
    const report = await offerbookJson({ DATA_DIR: restored }, 'restore', file);
    assert.equal(report.before, null);
    await withOfferbook({ DATA_DIR: restored }, { demo: true, settings }, async (url) => {
      const headers = { authorization: `Bearer ${await requestToken(url, 'test')}` };
      for (const skuId of before) assert.equal((await fetch(`${url}${skuPath(skuId)}`, { headers })).status, 200);
    });
  });

  it('refuse to overwrite a file, and a database unless --replace moves it away', async () => {
    const DATA_DIR = await tempFolder();
    const file = path.join(DATA_DIR, 'copy.db');
    await offerbookHere({ DATA_DIR }, 'merchant', 'add', 'first', '--name', 'First');
    await offerbookHere({ DATA_DIR }, 'backup', file);
    const again = await runHere({ DATA_DIR }, 'backup', file);
    assert.deepEqual(again, {
      exitCode: 1,
      stdout: '',
      stderr: `Database: sqlite:${DATA_DIR}\nofferbook: The file ${file} already exists and was not overwritten. Choose another file name.\n`,
    });
    await offerbookHere({ DATA_DIR }, 'merchant', 'add', 'second', '--name', 'Second');
    const refused = await runHere({ DATA_DIR }, 'restore', file);
    assert.deepEqual([refused.exitCode, refused.stdout], [1, '']);
    assert.match(refused.stderr, /already has a database; use --replace to move it aside/);
    const replaced = await runHere({ DATA_DIR }, 'restore', file, '--replace');
    const [, before = ''] = /kept as (.*)\.\n/.exec(replaced.stdout) ?? [];
    assert.match(before, /offerbook\.db\.before-restore-\d{8}T\d{6}Z$/);
    assert.ok(replaced.stdout.endsWith(`unless it was damaged: offerbook restore ${before} --replace\n`));
    const { merchants } = (await offerbookHere({ DATA_DIR }, 'merchant', 'list')) as { merchants: Rows[] };
    assert.deepEqual(
      merchants.map(({ merchant_id }) => merchant_id),
      ['first'],
    );
    const kept = path.join(DATA_DIR, 'kept');
    await offerbookHere({ DATA_DIR: kept }, 'restore', before);
    assert.equal(((await offerbookHere({ DATA_DIR: kept }, 'merchant', 'list')).merchants as Rows[]).length, 2);
  });

  it('refuse a second restore in the same second, which would overwrite the database that the first one kept', async () => {
    const DATA_DIR = await tempFolder();
    const file = path.join(DATA_DIR, 'copy.db');
    await offerbookHere({ DATA_DIR }, 'merchant', 'add', 'first', '--name', 'First');
    await offerbookHere({ DATA_DIR }, 'backup', file);
    const restored = await restoreDatabase(DATA_DIR, file, { replace: true, nowMs: 0 });
    assert.ok(restored.ok);
    const kept = await stat(restored.value.before ?? '');
    const again = await restoreDatabase(DATA_DIR, file, { replace: true, nowMs: 999 });
    assert.deepEqual(again.ok || again.problems.map(({ code }) => code), ['file_exists']);
    assert.equal((await stat(restored.value.before ?? '')).ino, kept.ino);
    assert.ok((await restoreDatabase(DATA_DIR, file, { replace: true, nowMs: 1000 })).ok);
  });

  it('do not apply the log of a deleted database to the restored one', async () => {
    const DATA_DIR = await tempFolder();
    const file = path.join(DATA_DIR, 'copy.db');
    await offerbookHere({ DATA_DIR }, 'merchant', 'add', 'first', '--name', 'First');
    await offerbookHere({ DATA_DIR }, 'backup', file);
    const database = path.join(DATA_DIR, 'offerbook.db');
    const connection = openForWriting(database);
    connection.exec(`UPDATE merchant SET name = 'Changed after the backup'`);
    // Closing the connection removes the log; a server whose database was deleted leaves it.
    await copyFile(`${database}-wal`, path.join(DATA_DIR, 'log'));
    connection.close();
    await rm(database);
    await rename(path.join(DATA_DIR, 'log'), `${database}-wal`);
    const restored = await restoreDatabase(DATA_DIR, file, { replace: true, nowMs: 0 });
    assert.deepEqual([restored.ok, restored.ok && restored.value.before], [true, undefined]);
    const { merchants } = (await offerbookHere({ DATA_DIR }, 'merchant', 'list')) as { merchants: Rows[] };
    assert.deepEqual(
      merchants.map(({ name }) => name),
      ['First'],
    );
    assert.ok((await stat(`${database}.before-restore-19700101T000000Z-wal`)).size > 0);
  });

  it('refuse a backup of a newer release, a file that is not a backup, and a folder without a database', async () => {
    const DATA_DIR = await tempFolder();
    const newer = path.join(DATA_DIR, 'newer.db');
    const connection = openForWriting(newer);
    connection.exec(`CREATE TABLE setup_version (a); PRAGMA user_version = ${MIGRATIONS.length + 1}`);
    connection.close();
    const other = path.join(DATA_DIR, 'other.txt');
    await writeFile(other, 'something else');
    for (const [file, code] of [
      [newer, 'backup_newer'],
      [other, 'backup_invalid'],
    ] as const) {
      const { exitCode, stderr } = await runHere({ DATA_DIR }, 'restore', file, '--json');
      assert.deepEqual([exitCode, JSON.parse(stderr).details[0].code], [1, code]);
    }
    const empty = path.join(DATA_DIR, 'empty');
    const used = path.join(DATA_DIR, 'used');
    await offerbookHere({ DATA_DIR: used }, 'merchant', 'add', 'acme', '--name', 'Acme');
    for (const folder of [empty, used]) {
      assert.deepEqual(await runHere({ DATA_DIR: folder }, 'restore', 'nofile.db'), {
        exitCode: 1,
        stdout: '',
        stderr: `Database: sqlite:${folder}\nofferbook: There is no file nofile.db.\n`,
      });
    }
    await assert.rejects(stat(empty), 'a missing file creates no folder');
    const none = await runHere({ DATA_DIR }, 'backup', path.join(DATA_DIR, 'x.db'), '--json');
    assert.deepEqual([none.exitCode, JSON.parse(none.stderr).details[0].code], [1, 'database_missing']);
    await assert.rejects(readFile(path.join(DATA_DIR, 'offerbook.db')), 'nothing was made');
  });
});
