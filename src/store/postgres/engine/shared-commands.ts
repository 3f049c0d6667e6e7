/** Runs shared commands on PostgreSQL: reads and scans on the pool, snapshots and writes in a transaction each. */
import type { RunCommand } from '../../shared/aggregates.ts';
import { type Outcome, Undone } from '../../shared/command.ts';
import { type Sql, statement, type WriteSql } from '../../shared/sql.ts';
import type { Database } from './engine.ts';
import { CallQueue } from './waiting-calls.ts';
import { drawNumber } from './write-numbers.ts';

/** More than one, so that a command that hangs does not delay those of other accounts. */
const LONG_QUEUE = Object.freeze({
  running_max: 4,
  waiting_calls_max: 1_000,
  waiting_characters_max: Number.POSITIVE_INFINITY,
});

/** Reads the time after the lock is acquired. */
const LOCK = statement<[nowMs: number]>('lock for a command')`
  SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint FROM pg_advisory_xact_lock($1)`;

export function runCommandsOn(database: Database): RunCommand {
  const quick: Sql = { run: (statement, values) => database.readQuickly(statement, values) };
  const long = new CallQueue(LONG_QUEUE, database.call_ms_max);
  return (command, args) => {
    const run = (sql: Sql) => command(writeSql(sql), ...args);
    if (command.mode === 'read' || command.mode === 'scan') return run(command.gate === 'quick' ? quick : database);
    const accountId = command.account ? accountIn(args) : undefined;
    if (command.mode === 'snapshot') {
      const options = { isolation: 'repeatable read', readOnly: true, accountId } as const;
      const read = () => database.inTransaction(run, options);
      return command.gate === 'long' ? long.run(0, read) : read();
    }
    return inWriteTransaction(database, (sql) => command(sql, ...args), accountId);
  };
}

function accountIn([first]: readonly unknown[]): number | undefined {
  if (typeof first === 'number') return first;
  return (first as { readonly accountId?: number } | undefined)?.accountId;
}

function writeSql(sql: Sql): WriteSql {
  return {
    run: (statement, values) => sql.run(statement, values),
    drawNumber: () => drawNumber(sql),
    isSoleWriter: false,
    lock: async (key) => (await sql.run(LOCK, [key]))[0]?.[0] ?? 0,
  };
}

/** Runs a write in a transaction, which is rolled back if the result is `Undone`. */
export async function inWriteTransaction<T>(
  database: Database,
  work: (sql: WriteSql) => Promise<Outcome<T>>,
  accountId?: number,
): Promise<T> {
  try {
    return await database.inTransaction(
      async (connection) => {
        const outcome = await work(writeSql(connection));
        if (outcome instanceof Undone) throw outcome;
        return outcome;
      },
      { accountId },
    );
  } catch (error) {
    if (error instanceof Undone) return error.result;
    throw error;
  }
}
