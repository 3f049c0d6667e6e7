/**
 * Runs shared commands on SQLite. A server runs reads on the calling thread, scans and snapshots in the reader thread and writes
 * in the writer thread; the command line runs all of them on the calling thread.
 */
import type { CommandName, RunCommand } from '../../shared/aggregates.ts';
import { charactersIn } from '../../shared/call-sizes.ts';
import { type Command, type Mode, Undone } from '../../shared/command.ts';
import { oneAfterTheOther, slicesOf } from '../../shared/slices.ts';
import { SLICE_OFFERS_MAX } from '../review/review-writes.ts';
import type { Lane } from '../threads/thread-messages.ts';
import { type Connection, sqlOn, writeSqlOn } from './connection.ts';
import { rethrown } from './engine.ts';
import { inTransaction, readTransaction, writeTransaction } from './transactions.ts';
import { WriteNumbers } from './write-numbers.ts';

type Runner<M extends Mode> = (command: Command<M>, args: never[]) => Promise<unknown>;

/** The part of a store thread's client that shared commands use. */
interface CommandThread {
  call(name: CommandName, args: never[], characters: number, lane?: Lane): Promise<unknown>;
}

/** Returns the function with which a server runs commands. */
export function runCommandsOnThreads(connection: Connection, writer: CommandThread, reader: CommandThread): RunCommand {
  const sql = sqlOn(connection);
  return (command, args, name) => {
    if (command.mode === 'read') return command(sql, ...args).catch(rethrown);
    const thread = command.mode === 'write' ? writer : reader;
    const call = (own: never[], lane?: Lane) => thread.call(name, own, charactersIn(own), lane);
    const { slices, lane } = command;
    return slices === undefined ? call(args, lane) : inSlices(args, slices, (slice) => call(slice, 'background'));
  };
}

/**
 * Returns the function with which the command line runs commands: one at a time, because calls on one connection would share a transaction.
 */
export function runCommandsHere(connection: Connection): RunCommand {
  const inOrder = oneAfterTheOther();
  const numbers = new WriteNumbers(connection);
  const runWrite = writeRunner(connection, numbers);
  const runSnapshot = snapshotRunner(connection);
  const writing = writeTransaction(connection, numbers);
  return (command, args) =>
    inOrder(() =>
      command.mode === 'write' ? inTransaction(writing, () => runWrite(command, args)) : runSnapshot(command, args),
    ).catch(rethrown);
}

/**
 * Runs a write in a savepoint, so that undoing it keeps other writes of the transaction. If it throws, the whole transaction is
 * rolled back, savepoint included.
 */
export function writeRunner(connection: Connection, numbers: WriteNumbers): Runner<'write'> {
  const sql = writeSqlOn(connection, numbers);
  const begin = connection.query('SAVEPOINT command');
  const rollback = connection.query('ROLLBACK TO command');
  const release = connection.query('RELEASE command');
  return async (command, args) => {
    if (command.isKept) return command(sql, ...args);
    begin.run();
    const outcome = await command(sql, ...args);
    if (!(outcome instanceof Undone)) {
      release.run();
      return outcome;
    }
    rollback.run();
    release.run();
    // The command's reservation of sequence numbers was rolled back too.
    numbers.forget();
    return outcome.result;
  };
}

export function snapshotRunner(connection: Connection): Runner<'read' | 'scan' | 'snapshot'> {
  const sql = sqlOn(connection);
  const transaction = readTransaction(connection);
  return (command, args) => inTransaction(transaction, () => command(sql, ...args));
}

/** Returns the concatenated results of all slices. */
async function inSlices(args: readonly unknown[], index: number, call: (args: never[]) => Promise<unknown>) {
  const results: unknown[] = [];
  for (const slice of slicesOf(args[index] as readonly unknown[], SLICE_OFFERS_MAX)) {
    results.push(await call(args.with(index, slice) as never[]));
  }
  return results.flat();
}
