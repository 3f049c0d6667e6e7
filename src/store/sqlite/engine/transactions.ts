/** Runs transactions on one connection: writes that are all or nothing, and reads of one snapshot. */
import { statSync } from 'node:fs';
import { StoreUnavailableError } from '../../port/errors.ts';
import type { Connection } from './connection.ts';
import { RESTORE_ADVICE } from './engine.ts';
import type { WriteNumbers } from './write-numbers.ts';

export interface Transaction {
  begin(): void;
  commit(): void;
  /** Does nothing if SQLite has already rolled back, as it does on some failures. */
  rollback(): void;
}

/** The writes of the transaction share a sequence number. */
export function writeTransaction(connection: Connection, numbers: WriteNumbers): Transaction {
  // IMMEDIATE takes the write lock at the start: a transaction that reads first may fail to get it later.
  const { begin, commit, rollback } = transactionOf(connection, 'BEGIN IMMEDIATE');
  return {
    begin: () => {
      numbers.begin();
      begin();
    },
    commit,
    rollback: () => {
      numbers.forget();
      rollback();
    },
  };
}

/** A commit into a file that was deleted or replaced would succeed, and be lost when the file is closed: it is refused instead. */
export function intoNamedFile(file: string, transaction: Transaction): Transaction {
  const { ino } = statSync(file);
  return {
    ...transaction,
    commit() {
      if (statSync(file, { throwIfNoEntry: false })?.ino !== ino)
        throw new StoreUnavailableError(`The database file was deleted or replaced: ${RESTORE_ADVICE}.`);
      transaction.commit();
    },
  };
}

export function readTransaction(connection: Connection): Transaction {
  return transactionOf(connection, 'BEGIN');
}

function transactionOf(connection: Connection, beginning: string): Transaction {
  const begin = connection.query(beginning);
  const commit = connection.query('COMMIT');
  const rollback = connection.query('ROLLBACK');
  return {
    begin: () => void begin.run(),
    commit: () => void commit.run(),
    rollback: () => {
      if (connection.isTransaction) rollback.run();
    },
  };
}

export async function inTransaction<T>(transaction: Transaction, work: () => Promise<T>): Promise<T> {
  transaction.begin();
  try {
    const result = await work();
    transaction.commit();
    return result;
  } catch (error) {
    transaction.rollback();
    throw error;
  }
}
