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
type WriteRun<Of extends Method> = Run<'write', Parameters<Of>, Undoable<Awaited<ReturnType<Of>>>>;

/** Other commands can call a command with their own `sql`. */
export type Command<M extends Mode, Args extends readonly unknown[] = never[], Result = unknown> = Run<
  M,
  Args,
  Result
> &
  CommandOptions & {
    readonly mode: M;
    /** A write whose result is never `undone`. */
    readonly isKept?: boolean;
  };

/** What the engines must know about a command, in addition to its mode. */
interface CommandOptions {
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
   * PostgreSQL: `quick` runs on a shared connection, so that it does not wait behind writes that wait for row locks. `long` has so many
   * rows that reading them delays other requests. It needs the account as first argument: few run at a time, one of each account.
   */
  readonly gate?: 'quick' | 'long';
}

type Definition<AnyRun> = readonly [run: AnyRun] | readonly [options: CommandOptions, run: AnyRun];

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

export type Undoable<T> = T | Undone<T>;

/** Ends a write with this result and rolls it back. */
export function undone<T>(result: T): Undone<T> {
  return new Undone(result);
}

/** Returns the kinds of commands. `common`: the options of all commands of a module. */
export function commandsWith(common: CommandOptions) {
  function commandOf<M extends Mode, AnyRun extends object>(mode: M, definition: Definition<AnyRun>, isKept = false) {
    const [options, run] = definition.length === 1 ? [{}, definition[0]] : definition;
    return Object.assign(run, { mode, isKept }, common, options as CommandOptions);
  }
  return {
    /** A read of one statement. */
    read: <Of extends Method>(...definition: Definition<ReadRun<Of>>) => commandOf('read', definition),
    /** A read that may read many rows. Its statements need not see the same state. */
    scan: <Of extends Method>(...definition: Definition<ReadRun<Of>>) => commandOf('scan', definition),
    /** A read of several statements that see the same state. */
    snapshot: <Of extends Method>(...definition: Definition<ReadRun<Of>>) => commandOf('snapshot', definition),
    /** A transaction. It stores nothing if it throws or its result is `undone`. */
    write: <Of extends Method>(...definition: Definition<WriteRun<Of>>) => commandOf('write', definition),
    /**
     * A write whose result is never `undone`. It needs no savepoint on SQLite: with one, a list of 200 images to fetch takes 5.3 ms
     * of CPU time instead of 3.8 ms.
     */
    keptWrite: <Of extends Method>(...definition: Definition<KeptRun<Of>>) => commandOf('write', definition, true),
  };
}

export const { read, scan, snapshot, write, keptWrite } = commandsWith({});

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
