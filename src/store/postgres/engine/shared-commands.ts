/** Runs shared commands on PostgreSQL: reads on the pool, snapshots and writes in a transaction of their own. */
import type { CommandName, RunCommand } from '../../shared/aggregates.ts';
import { type Outcome, Undone } from '../../shared/command.ts';
import { type Sql, statement, type WriteSql } from '../../shared/sql.ts';
import type { Database } from './engine.ts';
import { drawNumber } from './write-numbers.ts';

/**
 * Reads that share a connection with each other, so that they do not wait behind writes that wait for rows. Servers read
 * the version several times a second.
 */
const QUICK: ReadonlySet<CommandName> = new Set<CommandName>(['settings.readSetupVersion', 'files.readFile']);

/** The time is read when the lock is there. */
const LOCK = statement<[nowMs: number]>(
  'lock for a command',
  'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint FROM pg_advisory_xact_lock($1)',
);

export function runCommandsOn(database: Database): RunCommand {
  const quick: Sql = { run: (statement, values) => database.readQuickly(statement, values) };
  return (command, name, args) => {
    const run = (sql: Sql) => command(writeSql(sql), ...args);
    if (command.mode === 'read') return run(QUICK.has(name) ? quick : database);
    if (command.mode === 'snapshot') {
      return database.inTransaction(run, { isolation: 'repeatable read', readOnly: true });
    }
    return inWriteTransaction(database, (sql) => command(sql, ...args));
  };
}

function writeSql(sql: Sql): WriteSql {
  return {
    run: (statement, values) => sql.run(statement, values),
    drawNumber: () => drawNumber(sql),
    isSoleWriter: false,
    lock: async (key) => (await sql.run(LOCK, [key]))[0]?.[0] ?? 0,
  };
}

/** Rolls back where the result is `Undone`. */
export async function inWriteTransaction<T>(
  database: Database,
  work: (sql: WriteSql) => Promise<Outcome<T>>,
): Promise<T> {
  try {
    return await database.inTransaction(async (connection) => {
      const outcome = await work(writeSql(connection));
      if (outcome instanceof Undone) throw outcome;
      return outcome;
    });
  } catch (error) {
    if (error instanceof Undone) return error.result;
    throw error;
  }
}
