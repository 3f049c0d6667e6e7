/** Runs shared commands on PostgreSQL: reads and scans on the pool, snapshots and writes in a transaction each. */
import type { RunCommand } from '../../shared/aggregates.ts';
import { charactersIn } from '../../shared/call-sizes.ts';
import { type Undoable, Undone } from '../../shared/command.ts';
import { type Sql, statement, type WriteSql } from '../../shared/sql.ts';
import type { Database } from './engine.ts';
import type { CallQueue } from './waiting-calls.ts';
import { drawNumber } from './write-numbers.ts';

/** Reads the time after the lock is acquired. */
const LOCK = statement<[nowMs: number]>('lock for a command')`
  SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint FROM pg_advisory_xact_lock($1)`;

/** Commands with the gate `long` wait in `lists`; the command line, which has no requests to delay, omits it. */
export function runCommandsOn(database: Database, lists?: CallQueue): RunCommand {
  const quick: Sql = { run: (statement, values) => database.readQuickly(statement, values) };
  return (command, args) => {
    const run = (sql: Sql) => command(writeSql(sql), ...args);
    const accountId = command.account ? accountIn(args) : undefined;
    if (command.mode === 'write') return inWriteTransaction(database, (sql) => command(sql, ...args), accountId);
    const options = { isolation: 'repeatable read', readOnly: true, accountId } as const;
    const read = () => {
      if (command.mode === 'snapshot') return database.inTransaction(run, options);
      return run(command.gate === 'quick' ? quick : database);
    };
    if (command.gate !== 'long' || lists === undefined) return read();
    return lists.run(accountIn(args) ?? 0, charactersIn(args), read);
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
  work: (sql: WriteSql) => Promise<Undoable<T>>,
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
