/** Opens the SQLite store: files, tables and threads. */
import type { CopyStore } from '../port/copy.ts';
import type { MoveStore } from '../port/moves.ts';
import type { SetupStore, Store } from '../port.ts';
import { setupMethods } from '../shared/aggregates.ts';
import { createCopyStore, READ_COPY_MARK, refuseUnfinishedCopy } from '../shared/moves/copy-store.ts';
import { createMoveStore } from '../shared/moves/move-store.ts';
import type { Connection } from './engine/connection.ts';
import { keepDamagedLog } from './engine/damaged-log.ts';
import { createDatabaseFile, databaseFile } from './engine/data-dir.ts';
import { closeConnection, openForReading, openForWriting, storeError } from './engine/engine.ts';
import { isDataDirLocked, lockDataDir } from './engine/lock.ts';
import { noteLostLog } from './engine/log-mark.ts';
import { isOutdated, migrate } from './engine/migrations.ts';
import { runCommandsHere } from './engine/shared-commands.ts';
import { createMoveEngine } from './moves/moves.ts';
import { MIGRATIONS } from './schema/migration-list.ts';
import { createSqliteStore, type SqliteShare, type SqliteStore } from './store.ts';
import type { ReaderService } from './threads/reader-thread.ts';
import { type OnFatal, ThreadClient, type ThreadLimits } from './threads/thread-client.ts';
import type { WriterService } from './threads/writer-service.ts';
import type { WriterData } from './threads/writer-thread.ts';

export interface SqliteStoreOptions {
  /** Created when it is missing. */
  readonly dataDir: string;
  /** Called when a store thread has died; only a new process can open the store again. */
  readonly onFatal: OnFatal;
  /** Whether a server may be running on the folder; false by default. */
  readonly isAlongsideServer?: boolean;
  /** Whether changes to offers are recorded; true by default. */
  readonly keepsHistory?: boolean;
  /** Writes are refused beyond this size of the file, as on a full disk. */
  readonly database_bytes_max?: number;
  /** With less free space on the disk, each account may only upload its share of the rest; 0 by default. */
  readonly free_bytes_min?: number;
  readonly writerLimits?: ThreadLimits;
  readonly readerLimits?: ThreadLimits;
}

type Folder = Pick<SqliteStoreOptions, 'dataDir'>;

/** A batch keeps the writer busy for at most 5 ms. Calls beyond these limits are refused rather than delayed for seconds. */
export const WRITER_LIMITS: ThreadLimits = Object.freeze({
  waiting_calls_max: 10_000,
  waiting_characters_max: 67_108_864,
  // This many uploads take the thread about 5 ms, while the caller prepares the next batch. With one batch of all waiting calls, each
  // thread idled while the other worked.
  batch_calls_max: 64,
});

/** Small batches, because a finished list waits for the slowest of its batch. */
const READER_LIMITS: ThreadLimits = Object.freeze({
  waiting_calls_max: 1_000,
  waiting_characters_max: 67_108_864,
  batch_calls_max: 4,
});

const SERVED_ADVICE =
  ' That server runs an older release, and this command would upgrade the database under it: stop the server first, or ' +
  'run the command of its release.';

export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  const { dataDir, onFatal, isAlongsideServer = false, keepsHistory = true, database_bytes_max } = options;
  const { free_bytes_min = 0, writerLimits = WRITER_LIMITS, readerLimits = READER_LIMITS } = options;
  const file = createDatabaseFile(dataDir);
  await using opening = new AsyncDisposableStack();

  // Opened first and closed last: readers can only open a log that a writer keeps open.
  const writing = opening.adopt(
    isAlongsideServer ? openAlongsideServer(dataDir) : openMigrated(file, database_bytes_max),
    closeConnection,
  );
  const start = <Service extends object>(name: string, data: unknown, limits: ThreadLimits) =>
    ThreadClient.start<Service>(new URL(`threads/${name}-thread.ts`, import.meta.url), data, limits, onFatal);
  const writerData: WriterData = { file, keepsHistory, database_bytes_max };
  const starting = [
    start<WriterService>('writer', writerData, writerLimits),
    start<ReaderService>('reader', { file }, readerLimits),
  ] as const;
  for (const thread of starting) {
    // A thread that could not start has nothing to close.
    opening.defer(async () => (await thread.catch(() => undefined))?.close());
  }
  const [writer, reader] = await Promise.all(starting);
  const reading = opening.adopt(openForReading(file), closeConnection);
  const store = createSqliteStore({ file, reading, writing, writer, reader, free_bytes_min });
  opening.move();
  return store;
}

