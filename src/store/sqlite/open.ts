/** In charge of opening the SQLite store: its files, its tables, its threads. */
import type { CatalogClient } from '../port/catalog.ts';
import type { CopyStore } from '../port/copy.ts';
import type { StoreUnavailableError } from '../port/errors.ts';
import type { MoveStore } from '../port/moves.ts';
import type { SetupStore, Store } from '../port.ts';
import { methodsOf, type RunCommand, setupMethods } from '../shared/aggregates.ts';
import { createCopyStore, READ_COPY_MARK, refuseUnfinishedCopy } from '../shared/moves/copy-store.ts';
import { createMoveStore } from '../shared/moves/move-store.ts';
import { keepDamagedLog } from './engine/damaged-log.ts';
import { createDatabaseFile, databaseFile } from './engine/data-dir.ts';
import { type Connection, openForReading, openForWriting, storeError, type WriteOptions } from './engine/engine.ts';
import { isDataDirLocked, lockDataDir } from './engine/lock.ts';
import { isOutdated, migrate } from './engine/migrations.ts';
import { oneAfterTheOther, runCommandsHere } from './engine/shared-commands.ts';
import { runStatement } from './engine/sql.ts';
import { createMoveEngine } from './moves/moves.ts';
import { MIGRATIONS } from './schema/migration-list.ts';
import { createSqliteStore, type SqliteHandOver, type SqliteStore } from './store.ts';
import type { ReaderService } from './threads/reader-service.ts';
import type { ReaderData } from './threads/reader-thread.ts';
import { ThreadClient, type ThreadLimits } from './threads/thread-client.ts';
import type { WriterService } from './threads/writer-service.ts';
import type { WriterData } from './threads/writer-thread.ts';

export interface SqliteStoreOptions {
  /** Created when it is missing. */
  readonly dataDir: string;
  /** Called when a thread of the store is gone, and the store with it; only a new process fixes that. */
  readonly onFatal: (error: StoreUnavailableError) => void;
  /** Whether changes of offers are recorded; they are, unless it is said otherwise. */
  readonly keepsHistory?: boolean;
  /** Beyond this size of the database file writes are refused, as they are on a full disk. */
  readonly database_bytes_max?: number;
  readonly writerLimits?: ThreadLimits;
  readonly readerLimits?: ThreadLimits;
}

/** A batch of the writer takes 5 ms or so at most; further calls are better refused than kept for seconds. */
export const WRITER_LIMITS: ThreadLimits = Object.freeze({
  waiting_calls_max: 10_000,
  waiting_characters_max: 67_108_864,
  // Uploads of as many take the thread some 5 ms, in which the calling one puts the next together: with one batch of all
  // that wait, each of the two threads stood still while the other worked.
  batch_calls_max: 64,
});

/** Small batches, because a list that is ready waits for the slowest of its batch. */
const READER_LIMITS: ThreadLimits = Object.freeze({
  waiting_calls_max: 1_000,
  waiting_characters_max: 67_108_864,
  batch_calls_max: 4,
});

const SERVED_ADVICE =
  ' That server runs an older release, and this command would upgrade the database under it: stop the server first, or ' +
  'run the command of its release.';

export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  const { dataDir, onFatal, keepsHistory = true, database_bytes_max } = options;
  const { writerLimits = WRITER_LIMITS, readerLimits = READER_LIMITS } = options;
  const file = createDatabaseFile(dataDir);
  await using opening = new AsyncDisposableStack();

  // Opened first and closed last: a database nobody has open for writing has no log for the readers to open.
  const writing = opening.adopt(openMigrated(file, { database_bytes_max }), closeConnection);
  const writerData: WriterData = { file, keepsHistory, database_bytes_max };
  const readerData: ReaderData = { file };
  const starting = [
    ThreadClient.start<WriterService>(threadFile('threads/writer-thread.ts'), writerData, writerLimits, onFatal),
    ThreadClient.start<ReaderService>(threadFile('threads/reader-thread.ts'), readerData, readerLimits, onFatal),
  ] as const;
  for (const thread of starting) opening.defer(() => closeStarted(thread));
  const [writer, reader] = await Promise.all(starting);
  const reading = opening.adopt(openForReading(file), closeConnection);
  const store = createSqliteStore({ file, reading, writing, writer, reader });
  opening.move();
  return store;
}

