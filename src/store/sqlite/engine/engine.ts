/** Opens SQLite connections, verifies their settings, and maps SQLite's errors to the store's errors. */
import { StoreUnavailableError } from '../../port/errors.ts';
import { Connection, type ConnectionOptions, type OnCopyProgress } from './connection.ts';

/** Other connections hold the write lock for milliseconds, for one batch or one settings change. If they hold it longer, they hang. */
const BUSY_TIMEOUT_MS = 5_000;
/** A commit writes whole pages, and single calls change few bytes on each: see docs/decisions/0051. */
const PAGE_SIZE_BYTES = 4096;
/** SQLite's default is 2 MB. A process has six connections, each with its own cache. */
const CACHE_KIB = 16_384;
/** A checkpoint runs after 4 MB of log, and blocks the writer. Fewer pages would be written more often. */
const CHECKPOINT_PAGES = 1000;
/**
 * The file is mapped into memory for reads, which needs no copy and no system call per page, and which the operating system can reclaim.
 * Pages beyond this limit are read as usual.
 */
const MAP_FILE = 'PRAGMA mmap_size = 8589934592';
/** A log that grew under load is truncated to this. */
const LOG_BYTES_KEPT_MAX = 67_108_864;

/** Refuses writes once the file has `database_bytes_max`, as on a full disk. */
export function openForWriting(file: string, database_bytes_max?: number): Connection {
  return opened(file, { timeout: BUSY_TIMEOUT_MS }, (connection) => {
    // Applies only to an empty file, so it comes before anything that writes.
    connection.exec(`PRAGMA page_size = ${PAGE_SIZE_BYTES}`);
    switchToWriteAheadLog(connection);
    // FULL flushes the log at each commit; NORMAL would lose confirmed writes when the power fails.
    connection.exec('PRAGMA synchronous = FULL');
    // Overwrites what is removed from a page, so that erased data is not left in its unused part. Pages are written anyway, so it costs nothing.
    connection.exec('PRAGMA secure_delete = FAST');
    connection.exec(MAP_FILE);
    connection.exec(`PRAGMA journal_size_limit = ${LOG_BYTES_KEPT_MAX}`);
    connection.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    if (database_bytes_max !== undefined) {
      const pages_max = Math.max(1, Math.floor(database_bytes_max / PAGE_SIZE_BYTES));
      connection.exec(`PRAGMA max_page_count = ${pages_max}`);
    }
    const journalMode = connection.query<[string]>('PRAGMA journal_mode').get()?.[0];
    const synchronous = connection.query<[number]>('PRAGMA synchronous').get()?.[0];
    if (journalMode !== 'wal' || synchronous !== 2) {
      throw new StoreUnavailableError(
        `The file system of ${file} does not support a write-ahead log (journal mode ${journalMode}); use a local disk.`,
      );
    }
  });
}

/** The file must exist and be in WAL mode, as `openForWriting` leaves it. */
export function openForReading(file: string): Connection {
  return opened(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS }, (connection) => connection.exec(MAP_FILE));
}

/** Returns a connection that locks `file` until it is closed or the process ends; undefined if the lock is taken. */
export function openExclusively(file: string): Connection | undefined {
  let connection: Connection | undefined;
  try {
    // Sets no PRAGMA: some read the file first, which fails while another process holds the lock.
    connection = new Connection(file, { timeout: 0 });
    connection.exec('BEGIN EXCLUSIVE');
    return connection;
  } catch (error) {
    connection?.close();
    if (isBusy(error)) return undefined;
    throw storeErrorAbout(file, error);
  }
}

/** Opens a database as a single file without a log, for a copy that is moved elsewhere. */
export function openWithoutLog(file: string): Connection {
  return opened(file, { timeout: 0 }, (connection) => connection.exec('PRAGMA journal_mode = DELETE'));
}

/** Copies what the open transaction of `source` sees. */
export async function copyDatabase(source: Connection, file: string, onProgress: OnCopyProgress): Promise<void> {
  try {
    await source.copyTo(file, onProgress);
  } catch (error) {
    throw storeErrorAbout(file, error);
  }
}

const BUSY = 5;

