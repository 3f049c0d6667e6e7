/** Runs moves and copies on the embedded store, on the caller's thread and a separate connection. */
import { dirname } from 'node:path';
import { type Undoable, write } from '../../shared/command.ts';
import { TABLES } from '../../shared/moves/copy-store.ts';
import type { Counters, Moment, MoveEngine } from '../../shared/moves/engine.ts';
import { oneAfterTheOther } from '../../shared/slices.ts';
import type { WriteSql } from '../../shared/sql.ts';
import { type Connection, sqliteStatement, sqlOn } from '../engine/connection.ts';
import { closeConnection, openForReading, rethrown } from '../engine/engine.ts';
import { writeRunner } from '../engine/shared-commands.ts';
import { inTransaction, writeTransaction } from '../engine/transactions.ts';
import { WriteNumbers } from '../engine/write-numbers.ts';
import { wholeOffersOn } from './whole-offers.ts';

const READ_WRITES = sqliteStatement<[reserved: number]>('SELECT reserved FROM write_number');
const RAISE_WRITES = sqliteStatement<[]>('UPDATE write_number SET reserved = max(reserved, $1)');
const READ_ROWS = sqliteStatement<[table: string, last: number]>('SELECT name, seq FROM sqlite_sequence');
const RAISE_ROWS = sqliteStatement<[1]>('UPDATE sqlite_sequence SET seq = max(seq, $2) WHERE name = $1 RETURNING 1');
const START_ROWS = sqliteStatement<[]>('INSERT INTO sqlite_sequence (name, seq) VALUES ($1, $2)');

/** The highest numbers in use, which a copy continues from. */
const counters: Counters = {
  async read(sql) {
    const [written] = await sql.run(READ_WRITES);
    const last = new Map(await sql.run(READ_ROWS));
    const rows = Object.fromEntries(TABLES.map(({ name }) => [name, last.get(name) ?? 0]));
    return { writeNumber: written?.[0] ?? 0, orderMax: last.get('sku') ?? 0, rows };
  },
  /** `orderMax` needs no counter: inserting offers raises it. */
  async raise(sql, { writeNumber, rows }) {
    await sql.run(RAISE_WRITES, [writeNumber]);
    for (const { name, numberedBy } of TABLES) {
      const last = rows[name] ?? 0;
      if (numberedBy === undefined || last === 0) continue;
      if ((await sql.run(RAISE_ROWS, [name, last])).length === 0) await sql.run(START_ROWS, [name, last]);
    }
  },
};

/** Shared by all engines of the thread: SQLite blocks it while waiting for a lock, so waiting for its own transaction would never end. */
const inOrder = oneAfterTheOther();

export function createMoveEngine(file: string, connection: Connection): MoveEngine {
  // Overwrites erased data, so that neither the file nor a backup keeps a trace.
  connection.exec('PRAGMA secure_delete = ON');
  const numbers = new WriteNumbers(connection);
  const transaction = writeTransaction(connection, numbers);
  const runWrite = writeRunner(connection, numbers);
  const own = <T>(call: () => T | Promise<T>): Promise<T> => inOrder(call).catch(rethrown);
  return {
    name: `sqlite:${dirname(file)}`,
    sql: { run: (statement, values) => own(() => connection.run(statement, values)) },
    offers: wholeOffersOn(connection),
    counters,
    write: <T>(run: (sql: WriteSql) => Promise<Undoable<T>>) =>
      own(() => inTransaction(transaction, () => runWrite(write(run), []) as Promise<T>)),
    openMoment: async () => openMoment(file),
    close: () => closeConnection(connection),
  };
}

/** Opens a read transaction on its own connection. Writers continue. Until the transaction ends, the log cannot be truncated. */
function openMoment(file: string): Moment {
  try {
    const connection = openForReading(file);
    connection.exec('BEGIN');
    // The first read takes the snapshot, not BEGIN.
    connection.query<[number]>('SELECT version FROM setup_version').get();
    const sql = sqlOn(connection);
    return {
      sql: { run: (statement, values) => sql.run(statement, values).catch(rethrown) },
      close: () => closeConnection(connection),
    };
  } catch (error) {
    return rethrown(error);
  }
}
