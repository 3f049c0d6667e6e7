/** Tests that commits after damage are distinguished from an interrupted write at the end of a log. */

import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { putSku } from '../../contract/put-parts.ts';
import { AUTHOR, documentOf } from '../../contract/subject.ts';
import { StoreUnavailableError } from '../../port/errors.ts';
import { openSqliteSetupStore } from '../open.ts';
import { openStoreFor } from '../testing/open-for.ts';
import { temporaryDir } from '../testing/temporary-dir.ts';
import { inspectLog, keepDamagedLog, listDamagedLogs } from './damaged-log.ts';
import { databaseFile } from './data-dir.ts';
import { openForWriting } from './engine.ts';

const FRAME_BYTES = 24 + 4096;
const placeOf = (frame: number) => 32 + frame * FRAME_BYTES;

/** Creates a log of ten commits of two pages each, as a killed process leaves it. */
function newLog(commits = 10): { log: string; frames: number; restart: () => void } {
  const folder = temporaryDir();
  const file = join(folder, 'a.db');
  const connection = openForWriting(file);
  connection.exec('CREATE TABLE t (a TEXT); CREATE TABLE u (a TEXT)');
  connection.query('PRAGMA wal_checkpoint(RESTART)').get();
  const log = join(folder, 'copied-wal');
  const write = (times: number) => {
    for (let n = 0; n < times; n++) {
      connection.exec(`BEGIN; INSERT INTO t VALUES ('${n}'); INSERT INTO u VALUES ('${n}'); COMMIT`);
    }
    copyFileSync(`${file}-wal`, log);
  };
  write(commits);
  const restart = () => {
    connection.query('PRAGMA wal_checkpoint(RESTART)').get();
    write(2);
    connection.close();
  };
  return { log, frames: commits * 2, restart };
}

function flip(log: string, at: number): void {
  const bytes = readFileSync(log);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  writeFileSync(log, bytes);
}

const lost = (log: string) => inspectLog(log).lostCommits;

describe('a write-ahead log', () => {
  it('that is whole, truncated, or overwritten from the start has lost nothing', () => {
    const { log, frames, restart } = newLog();
    assert.equal(lost(log), 0);
    for (const bytes of [placeOf(frames) - 1, placeOf(7) + 100, placeOf(7), 40, 32, 10, 0]) {
      truncateSync(log, bytes);
      assert.equal(lost(log), 0, `${bytes}`);
    }
    restart();
    assert.ok(statSync(log).size > placeOf(4), 'frames of the previous log follow it');
    assert.equal(lost(log), 0);
  });

  it('that is damaged has lost the commits after the damage', () => {
    for (const [at, commits] of [
      [5, 10],
      [24, 10],
      [placeOf(0) + 5_000, 10],
      [placeOf(7) + 20, 7],
      [placeOf(10) + 12, 5],
      [placeOf(17) + 24, 2],
      // This damage is in the last transaction, as if a power failure had interrupted it.
      [placeOf(18) + 24, 1],
    ] as const) {
      const { log } = newLog();
      flip(log, at);
      assert.equal(lost(log), commits, `${at}`);
    }
  });

  it('whose header is invalid has lost all, unless it has no frames', () => {
    // The magic, then page sizes: not a power of two, far too large, zero, 256 and 131,072.
    for (const [at, value] of [
      [0, 0],
      [8, 16_385],
      [8, 0x80001000],
      [8, 0],
      [8, 256],
      [8, 131_072],
    ] as const) {
      const { log } = newLog();
      const bytes = readFileSync(log);
      bytes.writeUInt32BE(value, at);
      writeFileSync(log, bytes);
      const damage = inspectLog(log);
      assert.equal(damage.lostCommits, Number.POSITIVE_INFINITY, `${at} ${value}`);
      assert.match(damage.mark, /^[0-9a-f]{16}$/);
      truncateSync(log, 32);
      assert.equal(lost(log), 0);
    }
  });

  it('whose copy was interrupted by a kill is copied again', () => {
    const { log } = newLog();
    flip(log, 24);
    const file = log.replace(/-wal$/, '');
    // Left behind by a process that was killed during the copy.
    writeFileSync(`${log}.copying`, readFileSync(log).subarray(0, 1000));
    keepDamagedLog(file);
    const [kept = '', ...others] = listDamagedLogs(file);
    assert.deepEqual([readFileSync(kept), others], [readFileSync(log), []]);
    assert.deepEqual(
      readdirSync(dirname(log)).filter((name) => name.endsWith('.copying')),
      [],
    );
  });

  it('that cannot be copied completely leaves no copy that a later start would accept', () => {
    const { log } = newLog();
    flip(log, 24);
    const file = log.replace(/-wal$/, '');
    // Simulates a disk that fails during the copy.
    mkdirSync(`${log}.copying`);
    assert.throws(() => keepDamagedLog(file), StoreUnavailableError);
    assert.deepEqual(listDamagedLogs(file), []);
  });

  it('that is damaged is kept once when a server or command opens the store, which SQLite then recovers', async (t) => {
    const source = temporaryDir();
    const store = await openStoreFor(t, { dataDir: source });
    const put = (skuId: string) => putSku(store.offers, { accountId: 1, skuId, by: AUTHOR }, documentOf(), 1);
    await put('before');
    const dataDir = temporaryDir();
    const [from, file] = [databaseFile(source), databaseFile(dataDir)];
    const damagedAt = statSync(`${from}-wal`).size + 30;
    for (let n = 0; n < 5; n++) await put(`sku-${n}`);
    for (const end of ['', '-wal']) copyFileSync(`${from}${end}`, `${file}${end}`);
    flip(`${file}-wal`, damagedAt);
    const damaged = readFileSync(`${file}-wal`);
    const image = temporaryDir();
    for (const end of ['', '-wal']) copyFileSync(`${file}${end}`, `${databaseFile(image)}${end}`);

    await (await openSqliteSetupStore({ dataDir })).close();
    const [kept, ...others] = listDamagedLogs(file);
    assert.ok(kept !== undefined && others.length === 0, readdirSync(dataDir).join());
    assert.deepEqual(readFileSync(kept), damaged);
    const again = await openStoreFor(t, { dataDir });
    assert.equal(again.offers.readSkuState({ accountId: 1, skuId: 'before' }), 'open');
    assert.equal(again.offers.readSkuState({ accountId: 1, skuId: 'sku-4' }), 'unknown');
    assert.deepEqual(listDamagedLogs(file), [kept]);

    await openStoreFor(t, { dataDir: image });
    assert.equal(listDamagedLogs(databaseFile(image)).length, 1, 'a server also keeps it');
  });
});
