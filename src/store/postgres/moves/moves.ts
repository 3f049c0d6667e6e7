/** Provides PostgreSQL to moves and copies, with its own connections and time limits, whether or not a server runs. */

import { COPIED_TABLES } from '../../port/copied-tables.ts';
import { READ_SETTINGS_VERSION } from '../../shared/command.ts';
import type { Counters, Moment, MoveEngine } from '../../shared/moves/engine.ts';
import { type Sql, STORE_MS, statement } from '../../shared/sql.ts';
import { type Connection, type DatabaseOptions, openDatabase } from '../engine/engine.ts';
import { inWriteTransaction } from '../engine/shared-commands.ts';
import { PLACES, uploadOrder } from '../engine/write-numbers.ts';
import { eraseOffers } from './erasures.ts';
import { wholeOffers } from './whole-offers.ts';

/** Null if nothing was drawn yet. */
const READ_WRITES = statement<[number | null]>(
  'copy read write number',
  `SELECT pg_sequence_last_value('write_number'::regclass)`,
);
const READ_ROWS = statement<[number | null]>(
  'copy read row number',
  'SELECT pg_sequence_last_value(pg_get_serial_sequence($1, $2)::regclass)',
);
/** Sequences are not transactional: they are raised, never lowered. */
const RAISE_WRITES = statement<[number]>(
  'copy raise write number',
  `SELECT setval('write_number', $1) WHERE $1 > coalesce(pg_sequence_last_value('write_number'::regclass), 0)`,
);
const RAISE_ROWS = statement<[number]>(
  'copy raise row number',
  `SELECT setval(pg_get_serial_sequence($1, $2), $3)
   WHERE $3 > coalesce(pg_sequence_last_value(pg_get_serial_sequence($1, $2)::regclass), 0)`,
);

const NUMBERED = COPIED_TABLES.flatMap((table) => {
  return 'numberedBy' in table ? [[table.name, table.numberedBy] as const] : [];
});

const counters: Counters = {
  async read(sql) {
    const [written] = await sql.run(READ_WRITES);
    const writeNumber = written?.[0] ?? 0;
    const rows: Record<string, number> = {};
    for (const [table, column] of NUMBERED) {
      const [last] = await sql.run(READ_ROWS, [table, column]);
      rows[table] = last?.[0] ?? 0;
    }
    return { writeNumber, orderMax: uploadOrder(writeNumber, PLACES - 1), rows };
  },
  async raise(sql, { writeNumber, orderMax, rows }) {
    // The upload order derives from the number: the next one must be higher than all that exist.
    await sql.run(RAISE_WRITES, [Math.max(writeNumber, Math.ceil(orderMax / PLACES))]);
    for (const [table, column] of NUMBERED) await sql.run(RAISE_ROWS, [table, column, rows[table] ?? 0]);
  },
};

/** Generous, since no request waits. */
const LIMITS = { connections_max: 2, call_ms_max: 120_000, statement_ms_max: 60_000, lock_ms_max: 30_000 };
/** Time limit of a snapshot: 1,000,000 offers take a minute, a slow pipe much longer. */
const OPEN_MS_MAX = 86_400_000;

const NOW = statement<[nowMs: number]>('read time', `SELECT ${STORE_MS}`);
/** Does not block other imports into the account. */
const HOLD_ACCOUNT = statement<[1]>('hold account', 'SELECT 1 FROM account WHERE account_id = $1 FOR KEY SHARE');
/** Reaches every Citus node, each of which takes its snapshot with the first statement. */
const REACH_ALL_NODES = statement<[1]>('reach all nodes', 'SELECT 1 FROM offer LIMIT 1');

export function createMoveEngine({ url }: Pick<DatabaseOptions, 'url'>): MoveEngine {
  const options = { url, ...LIMITS };
  const database = openDatabase(options);
  return {
    name: nameOf(url),
    sql: database,
    offers: wholeOffers,
    counters,
    write: (work) => inWriteTransaction(database, work),
    openMoment: async () => {
      // Fails fast without a database: a snapshot waits long for its connection.
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
 * Opens a read transaction on a connection of its own. Writers continue, but old row versions are kept until it is closed. On Citus
 * each node has its own snapshot, taken during this call; an account is on one node.
 */
async function openMoment(options: DatabaseOptions): Promise<Moment> {
  const database = openDatabase({ ...options, connections_max: 1, call_ms_max: OPEN_MS_MAX });
  const opened = Promise.withResolvers<Connection>();
  const closing = Promise.withResolvers<void>();
  const reading = database.inTransaction(
    async (connection) => {
      // The first statement takes the snapshot, not BEGIN.
      await connection.run(READ_SETTINGS_VERSION);
      await connection.run(REACH_ALL_NODES);
      opened.resolve(connection);
      await closing.promise;
    },
    { isolation: 'repeatable read', readOnly: true },
  );
  // Nothing is written, so its end matters only to the caller that waits for its start.
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
