/** Opens the configured store, PostgreSQL or the embedded database, and loads only its adapter. */
import type { Transferable } from 'node:worker_threads';
import type { CopyStore } from './port/copy.ts';
import type { MoveStore } from './port/moves.ts';
import type { SetupStore, Store } from './port.ts';
import { type OnBoundFailed, withBoundedHistory } from './shared/history/bounded-history.ts';
import { databaseFile, hasDatabaseFile } from './sqlite/engine/data-dir.ts';
import type { ServerUrls } from './sqlite/engine/server-urls.ts';
import type { SqliteShare, SqliteStore } from './sqlite/store.ts';

/** The settings that the adapters need. */
export interface StoreSettings {
  readonly dataDir: string;
  /** Undefined: the embedded store. */
  readonly databaseUrl: string | undefined;
  readonly databasePoolMax: number;
  readonly databaseWorkers: 'direct' | 'coordinator';
  readonly databaseCall_ms_max: number;
  readonly databaseStatement_ms_max: number;
  readonly databaseLock_ms_max: number;
  /** Retention of offer changes, in days. 0: changes are not recorded. */
  readonly history_days: number;
  /** Size of an account's history above which the oldest changes are dropped, unless its offers are large (see bounded-history.ts). */
  readonly historyBytesMax: number;
  /**
   * With less free space, the embedded store refuses uploads of an account that has uploaded more since then than is still free
   * (disk-shares.ts).
   */
  readonly filesFreeBytesMin: number;
}

const loadSqlite = () => import('./sqlite/open.ts');
const loadPostgres = () => import('./postgres/open.ts');

/**
 * Opens the store for a server. `onFatal` is called after a failure that only a restart of the process can fix, `onBoundFailed` if an
 * account's history could not be bounded.
 */
export async function openStore(
  settings: StoreSettings,
  onFatal: (error: Error) => void,
  onBoundFailed: OnBoundFailed = (_, error) => onFatal(error as Error),
): Promise<Store> {
  const { dataDir, filesFreeBytesMin: free_bytes_min } = settings;
  const keepsHistory = settings.history_days > 0;
  const store =
    settings.databaseUrl === undefined
      ? await (await loadSqlite()).openSqliteStore({ dataDir, keepsHistory, free_bytes_min, onFatal })
      : await (await loadPostgres()).openPostgresStore({ ...databaseOptions(settings), keepsHistory });
  return boundedStore(store, settings, onBoundFailed);
}

function boundedStore(store: Store, { history_days, historyBytesMax }: StoreSettings, onFailed: OnBoundFailed): Store {
  return history_days === 0 ? store : withBoundedHistory(store, historyBytesMax, onFailed);
}

/** Opens the whole store for the command line, whether or not servers run. Calls fail once the store has failed. */
export async function openStoreAlongside(settings: StoreSettings): Promise<Store> {
  return settings.databaseUrl === undefined
    ? (await loadSqlite()).openSqliteStore({ dataDir: settings.dataDir, isAlongsideServer: true, onFatal: () => {} })
    : (await loadPostgres()).openPostgresStore(databaseOptions(settings));
}

/** Opens account settings and catalog corrections for the command line, whether or not servers run. */
export async function openSetupStore(settings: StoreSettings): Promise<SetupStore & { close(): Promise<void> }> {
  return settings.databaseUrl === undefined
    ? (await loadSqlite()).openSqliteSetupStore(settings)
    : (await loadPostgres()).openPostgresSetupStore(databaseOptions(settings));
}

/** Opens merchant exports, imports and removals for the command line, whether or not servers run. */
export async function openMoves(settings: StoreSettings): Promise<MoveStore> {
  return settings.databaseUrl === undefined
    ? (await loadSqlite()).openSqliteMoves(settings)
    : (await loadPostgres()).openPostgresMoves(databaseOptions(settings));
}

/** Opens whole-database copies for the command line. No server may use the database meanwhile. */
export async function openCopyStore(settings: StoreSettings): Promise<CopyStore> {
  return settings.databaseUrl === undefined
    ? (await loadSqlite()).openSqliteCopyStore(settings)
    : (await loadPostgres()).openPostgresCopyStore(databaseOptions(settings));
}

/** Keeps other servers out of the data folder until the returned function is called. PostgreSQL serves any number of servers. */
export async function lockStore(settings: StoreSettings): Promise<() => void> {
  if (settings.databaseUrl !== undefined) return () => {};
  const { lockDataDir } = await import('./sqlite/engine/lock.ts');
  return lockDataDir(settings.dataDir);
}

/** Whether a server may be using the store. On PostgreSQL it may be on any machine, so this returns true. */
export async function mayBeServed(settings: StoreSettings): Promise<boolean> {
  if (settings.databaseUrl !== undefined) return true;
  const { isDataDirLocked } = await import('./sqlite/engine/lock.ts');
  return isDataDirLocked(settings.dataDir);
}

/**
 * Tells commands on this machine where the server is. Without `urls`, it is not known. On PostgreSQL there may be any number of servers.
 */
