/** Transactions of one connection: a write that is all or nothing, and a read of several statements. */
import { type Connection, query } from './engine.ts';

export interface Transaction {
  begin(): void;
  commit(): void;
  /** Does nothing where SQLite has already rolled back by itself, as it does on some failures. */
  rollback(): void;
}

export function writeTransaction(connection: Connection): Transaction {
  // IMMEDIATE takes the write lock at once: a transaction that reads first and asks for it later may be refused it.
  return transactionOf(connection, 'BEGIN IMMEDIATE');
}

/** All its statements see the same state of the database. */
export function readTransaction(connection: Connection): Transaction {
  return transactionOf(connection, 'BEGIN');
}

function transactionOf(connection: Connection, beginning: string): Transaction {
  const begin = query(connection, beginning);
  const commit = query(connection, 'COMMIT');
  const rollback = query(connection, 'ROLLBACK');
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

export function inWriteTransaction<T>(connection: Connection, work: () => T): T {
  connection.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    connection.exec('COMMIT');
    return result;
  } catch (error) {
    if (connection.isTransaction) connection.exec('ROLLBACK');
    throw error;
  }
}
