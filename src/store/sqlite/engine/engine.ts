/**
 * In charge of SQLite connections: how they are opened, that their settings are in force, and which of SQLite's
 * errors mean that the store is unavailable. The only file that knows `node:sqlite`.
 */
import type { SQLInputValue, StatementResultingChanges } from 'node:sqlite';
import { backup, DatabaseSync } from 'node:sqlite';
import { StoreUnavailableError } from '../../port/errors.ts';

export type Connection = DatabaseSync;

/** A prepared statement whose rows are tuples: building an object for each row costs more than reading it. */
export interface Query<Row extends readonly unknown[] = never> {
  get(...values: SQLInputValue[]): Row | undefined;
  all(...values: SQLInputValue[]): Row[];
  run(...values: SQLInputValue[]): StatementResultingChanges;
}

export interface WriteOptions {
  /** Beyond this size of the database file writes are refused, as they are on a full disk. */
  readonly database_bytes_max?: number | undefined;
}

/** Others hold the write lock for one batch or one setup change, milliseconds each: longer means that they hang. */
const BUSY_TIMEOUT_MS = 5_000;
/** Documents of 1.4 KB go in nearly twice as fast as with SQLite's 4 KB pages, since fewer of them are split. */
const PAGE_SIZE_BYTES = 16_384;
/** SQLite's own default of 2 MB would hold 125 of these pages. A process has six connections, each with its own. */
const CACHE_KIB = 16_384;
/** After 4 MB of log. After SQLite's own 1,000 pages the writer stands still for four times as much, and single calls wait. */
const CHECKPOINT_PAGES = 250;
/**
 * Reading connections see the file through the memory of the operating system, which needs no copy and no system call
 * for a page, and is given back when others need it. Pages beyond this are read as usual.
 */
const MAPPED_BYTES_MAX = 8_589_934_592;
/** A log that grew in a rush is cut back to this, not kept at its longest for ever. */
const LOG_BYTES_KEPT_MAX = 67_108_864;

export function openForWriting(file: string, options: WriteOptions = {}): Connection {
  return opened(
    () => new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS }),
    file,
    (connection) => {
      // Only counts while the file is empty, so it stands before everything that could write.
      connection.exec(`PRAGMA page_size = ${PAGE_SIZE_BYTES}`);
      switchToWriteAheadLog(connection);
      // FULL flushes the log at each commit; NORMAL would lose answered writes when the power fails.
      connection.exec('PRAGMA synchronous = FULL');
      connection.exec(`PRAGMA journal_size_limit = ${LOG_BYTES_KEPT_MAX}`);
      connection.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
      if (options.database_bytes_max !== undefined) {
        connection.exec(
          `PRAGMA max_page_count = ${Math.max(1, Math.floor(options.database_bytes_max / PAGE_SIZE_BYTES))}`,
        );
      }
      const { journalMode, synchronous } = readDurability(connection);
      if (journalMode !== 'wal' || synchronous !== 2) {
        throw new StoreUnavailableError(
          `The file system of ${file} cannot keep a write-ahead log (journal mode ${journalMode}); use a local disk.`,
        );
      }
    },
  );
}

/** The file must exist and be in WAL mode, as `openForWriting` leaves it. */
export function openForReading(file: string): Connection {
  return opened(
    () => new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS }),
    file,
    (connection) => connection.exec(`PRAGMA mmap_size = ${MAPPED_BYTES_MAX}`),
  );
}

/** A connection that holds an exclusive lock on `file` until it is closed or the process ends; undefined: it is taken. */
export function openExclusively(file: string): Connection | undefined {
  let connection: Connection | undefined;
  try {
    // None of the settings of the others: a setting may have to read the file first, which a taken lock prevents.
    connection = new DatabaseSync(file, { timeout: 0 });
    connection.exec('BEGIN EXCLUSIVE');
    return connection;
  } catch (error) {
    connection?.close();
    if (isBusy(error)) return undefined;
    throw storeErrorAbout(file, error);
  }
}

