/**
 * Defines commands: store logic that both engines share, as async functions over `Sql`.
 *
 * The mode of a command says what it needs, and each adapter decides where it runs. On SQLite a statement settles in a
 * microtask, so a command finishes before its thread does anything else. A command must only wait for its statements, because
 * the writer thread waits for it.
 */
import { runOnly, type Sql, statement, type WriteSql } from './sql.ts';

export const READ_SETTINGS_VERSION = statement<[version: number]>('read settings version')`
  SELECT version FROM setup_version`;
const RAISE = statement<[]>('raise settings version')`UPDATE setup_version SET version = version + 1`;

/** Locks the single version row. Run first, so that the settings a change reads do not change until its transaction ends. */
export const raiseSettingsVersion: (sql: Sql) => Promise<void> = runOnly(RAISE);

export type Mode = 'read' | 'scan' | 'snapshot' | 'write';

/** A method of the port that a command implements. */
type Method = (...args: never[]) => Promise<unknown>;

type Run<M extends Mode, Args extends readonly unknown[], Result> = (
  sql: M extends 'write' ? WriteSql : Sql,
  ...args: Args
) => Promise<Result>;

type ReadRun<Of extends Method> = Run<'read', Parameters<Of>, Awaited<ReturnType<Of>>>;
type KeptRun<Of extends Method> = Run<'write', Parameters<Of>, Awaited<ReturnType<Of>>>;
type WriteRun<Of extends Method> = Run<'write', Parameters<Of>, Outcome<Awaited<ReturnType<Of>>>>;

/** Other commands can call a command with their own `sql`. */
export type Command<M extends Mode, Args extends readonly unknown[] = never[], Result = unknown> = Run<
  M,
  Args,
  Result
> &
  Needs & {
    readonly mode: M;
    /** A write whose result is never `undone`. */
    readonly isKept?: boolean;
  };

/** What the engines must know about a command, in addition to its mode. */
interface Needs {
  /** SQLite: `background` work yields to foreground calls (see lanes.ts). */
  readonly lane?: 'background';
  /** SQLite: the index of a list among the arguments. The command runs in slices of the list, in the background lane. */
  readonly slices?: number;
  /**
   * PostgreSQL: the command concerns distributed tables and the account of its first argument. It is refused immediately while the account's
   * Citus worker does not respond.
   */
  readonly account?: true;
  /**
   * PostgreSQL: `quick` runs on a shared connection, so that it does not wait behind writes that wait for row locks. `long` has rows that
   * take the request thread milliseconds. Few of them run at a time, so that other requests are served in between.
   */
  readonly gate?: 'quick' | 'long';
}

type Given<AnyRun> = readonly [run: AnyRun] | readonly [needs: Needs, run: AnyRun];

function commandOf<M extends Mode, AnyRun extends object>(mode: M, given: Given<AnyRun>, isKept = false) {
  const [needs, run] = given.length === 1 ? [{}, given[0]] : given;
  return Object.assign(run, { mode, isKept }, needs as Needs);
}

export type AnyCommand = Command<'read'> | Command<'scan'> | Command<'snapshot'> | Command<'write'>;

export function isCommand(exported: unknown): exported is AnyCommand {
  return typeof exported === 'function' && 'mode' in exported;
}

/** The store methods that the commands of a module provide. Editors jump from a method to its command. */
export type Methods<Module> = {
  readonly [Name in CommandNames<Module>]: Module[Name] extends Run<'write', infer Args, infer Result>
    ? (...args: Args) => Promise<Exclude<Result, Undone<unknown>>>
    : never;
};

export type CommandNames<Module> = {
  [Name in keyof Module]: Module[Name] extends { readonly mode: Mode } ? Name : never;
}[keyof Module];

/** The result of a write whose transaction is rolled back. */
export class Undone<T> {
  readonly result: T;

  constructor(result: T) {
    this.result = result;
  }
}

export type Outcome<T> = T | Undone<T>;

/** Ends a write with this result and rolls it back. */
export function undone<T>(result: T): Undone<T> {
  return new Undone(result);
}

/** A read of one statement. */
export function read<Of extends Method>(...given: Given<ReadRun<Of>>) {
  return commandOf('read', given);
}

/** A read that may read many rows. Its statements need not see the same state. */
export function scan<Of extends Method>(...given: Given<ReadRun<Of>>) {
  return commandOf('scan', given);
}

/** A read of several statements that see the same state. */
export function snapshot<Of extends Method>(...given: Given<ReadRun<Of>>) {
  return commandOf('snapshot', given);
}

/** A transaction. It stores nothing if it throws or its result is `undone`. */
export function write<Of extends Method>(...given: Given<WriteRun<Of>>) {
  return commandOf('write', given);
}

/**
 * A write whose result is never `undone`. It needs no savepoint on SQLite: with one, a list of 200 images to fetch takes 5.3 ms
 * of CPU time instead of 3.8 ms.
 */
export function keptWrite<Of extends Method>(...given: Given<KeptRun<Of>>) {
  return commandOf('write', given, true);
}

/**
 * A write of account settings, which servers cache: raises their version, unless it is undone. If other transactions can write too, the
 * version is raised first, because changes queue at the lock on its row. A sole writer raises it last, so that a change that is undone
 * writes nothing, and a server can start on a full disk.
 */
export function change<Of extends Method>(run: WriteRun<Of>) {
  return write<Of>((sql, ...args) => changing(sql, () => run(sql, ...args)));
}

/** Raises the version as `change` does, for a transaction that is not a command. */
export async function changing<Result>(sql: WriteSql, run: () => Promise<Result>): Promise<Result> {
  if (!sql.isSoleWriter) await raiseSettingsVersion(sql);
  const outcome = await run();
  if (sql.isSoleWriter && !(outcome instanceof Undone)) await raiseSettingsVersion(sql);
  return outcome;
}
