/**
 * Runs shared commands on SQLite. In a server reads are on the calling thread, snapshots in the reader thread and writes
 * in the writer thread; on the command line all of them are on the calling thread.
 */
import type { CommandName, RunCommand } from '../../shared/aggregates.ts';
import { type Command, type Mode, Undone } from '../../shared/command.ts';
import { slicesOf } from '../review/review-writes.ts';
import { type Connection, query, storeError } from './engine.ts';
import { sqlOn, writeSqlOn } from './sql.ts';
import { inTransaction, readTransaction, writeTransaction } from './transactions.ts';
import { numbered, WriteNumbers } from './write-numbers.ts';

/** Background work, which goes behind the calls that people wait for (see lanes.ts). */
const IN_BACKGROUND: ReadonlySet<CommandName> = new Set([
  'people.dropEndedSessions',
  'people.dropActsBefore',
  'traffic.dropRequestCounts',
  'images.lookForImages',
  'images.forgetWaiting',
  'images.dropUnusedImages',
]);

/** Background work with a list, by the place of the list among the arguments. It goes in slices, between calls of people. */
const IN_SLICES: ReadonlyMap<CommandName, number> = new Map<CommandName, number>([
  ['catalog.addProducts', 1],
  ['catalog.noteCatalogUsers', 1],
  ['catalog.forgetCatalogUsers', 0],
  ['catalog.settleCatalogNews', 1],
  ['images.wantImages', 0],
  ['images.noteImageUsers', 0],
  ['images.forgetImageUsers', 0],
]);

type Runner<M extends Mode> = (command: Command<M>, args: never[]) => Promise<unknown>;

/** A client of a store thread, as far as shared commands use it. */
interface CommandThread {
  call(name: CommandName, args: never[], characters: number): Promise<unknown>;
  /** In the second lane. */
  callBehind(name: CommandName, args: never[], characters: number): Promise<unknown>;
}

/** For a server. */
export function runCommandsOnThreads(
  connection: Connection,
  writer: CommandThread,
  scanner: CommandThread,
): RunCommand {
  const sql = sqlOn(connection);
  return (command, name, args) => {
    if (command.mode === 'read') return command(sql, ...args).catch(rethrown);
    const list = IN_SLICES.get(name);
    if (list !== undefined) return inSlices(args, list, (some) => writer.callBehind(name, some, charactersIn(some)));
    const lane = IN_BACKGROUND.has(name) ? 'callBehind' : 'call';
    const thread = command.mode === 'write' ? writer : scanner;
    return thread[lane](name, args, charactersIn(args));
  };
}

/**
 * For the command line. Calls run one after the other, because statements of two calls on one connection would share a
 * transaction.
 */
export function runCommandsHere(connection: Connection, inOrder: InOrder): RunCommand {
  const numbers = new WriteNumbers(connection);
  const runWrite = writeRunner(connection, numbers);
  const runSnapshot = snapshotRunner(connection);
  const writing = numbered(writeTransaction(connection), numbers);
  return (command, _name, args) =>
    inOrder(() =>
      command.mode === 'write' ? inTransaction(writing, () => runWrite(command, args)) : runSnapshot(command, args),
    ).catch(rethrown);
}

type InOrder = <T>(work: () => T | Promise<T>) => Promise<T>;

export function oneAfterTheOther(): InOrder {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work, work);
    last = next;
    return next;
  };
}

/**
 * In a savepoint, so that the writes of others in the transaction stay when this one is undone. One that throws leaves
 * the savepoint to the transaction, which is rolled back as a whole.
 */
export function writeRunner(connection: Connection, numbers: WriteNumbers): Runner<'write'> {
  const sql = writeSqlOn(connection, numbers);
  const begin = query(connection, 'SAVEPOINT command');
  const rollback = query(connection, 'ROLLBACK TO command');
  const release = query(connection, 'RELEASE command');
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
    // The numbers that it reserved were given back.
    numbers.forget();
    return outcome.result;
  };
}

export function snapshotRunner(connection: Connection): Runner<'read' | 'snapshot'> {
  const sql = sqlOn(connection);
  const transaction = readTransaction(connection);
  return (command, args) => inTransaction(transaction, () => command(sql, ...args));
}

/** Returns the results of all slices together, where they are lists. */
async function inSlices(
  args: readonly unknown[],
  place: number,
  call: (args: never[]) => Promise<unknown>,
): Promise<unknown> {
  const results: unknown[] = [];
  for (const slice of slicesOf(args[place] as readonly unknown[])) {
    results.push(await call(args.with(place, slice) as never[]));
  }
  return results.flat();
}

/** By which a call to a thread is measured. */
export function charactersIn(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  const parts: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  let sum = 0;
  // Without an iterator, because every hot write passes here.
  for (let place = 0; place < parts.length; place++) {
    const part = parts[place];
    sum += typeof part === 'string' ? part.length : typeof part === 'object' ? charactersIn(part) : 0;
  }
  return sum;
}

function rethrown(error: unknown): never {
  throw storeError(error);
}
