/** PostgreSQL as moves and copies use it: with connections and time limits of their own, alongside servers or without one. */
import { Undone } from '../../shared/command.ts';
import type { Moment, MoveEngine } from '../../shared/moves/engine.ts';
import { READ_SETTINGS_VERSION } from '../../shared/settings-version.ts';
import { type Sql, STORE_MS, statement } from '../../shared/sql.ts';
import { type Connection, type DatabaseOptions, openDatabase } from '../engine/engine.ts';
import { writeSql } from '../engine/shared-commands.ts';
import { inWriteTransaction, kept, undone } from '../engine/transactions.ts';
import { copiedCounters } from './copied-counters.ts';
import { eraseOffers } from './erasures.ts';
import { wholeOffers } from './whole-offers.ts';

/** No request waits: a slice may take its time, and a slow disk is no reason to give up. */
const LIMITS = { connections_max: 2, call_ms_max: 120_000, statement_ms_max: 60_000, lock_ms_max: 30_000 };
/** How long a moment may be read from: 1,000,000 offers take a minute, and a slow pipe much longer. */
const OPEN_MS_MAX = 86_400_000;

const NOW = statement<[nowMs: number]>('read time', `SELECT ${STORE_MS}`);
/** Other imports into the account go on. */
const HOLD_ACCOUNT = statement<[1]>('hold account', 'SELECT 1 FROM account WHERE account_id = $1 FOR KEY SHARE');
/** Reaches every node of a Citus, each of which takes its own moment with the first statement that it gets. */
const REACH_ALL_NODES = statement<[1]>('reach all nodes', 'SELECT 1 FROM offer LIMIT 1');

/** Limits of calls that requests wait for do not count here. */
export function createMoveEngine({ url }: Pick<DatabaseOptions, 'url'>): MoveEngine {
  const options = { url, ...LIMITS };
  const database = openDatabase(options);
  return {
    name: nameOf(url),
    sql: database,
    offers: wholeOffers,
    counters: copiedCounters,
    write: (work) =>
      inWriteTransaction(database, async (connection) => {
        const outcome = await work(writeSql(connection));
        return outcome instanceof Undone ? undone(outcome.result) : kept(outcome);
      }),
    openMoment: async () => {
      // A moment waits long for its connection: whether there is a database is asked first, where a call does not.
      await database.run(READ_SETTINGS_VERSION);
      return openMoment(options);
    },
    readNowMs: async (sql) => (await sql.run(NOW))[0]?.[0] ?? 0,
    holdAccount: async (sql, accountId) => (await sql.run(HOLD_ACCOUNT, [accountId])).length > 0,
    eraseOffers: (accountId, upTo, slice_ms_max, permit) =>
      eraseOffers(database, { accountId, upTo, permit }, slice_ms_max),
    close: () => database.close(),
  };
}

/**
 * A read transaction that stays open on a connection of its own. Writers go on; what they replace is not cleaned up until it
 * is closed. On Citus each node has a moment of its own, all of them between the call and its answer: an account is on one
 * node, and so is of one moment.
 */
async function openMoment(options: DatabaseOptions): Promise<Moment> {
  const database = openDatabase({ ...options, connections_max: 1, call_ms_max: OPEN_MS_MAX });
  const opened = Promise.withResolvers<Connection>();
  const closing = Promise.withResolvers<void>();
  const reading = database.inTransaction(
    async (connection) => {
      // The first statement takes the moment, not BEGIN.
      await connection.run(READ_SETTINGS_VERSION);
      await connection.run(REACH_ALL_NODES);
      opened.resolve(connection);
      await closing.promise;
    },
    { isolation: 'repeatable read', readOnly: true },
  );
  // Nothing was written: how the transaction ends matters only to those who wait for its start.
  const ended = reading.catch(opened.reject);
  const close = async () => {
    closing.resolve();
    await ended;
    await database.close();
  };
  try {
    const sql: Sql = await opened.promise;
    return { sql, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Without user and password. */
function nameOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `postgres://${host}${pathname}`;
}