/** Extended result codes for failing to create the log's index, which needs 32 KB at startup. SQLite reports them as I/O errors. */
const NO_ROOM_FOR_INDEX: ReadonlySet<number> = new Set([4618, 4874]);

export const RESTORE_ADVICE = 'stop the server and restore the last backup with "offerbook restore FILE --replace"';

const OWNER_ADVICE =
  'run offerbook as the owner of the data folder, and check the permissions of its files and the mount';

/** SQLite's primary result codes that mean the store cannot work now. All others are bugs. */
const UNAVAILABLE: ReadonlyMap<number, string> = new Map([
  [BUSY, 'The database is busy: another process holds its lock.'],
  [6, 'The database is locked by another connection.'],
  [8, `The database is read-only: ${OWNER_ADVICE}.`],
  [10, 'The disk failed to read or write the database.'],
  [11, `The database file is damaged: ${RESTORE_ADVICE}.`],
  [13, 'The disk is full, or the database has reached its size limit.'],
  [14, `The database file cannot be opened: ${OWNER_ADVICE}.`],
  [26, `The file is not a database, or its start is damaged: ${RESTORE_ADVICE}.`],
]);

const INDEX_MEANING =
  'The index of the write-ahead log cannot be created, usually because the disk is full. Free some space.';

/** Returns a StoreUnavailableError if the error means that the store is unavailable, else the error itself. */
export function storeError(error: unknown): unknown {
  const code = primaryCode(error);
  const isIndex = NO_ROOM_FOR_INDEX.has((error as { errcode?: number } | null)?.errcode ?? 0);
  const meaning = isIndex ? INDEX_MEANING : code === undefined ? undefined : UNAVAILABLE.get(code);
  if (meaning !== undefined) return new StoreUnavailableError(meaning, { cause: error });
  // Thrown by node:sqlite for a statement of a closed connection.
  if (error instanceof Error && 'code' in error && error.code === 'ERR_INVALID_STATE') {
    return new StoreUnavailableError('The store is closed.', { cause: error });
  }
  return error;
}

/** Throws an error of SQLite as one of the store's errors; callers pass it to `catch`. */
export function rethrown(error: unknown): never {
  throw storeError(error);
}

/** Closes the connection. May be called again. */
export async function closeConnection(connection: Connection): Promise<void> {
  if (connection.isOpen) connection.close();
}

/** Whether the file is damaged or not a database. */
export function isDamage(error: unknown): boolean {
  const code = primaryCode(error instanceof StoreUnavailableError ? error.cause : error);
  return code === 11 || code === 26;
}

/** Whether a failing disk is a possible cause, so that a backup may be needed. False if the file is locked, full or not accessible. */
export function mayBeDiskFault(error: unknown): boolean {
  const code = primaryCode(error instanceof StoreUnavailableError ? error.cause : error);
  return code === undefined || code === 10 || !UNAVAILABLE.has(code);
}

export function isBusy(error: unknown): boolean {
  return primaryCode(error) === BUSY;
}

function primaryCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined;
  // The upper bytes distinguish variants of a code.
  return error.errcode & 0xff;
}

function opened(file: string, options: ConnectionOptions, prepare: (connection: Connection) => void): Connection {
  let connection: Connection | undefined;
  try {
    connection = new Connection(file, options);
    connection.exec('PRAGMA trusted_schema = OFF');
    connection.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
    prepare(connection);
    return connection;
  } catch (error) {
    connection?.close();
    throw storeErrorAbout(file, error);
  }
}

function storeErrorAbout(file: string, error: unknown): unknown {
  const mapped = storeError(error);
  if (mapped === error || !(mapped instanceof StoreUnavailableError)) return error;
  return new StoreUnavailableError(`${mapped.message} (${file})`, { cause: error });
}

/** SQLite ignores its busy timeout here, and processes that start together on an empty file collide. */
function switchToWriteAheadLog(connection: Connection): void {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  const pause_ms = 5;
  for (let waited_ms = 0; ; waited_ms += pause_ms) {
    try {
      connection.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if (!isBusy(error) || waited_ms >= BUSY_TIMEOUT_MS) throw error;
      Atomics.wait(pause, 0, 0, pause_ms);
    }
  }
}
