/** Runs moves and copies on PostgreSQL, with separate connections and timeouts, whether or not a server runs. */
import { DAY_MS } from '../../../domain/vocabulary/iso-time.ts';
import { READ_SETTINGS_VERSION } from '../../shared/command.ts';
import { TABLES } from '../../shared/moves/copy-store.ts';
import type { Counters, Moment, MoveEngine } from '../../shared/moves/engine.ts';
import { type Sql, statement } from '../../shared/sql.ts';
import { type Connection, type DatabaseOptions, openDatabase } from '../engine/engine.ts';
import { inWriteTransaction } from '../engine/shared-commands.ts';
import { PLACES, uploadOrder } from '../engine/write-numbers.ts';
import { wholeOffers } from './whole-offers.ts';

/** The sequence of a column, or the sequence of write numbers if no table is given. */
const SEQUENCE = `coalesce(pg_get_serial_sequence($1, $2), 'write_number')::regclass`;
const READ_SEQUENCE = statement<[number]>('copy read row number')`
  SELECT coalesce(pg_sequence_last_value(${SEQUENCE}), 0)`;
/** Sequences are not transactional: they are raised, never lowered. */
const RAISE_SEQUENCE = statement<[number]>('copy raise row number')`
  SELECT setval(${SEQUENCE}, $3) WHERE $3 > coalesce(pg_sequence_last_value(${SEQUENCE}), 0)`;
const WRITES = [null, null];

const NUMBERED = TABLES.flatMap(({ name, numberedBy }) =>
  numberedBy === undefined ? [] : [[name, numberedBy] as const],
);

const counters: Counters = {
  async read(sql) {
    const read = async (sequence: readonly unknown[]) => (await sql.run(READ_SEQUENCE, sequence))[0]?.[0] ?? 0;
    const writeNumber = await read(WRITES);
    const rows: Record<string, number> = {};
    for (const [table, column] of NUMBERED) rows[table] = await read([table, column]);
    return { writeNumber, orderMax: uploadOrder(writeNumber, PLACES - 1), rows };
  },
  async raise(sql, { writeNumber, orderMax, rows }) {
    // The upload order is derived from the number, so the next number must give a higher order than any existing offer has.
    await sql.run(RAISE_SEQUENCE, [...WRITES, Math.max(writeNumber, Math.ceil(orderMax / PLACES))]);
    for (const [table, column] of NUMBERED) await sql.run(RAISE_SEQUENCE, [table, column, rows[table] ?? 0]);
  },
};

/** Generous timeouts, because no request waits for a move. */
const LIMITS = { connections_max: 2, call_ms_max: 120_000, statement_ms_max: 60_000, lock_ms_max: 30_000 };
/** Timeout of a snapshot: reading 1,000,000 offers takes a minute, or much longer if the output is a slow pipe. */
const OPEN_MS_MAX = DAY_MS;

/** Reaches every Citus node, because each node takes its snapshot with its first statement. */
const REACH_ALL_NODES = statement<[1]>('reach all nodes')`SELECT 1 FROM offer LIMIT 1`;

/** Has no gates for workers: a move that does not reach one fails, and can be repeated. */
export function createMoveEngine({ url, workers = 0, splitsWrites = workers > 0 }: DatabaseOptions): MoveEngine {
  const options = { url, splitsWrites, ...LIMITS };
  const database = openDatabase(options);
  return {
    name: `postgres://${database.address}`,
    sql: database,
    offers: wholeOffers,
    counters,
    write: (work) => inWriteTransaction(database, work),
    openMoment: async () => {
      // Fails fast if there is no database: opening a snapshot waits long for its connection.
      await database.run(READ_SETTINGS_VERSION);
      return openMoment(options);
    },
    close: () => database.close(),
  };
}

/**
 * Opens a read transaction on its own connection. Writers continue, but old row versions are kept until it is closed. On Citus
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
  // Nothing is written, so a failure matters only to the caller that waits for the start.
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
