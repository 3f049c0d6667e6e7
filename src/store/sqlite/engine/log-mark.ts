/**
 * Notices at the next start that the write-ahead log was truncated or removed, which SQLite cannot tell from an empty log.
 *
 * The file `offerbook.db-mark` has the reserved sequence number of a commit (write-numbers.ts) that was flushed before. If the database has
 * a lower one, it has lost that commit. Every log contains a reservation: the first commit of a process makes one, and the next commit
 * after SQLite has restarted the log. The mark is not flushed, so after a power failure it may be old, but never too new. It also has the
 * inode of the database: after a restore, or in a copy of the folder, it means nothing. See docs/decisions/0025-damaged-wal.md.
 */
import { existsSync, openSync, readFileSync, readSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { StoreUnavailableError } from '../../port/errors.ts';
import type { Connection } from './connection.ts';
import { createPrivateFile, markFile, reasonOf } from './data-dir.ts';
import type { Transaction } from './transactions.ts';
import type { WriteNumbers } from './write-numbers.ts';

/** Position of the salts in the header of the log. They change when SQLite restarts the log. */
const SALTS = Object.freeze({ position: 16, length: 8 });
const DIGITS = 20;

/** Writes the mark after commits. */
export function marking(file: string, connection: Connection, numbers: WriteNumbers, inner: Transaction): Transaction {
  createPrivateFile(markFile(file));
  const mark = openSync(markFile(file), 'r+');
  const log = openSync(`${file}-wal`, 'r');
  const { ino } = statSync(file);
  const readChanges = connection.query<[changes: number]>('SELECT total_changes()');
  const salts = Buffer.alloc(SALTS.length);
  const saltsBefore = Buffer.alloc(SALTS.length);
  let hasMark = false;
  let markedNumber = 0;
  let changesBefore = 0;
  return {
    ...inner,
    begin() {
      inner.begin();
      if (!hasMark) changesBefore = readChanges.get()?.[0] ?? 0;
    },
    commit() {
      // A transaction that changes nothing must work on a full disk.
      if (!hasMark && readChanges.get()?.[0] !== changesBefore) numbers.reserveAnew();
      inner.commit();
      const isReserved = numbers.reserved > markedNumber;
      try {
        if (isReserved) writeSync(mark, markOf(ino, numbers.reserved), 0);
        readSync(log, salts, 0, SALTS.length, SALTS.position);
      } catch {
        // The commit is stored. An old mark is safe, and the next commit tries again.
        hasMark = false;
        return;
      }
      hasMark = isReserved || (hasMark && salts.equals(saltsBefore));
      markedNumber = Math.max(markedNumber, numbers.reserved);
      salts.copy(saltsBefore);
    },
  };
}

/** All marks have the same length, because each overwrites the last one. */
function markOf(ino: number, number: number): string {
  return [ino, number].map((each) => String(each).padStart(DIGITS)).join(' ');
}

/** Leaves a note next to the database if it has lost the commit that the mark names. No server may be running. */
export function noteLostLog(connection: Connection, file: string): void {
  const mark = readMark(file);
  const reserved = connection.query<[number]>('SELECT reserved FROM write_number').get()?.[0] ?? 0;
  if (mark === undefined || mark.ino !== statSync(file).ino || mark.number <= reserved) return;
  const note = `${file}-wal.lost-${mark.number}`;
  const text =
    'The write-ahead log was truncated or removed: transactions that were acknowledged are missing from the database.\n';
  try {
    writeFileSync(note, text, { mode: 0o600, flush: true });
  } catch (error) {
    throw new StoreUnavailableError(`The file ${note} cannot be written: ${reasonOf(error)}.`, { cause: error });
  }
  rmSync(markFile(file));
}

function readMark(file: string): { readonly ino: number; readonly number: number } | undefined {
  if (!existsSync(markFile(file))) return undefined;
  const [, ino, number] = /^ *(\d+) +(\d+)$/.exec(readFileSync(markFile(file), 'utf8')) ?? [];
  return number === undefined ? undefined : { ino: Number(ino), number: Number(number) };
}