/** A database that is one file and needs no log beside it: a copy that will be carried elsewhere. */
export function openWithoutLog(file: string): Connection {
  return opened(
    () => new DatabaseSync(file, { timeout: 0 }),
    file,
    (connection) => connection.exec('PRAGMA journal_mode = DELETE'),
  );
}

/** Large enough that the steps cost nothing beside the copying, small enough for a bar that moves. */
const COPY_STEP_PAGES = 512;

/**
 * Copies the state that the transaction of `source` sees into the empty file. The transaction must be open: without
 * one, each write of another process would make SQLite begin the copy again.
 */
export async function copyDatabase(
  source: Connection,
  file: string,
  watch: (pagesDone: number, pages: number) => void,
): Promise<void> {
  if (!source.isTransaction) throw new Error('A copy needs an open transaction.');
  try {
    await backup(source, file, {
      rate: COPY_STEP_PAGES,
      progress: ({ totalPages, remainingPages }) => watch(totalPages - remainingPages, totalPages),
    });
  } catch (error) {
    throw storeErrorAbout(file, error);
  }
}

export function query<Row extends readonly unknown[] = never>(connection: Connection, sql: string): Query<Row> {
  const statement = connection.prepare(sql);
  statement.setReturnArrays(true);
  return statement as unknown as Query<Row>;
}

export interface Durability {
  readonly journalMode: string;
  /** 2 is FULL. */
  readonly synchronous: number;
  readonly page_size_bytes: number;
}

/** As SQLite reports it, not as it was asked for. */
export function readDurability(connection: Connection): Durability {
  return {
    journalMode: String(query<[string]>(connection, 'PRAGMA journal_mode').get()?.[0]),
    synchronous: Number(query<[number]>(connection, 'PRAGMA synchronous').get()?.[0]),
    page_size_bytes: Number(query<[number]>(connection, 'PRAGMA page_size').get()?.[0]),
  };
}

const BUSY = 5;

/** Extended result codes of the index of the log, 32 KB that a start needs; SQLite calls it an I/O error. */
const NO_ROOM_FOR_INDEX: ReadonlySet<number> = new Set([4618, 4874]);

/** SQLite's primary result codes that say that the store cannot work now; all others are faults of this program. */
const UNAVAILABLE: ReadonlyMap<number, string> = new Map([
  [BUSY, 'The database is busy: another process holds its lock.'],
  [6, 'The database is locked by another connection.'],
  [8, 'The database can only be read.'],
  [10, 'The disk failed to read or write the database.'],
  [11, 'The database file is damaged; "offerbook restore" puts a backup in its place.'],
  [13, 'The disk, or the size allowed for the database, is full.'],
  [14, 'The database file cannot be opened.'],
  [26, 'The file is not a database, or its head is damaged; "offerbook restore" puts a backup in its place.'],
]);

const INDEX_MEANING = 'The disk has no room for the index of the write-ahead log, or it cannot be made: make room.';

/** StoreUnavailableError where that is what the error means, else the error itself. */
export function storeError(error: unknown): unknown {
  const code = primaryCode(error);
  const isIndex = NO_ROOM_FOR_INDEX.has((error as { errcode?: number } | null)?.errcode ?? 0);
  const meaning = isIndex ? INDEX_MEANING : code === undefined ? undefined : UNAVAILABLE.get(code);
  if (meaning !== undefined) return new StoreUnavailableError(meaning, { cause: error });
  // What node:sqlite throws for a statement whose connection was closed.
  if (error instanceof Error && 'code' in error && error.code === 'ERR_INVALID_STATE') {
    return new StoreUnavailableError('The store is closed.', { cause: error });
  }
  return error;
}

export function isBusy(error: unknown): boolean {
  return primaryCode(error) === BUSY;
}

function primaryCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined;
  // The upper bytes tell variants of one code apart.
  return error.errcode & 0xff;
}

function opened(open: () => Connection, file: string, prepare: (connection: Connection) => void): Connection {
  let connection: Connection | undefined;
  try {
    connection = open();
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

/** SQLite does not wait for its busy timeout here, and processes that start together on an empty file do collide. */
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
