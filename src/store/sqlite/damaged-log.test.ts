/** Tests of damaged-log.ts: commits behind damage are told apart from the end of a log that was cut off. */
import assert from 'node:assert/strict';
import { copyFileSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { AUTHOR, documentOf } from '../contract/subject.ts';
import { inspectLog, listDamagedLogs } from './damaged-log.ts';
import { databaseFile } from './data-dir.ts';
import { openForWriting, query } from './engine.ts';
import { openSqliteSetupStore } from './open.ts';
import { openStoreFor } from './testing/open-for.ts';
import { temporaryDir } from './testing/temporary-dir.ts';

const FRAME_BYTES = 24 + 16_384;
const placeOf = (frame: number) => 32 + frame * FRAME_BYTES;

/** A log of ten commits of two pages each, as a killed process leaves it. */
function newLog(commits = 10): { log: string; frames: number; restart: () => void } {
  const folder = temporaryDir();
  const file = join(folder, 'a.db');
  const connection = openForWriting(file);
  connection.exec('CREATE TABLE t (a TEXT); CREATE TABLE u (a TEXT)');
  query(connection, 'PRAGMA wal_checkpoint(RESTART)').get();
  const log = join(folder, 'copied-wal');
  const write = (times: number) => {
    for (let n = 0; n < times; n++) {
      connection.exec(`BEGIN; INSERT INTO t VALUES ('${n}'); INSERT INTO u VALUES ('${n}'); COMMIT`);
    }
    copyFileSync(`${file}-wal`, log);
  };
  write(commits);
  const restart = () => {
    query(connection, 'PRAGMA wal_checkpoint(RESTART)').get();
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
  it('that is whole, cut off anywhere, or written over from its beginning has lost nothing', () => {
    const { log, frames, restart } = newLog();
    assert.equal(lost(log), 0);
    for (const bytes of [placeOf(frames) - 1, placeOf(7) + 100, placeOf(7), 40, 32, 10, 0]) {
      truncateSync(log, bytes);
      assert.equal(lost(log), 0, `${bytes}`);
    }
    restart();
    assert.ok(statSync(log).size > placeOf(4), 'frames of the log before it stand behind it');
    assert.equal(lost(log), 0);
  });

  it('that is damaged has lost the commits from there on', () => {
    for (const [at, commits] of [
      [5, 10],
      [24, 10],
      [placeOf(0) + 5_000, 10],
      [placeOf(7) + 20, 7],
      [placeOf(10) + 12, 5],
      [placeOf(17) + 24, 2],
      // Of the last transaction: as one that was cut off by a power failure.
      [placeOf(18) + 24, 1],
    ] as const) {
      const { log } = newLog();
      flip(log, at);
      assert.equal(lost(log), commits, `${at}`);
    }
  });

  it('that is damaged is kept once when the store is opened, by a command too, and the store is what SQLite makes of it', async (t) => {
    const source = temporaryDir();
    const store = await openStoreFor(t, { dataDir: source });
    const put = (skuId: string) => store.putSku({ accountId: 1, skuId, by: AUTHOR }, documentOf(), 1);
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
    assert.equal(again.readSkuState({ accountId: 1, skuId: 'before' }), 'open');
    assert.equal(again.readSkuState({ accountId: 1, skuId: 'sku-4' }), 'unknown');
    assert.deepEqual(listDamagedLogs(file), [kept]);

    await openStoreFor(t, { dataDir: image });
    assert.equal(listDamagedLogs(databaseFile(image)).length, 1, 'a server keeps it, too');
  });
});
