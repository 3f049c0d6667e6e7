/** The embedded store as moves and copies use it: on the thread of the caller, on a connection of its own. */

import { dirname } from 'node:path';
import { type Outcome, write } from '../../shared/command.ts';
import type { Moment, MoveEngine } from '../../shared/moves/engine.ts';
import type { Sql, WriteSql } from '../../shared/sql.ts';
import { type Connection, openForReading, query, storeError } from '../engine/engine.ts';
import { oneAfterTheOther, writeRunner } from '../engine/shared-commands.ts';
import { runStatement, sqlOn } from '../engine/sql.ts';
import { inTransaction, writeTransaction } from '../engine/transactions.ts';
import { numbered, WriteNumbers } from '../engine/write-numbers.ts';
import { ReviewMarks } from '../review/review-marks.ts';
import { copiedCounters } from './copied-counters.ts';
import { OfferErasure } from './erasures.ts';
import { wholeOffersOn } from './whole-offers.ts';

/**
 * For all engines of the thread: SQLite waits for a lock by blocking the thread, and would wait in vain for a transaction
 * that another engine has begun there.
 */
const inOrder = oneAfterTheOther();

export function createMoveEngine(file: string, connection: Connection): MoveEngine {
  // What is erased is overwritten, so that neither the file nor a backup of it keeps a trace.
  connection.exec('PRAGMA secure_delete = ON');
  const numbers = new WriteNumbers(connection);
  const transaction = numbered(writeTransaction(connection), numbers);
  const runWrite = writeRunner(connection, numbers);
  const erasure = new OfferErasure(connection, new ReviewMarks(connection, numbers));
  const own = <T>(call: () => T | Promise<T>): Promise<T> => inOrder(call).catch(rethrown);
  const engine: MoveEngine = {
    name: `sqlite:${dirname(file)}`,
    sql: { run: (statement, values) => own(() => runStatement(connection, statement, values)) },
    offers: wholeOffersOn(connection),
    counters: copiedCounters,
    write: <T>(run: (sql: WriteSql) => Promise<Outcome<T>>) =>
      own(() => inTransaction(transaction, () => runWrite(write(run), []) as Promise<T>)),
    openMoment: async () => openMoment(file),
    readNowMs: async () => Date.now(),
    holdAccount: async () => true,
    eraseOffers: (accountId, upTo, slice_ms_max, permit) =>
      engine.write(async (sql) => {
        await permit(sql);
        return erasure.erase(accountId, upTo, slice_ms_max);
      }),
    close: async () => {
      if (connection.isOpen) connection.close();
    },
  };
  return engine;
}

/** A read transaction that stays open on a connection of its own. Writers go on; the log is not cut back until it is closed. */
function openMoment(file: string): Moment {
  try {
    const connection = openForReading(file);
    connection.exec('BEGIN');
    // The first read takes the moment, not BEGIN.
    query<[number]>(connection, 'SELECT version FROM setup_version').get();
    const close = async () => {
      if (connection.isOpen) connection.close();
    };
    return { sql: checked(sqlOn(connection)), close };
  } catch (error) {
    return rethrown(error);
  }
}

function checked(sql: Sql): Sql {
  return { run: (statement, values) => sql.run(statement, values).catch(rethrown) };
}

function rethrown(error: unknown): never {
  throw storeError(error);
}
