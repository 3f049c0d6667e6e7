/** Tests the settings that durability depends on, and the mapping of SQLite's errors. */
import assert from 'node:assert/strict';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { StoreUnavailableError } from '../../port/errors.ts';
import { openSqliteSetupStore, openSqliteStore } from '../open.ts';
import { openStoreFor } from '../testing/open-for.ts';
import { temporaryDir } from '../testing/temporary-dir.ts';
import { openForReading, openForWriting, storeError } from './engine.ts';

describe('durability', () => {
  test('a connection for writing has a log that is flushed at each commit', () => {
    const file = join(temporaryDir(), 'new.db');
    for (let time = 0; time < 2; time++) {
      const connection = openForWriting(file);
      const setting = (name: string) => connection.query(`PRAGMA ${name}`).get()?.[0];
      assert.deepEqual([setting('journal_mode'), setting('synchronous'), setting('page_size')], ['wal', 2, 4096]);
      connection.exec('CREATE TABLE IF NOT EXISTS t (a)');
      connection.close();
    }
  });

  test('a connection for reading cannot write', () => {
    const file = join(temporaryDir(), 'new.db');
    const writing = openForWriting(file);
    writing.exec('CREATE TABLE t (a)');
    const reading = openForReading(file);
    assert.throws(
      () => reading.exec('INSERT INTO t VALUES (1)'),
      (error) => storeError(error) instanceof StoreUnavailableError,
    );
    assert.deepEqual(reading.query<[number]>('SELECT count(*) FROM t').get(), [0]);
    reading.close();
    writing.close();
  });
});

describe('files', () => {
  test('only the owner can access the folder and its files', async (t) => {
    const dataDir = join(temporaryDir(), 'deep', 'data');
    await openStoreFor(t, { dataDir });
    assert.equal(statSync(dataDir).mode & 0o777, 0o700);
    for (const file of ['offerbook.db', 'offerbook.db-wal', 'offerbook.db-shm']) {
      assert.equal(statSync(join(dataDir, file)).mode & 0o777, 0o600, file);
    }
  });

  test('a folder that cannot be created and a file that is not a database are reported', async () => {
    const dir = temporaryDir();
    const occupied = join(dir, 'a-file');
    writeFileSync(occupied, '');
    const broken = join(dir, 'broken');
    mkdirSync(broken);
    writeFileSync(join(broken, 'offerbook.db'), 'no database, however long one reads in it. '.repeat(1000));
    const blocked = join(dir, 'blocked');
    mkdirSync(join(blocked, 'offerbook.db'), { recursive: true });

    for (const [dataDir, message] of [
      [occupied, /a-file cannot be created/],
      [broken, /not a database.*offerbook\.db/],
      [blocked, /cannot be opened.*offerbook\.db/],
    ] as const) {
      await assert.rejects(openSqliteStore({ dataDir, onFatal: assert.fail }), isUnavailable(message));
      await assert.rejects(openSqliteSetupStore({ dataDir }), isUnavailable(message));
    }
  });
});

describe('errors', () => {
  test('error codes of an unusable store become StoreUnavailableError, with the cause', () => {
    // Variants such as SQLITE_BUSY_SNAPSHOT (517) or SQLITE_IOERR_FSYNC (1034) count as their kind.
    for (const errcode of [5, 517, 6, 8, 10, 1034, 11, 13, 14, 26]) {
      const cause = Object.assign(new Error('from SQLite'), { code: 'ERR_SQLITE_ERROR', errcode });
      const error = storeError(cause);
      assert.ok(error instanceof StoreUnavailableError, String(errcode));
      assert.equal(error.cause, cause);
    }
  });

  test('other errors are not mapped, because they are bugs', () => {
    const connection = openForWriting(join(temporaryDir(), 'new.db'));
    assert.throws(
      () => connection.exec('SELEC'),
      (error) => storeError(error) === error,
    );
    connection.close();
    const bug = new TypeError('a bug');
    assert.equal(storeError(bug), bug);
  });
});

function isUnavailable(message: RegExp): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof StoreUnavailableError);
    assert.match(error.message, message);
    assert.ok(error.cause instanceof Error);
    return true;
  };
}