export async function publishServerUrls(settings: StoreSettings, urls?: ServerUrls): Promise<void> {
  if (settings.databaseUrl !== undefined) return;
  const { writeServerUrls } = await import('./sqlite/engine/server-urls.ts');
  writeServerUrls(settings.dataDir, urls);
}

/** Returns the URLs of the server that runs on the data folder; undefined on PostgreSQL, and without a server. */
export async function runningServer(settings: StoreSettings): Promise<ServerUrls | undefined> {
  if (settings.databaseUrl !== undefined) return undefined;
  const { readServerUrls } = await import('./sqlite/engine/server-urls.ts');
  return readServerUrls(settings.dataDir);
}

/** Lists damaged logs of the embedded store that lost transactions. They stay until the operator removes them. */
export async function damagedLogs(settings: StoreSettings): Promise<readonly string[]> {
  if (settings.databaseUrl !== undefined) return [];
  const { listDamagedLogs } = await import('./sqlite/engine/damaged-log.ts');
  return listDamagedLogs(databaseFile(settings.dataDir));
}

/** The data that another thread of this process needs to open the same store. */
export interface StoreShare {
  readonly settings: StoreSettings;
  /** Undefined on PostgreSQL. */
  readonly sqlite: SqliteShare | undefined;
}

/** Number of connections of the other thread, which makes few calls. */
const SHARE_POOL_MAX = 4;

/** Returns only what the store needs, which another thread gets as a copy. */
export function storeSettingsOf(settings: StoreSettings, databasePoolMax: number): StoreSettings {
  const { databaseCall_ms_max, databaseStatement_ms_max, databaseLock_ms_max } = settings;
  const { dataDir, databaseUrl, databaseWorkers, history_days, historyBytesMax, filesFreeBytesMin } = settings;
  const limits = { databasePoolMax, databaseCall_ms_max, databaseStatement_ms_max, databaseLock_ms_max };
  return { dataDir, databaseUrl, databaseWorkers, history_days, historyBytesMax, filesFreeBytesMin, ...limits };
}

/**
 * Returns the start data for another thread, and the objects to transfer to it; call it once for each thread. The embedded store shares its
 * threads, so that there is one writer; close the other store first. On PostgreSQL the other thread opens its own connections.
 */
export function shareStore(
  store: Store,
  settings: StoreSettings,
): { readonly store: StoreShare; readonly transfer: readonly Transferable[] } {
  const databasePoolMax = Math.min(settings.databasePoolMax, SHARE_POOL_MAX);
  const own = storeSettingsOf(settings, databasePoolMax);
  const { databaseUrl } = settings;
  if (databaseUrl !== undefined) return { store: { settings: own, sqlite: undefined }, transfer: [] };
  if (!('share' in store)) throw new Error('The store is not the one that is configured.');
  const sqlite = (store as SqliteStore).share();
  return { store: { settings: own, sqlite }, transfer: [sqlite.writer, sqlite.reader] };
}

/** Opens the store in the other thread. `onFatal` is also called if the first store closes before this one. */
export async function openStoreShare(
  { settings, sqlite }: StoreShare,
  onFatal: (error: Error) => void,
  onBoundFailed: OnBoundFailed = (_, error) => onFatal(error as Error),
): Promise<Store> {
  if (sqlite === undefined) return openStore(settings, onFatal, onBoundFailed);
  return boundedStore((await loadSqlite()).openSqliteShare(sqlite, onFatal), settings, onBoundFailed);
}

/** Whether the database exists: the file of the embedded store, or the tables in PostgreSQL. Creates nothing. */
export async function hasDatabase({ dataDir, databaseUrl, databaseCall_ms_max }: StoreSettings): Promise<boolean> {
  if (databaseUrl === undefined) return hasDatabaseFile(dataDir);
  const { hasTables } = await import('./postgres/checkup.ts');
  return hasTables(databaseUrl, databaseCall_ms_max);
}

/** Deletes an embedded database that nothing uses and that has no data. Tables in PostgreSQL stay. Returns whether it was deleted. */
export async function deleteUnusedDatabase({ dataDir, databaseUrl }: StoreSettings): Promise<boolean> {
  if (databaseUrl !== undefined) return false;
  const { deleteUnused } = await import('./sqlite/engine/unused-database.ts');
  return deleteUnused(databaseFile(dataDir));
}

/** Returns the maximum number of connections per process: the pool for requests plus the pool of the bulk file thread. */
export function connectionsOfProcess({ databasePoolMax }: Pick<StoreSettings, 'databasePoolMax'>): number {
  return databasePoolMax + Math.min(databasePoolMax, SHARE_POOL_MAX);
}

function databaseOptions(settings: StoreSettings) {
  return {
    url: settings.databaseUrl ?? '',
    connections_max: settings.databasePoolMax,
    readsOnWorkers: settings.databaseWorkers === 'direct',
    call_ms_max: settings.databaseCall_ms_max,
    statement_ms_max: settings.databaseStatement_ms_max,
    lock_ms_max: settings.databaseLock_ms_max,
  };
}