/**
 * For another thread of the process that has the store open: writes and lists go to the threads of that one, over ports of
 * its own; reads by key are on connections of its own. It is to be closed before the first one is.
 */
export function openHandedOverSqlite(
  { file, writer, reader }: SqliteHandOver,
  onFatal: (error: StoreUnavailableError) => void,
): Store {
  using opening = new DisposableStack();
  for (const port of [writer, reader]) opening.defer(() => port.close());
  const writing = opening.adopt(openForWriting(file), closeConnection);
  const reading = opening.adopt(openForReading(file), closeConnection);
  opening.move();
  return createSqliteStore({
    file,
    reading,
    writing,
    writer: ThreadClient.over(writer, WRITER_LIMITS, onFatal),
    reader: ThreadClient.over(reader, READER_LIMITS, onFatal),
  });
}

/** For the command line: setup only, on one connection, alongside a running server or without one. */
export async function openSqliteSetupStore(options: {
  readonly dataDir: string;
}): Promise<SetupStore & { close(): Promise<void> }> {
  const { run, close } = openForCommands(options.dataDir);
  return { ...setupMethods(run), close };
}

/** For the command line: corrections of the catalog, alongside a running server or without one. */
export async function openSqliteCatalogClient(options: { readonly dataDir: string }): Promise<CatalogClient> {
  const { run, close } = openForCommands(options.dataDir);
  return { catalog: methodsOf('catalog', run), close };
}

function openForCommands(dataDir: string): { run: RunCommand; close(): Promise<void> } {
  const connection = openAlongsideServer(dataDir);
  const close = async () => {
    if (connection.isOpen) connection.close();
  };
  return { run: runCommandsHere(connection, oneAfterTheOther()), close };
}

/** For the command line: whole merchants in and out, alongside a running server or without one. */
export async function openSqliteMoves(options: { readonly dataDir: string }): Promise<MoveStore> {
  return createMoveStore(createMoveEngine(databaseFile(options.dataDir), openAlongsideServer(options.dataDir)));
}

/** For the command line: the whole store out and in, by a caller that holds the lock of the folder. */
export async function openSqliteCopyStore(options: { readonly dataDir: string }): Promise<CopyStore> {
  const file = createDatabaseFile(options.dataDir);
  return createCopyStore(createMoveEngine(file, openPrepared(file, {}, migrate)));
}

/** For a server, which holds the lock of the folder. */
function openMigrated(file: string, options: WriteOptions): Connection {
  keepDamagedLog(file);
  return openPrepared(file, options, (connection) => {
    migrate(connection);
    refuseUnfinishedCopy(runStatement(connection, READ_COPY_MARK));
  });
}

/** For a command. `migrations` is for tests, which have no second release yet. */
export function openAlongsideServer(dataDir: string, migrations: readonly string[] = MIGRATIONS): Connection {
  const file = createDatabaseFile(dataDir);
  if (!isDataDirLocked(dataDir)) keepDamagedLog(file);
  return openPrepared(file, {}, (connection) => {
    migrateUnlessServed(connection, dataDir, migrations);
    refuseUnfinishedCopy(runStatement(connection, READ_COPY_MARK));
  });
}

/** A running server of an older release would go on with statements for tables that have changed. */
function migrateUnlessServed(connection: Connection, dataDir: string, migrations: readonly string[]): void {
  if (!isOutdated(connection, migrations)) {
    migrate(connection, migrations);
    return;
  }
  const unlock = lockDataDir(dataDir, SERVED_ADVICE);
  try {
    migrate(connection, migrations);
  } finally {
    unlock();
  }
}

function openPrepared(file: string, options: WriteOptions, prepare: (connection: Connection) => void): Connection {
  const connection = openForWriting(file, options);
  try {
    prepare(connection);
    return connection;
  } catch (error) {
    connection.close();
    throw storeError(error);
  }
}

function threadFile(name: string): URL {
  return new URL(name, import.meta.url);
}

/** A thread that could not start has nothing to close. */
function closeStarted(starting: Promise<ThreadClient<object>>): Promise<void> {
  return starting.then(
    (thread) => thread.close(),
    () => {},
  );
}

function closeConnection(connection: Connection): void {
  connection.close();
}