/**
 * Opens the store in another thread of the process. It shares the writer and reader threads over its own ports, and reads by key on its own
 * connections. Close it before the first store.
 */
export function openSqliteShare({ file, writer, reader, free_bytes_min }: SqliteShare, onFatal: OnFatal): Store {
  using opening = new DisposableStack();
  for (const port of [writer, reader]) opening.defer(() => port.close());
  const writing = opening.use(openForWriting(file));
  const reading = opening.use(openForReading(file));
  opening.move();
  return createSqliteStore({
    file,
    reading,
    writing,
    writer: ThreadClient.over(writer, WRITER_LIMITS, onFatal),
    reader: ThreadClient.over(reader, READER_LIMITS, onFatal),
    free_bytes_min,
  });
}

/** Opens account settings and the catalog for the command line, on one connection, whether or not a server runs. */
export async function openSqliteSetupStore({ dataDir }: Folder): Promise<SetupStore & { close(): Promise<void> }> {
  const connection = openAlongsideServer(dataDir);
  return { ...setupMethods(runCommandsHere(connection)), close: () => closeConnection(connection) };
}

/** Opens merchant exports, imports and removals for the command line, whether or not a server runs. */
export async function openSqliteMoves({ dataDir }: Folder): Promise<MoveStore> {
  return createMoveStore(createMoveEngine(databaseFile(dataDir), openAlongsideServer(dataDir)));
}

/** Opens whole-database copies for the command line. The caller holds the lock on the folder. */
export async function openSqliteCopyStore({ dataDir }: Folder): Promise<CopyStore> {
  const file = createDatabaseFile(dataDir);
  return createCopyStore(createMoveEngine(file, openPrepared(openForWriting(file), migrate)));
}

/** Opens the database for a server, which holds the lock on the folder. */
function openMigrated(file: string, database_bytes_max: number | undefined): Connection {
  keepDamagedLog(file);
  return openPrepared(openForWriting(file, database_bytes_max), (connection) => {
    migrate(connection);
    noteLostLog(connection, file);
    refuseUnfinishedCopy(connection.run(READ_COPY_MARK));
  });
}

/** Opens the database for a command. Tests pass `migrations`, because there is no second release yet. */
export function openAlongsideServer(dataDir: string, migrations: readonly string[] = MIGRATIONS): Connection {
  const file = createDatabaseFile(dataDir);
  const isServed = isDataDirLocked(dataDir);
  if (!isServed) keepDamagedLog(file);
  return openPrepared(openForWriting(file), (connection) => {
    migrateUnlessServed(connection, dataDir, migrations);
    if (!isServed) noteLostLog(connection, file);
    refuseUnfinishedCopy(connection.run(READ_COPY_MARK));
  });
}

/** Refuses to migrate while a server of an older release runs, because its statements would no longer match the tables. */
function migrateUnlessServed(connection: Connection, dataDir: string, migrations: readonly string[]): void {
  const unlock = isOutdated(connection, migrations) ? lockDataDir(dataDir, SERVED_ADVICE) : () => {};
  try {
    migrate(connection, migrations);
  } finally {
    unlock();
  }
}

function openPrepared(connection: Connection, prepare: (connection: Connection) => void): Connection {
  try {
    prepare(connection);
    return connection;
  } catch (error) {
    connection.close();
    throw storeError(error);
  }
}
