/**
 * In charge of which store the settings mean: PostgreSQL where they name one, else the embedded store in the data folder.
 * Only the adapter that is meant is loaded.
 */

import { existsSync } from 'node:fs';
import type { Transferable } from 'node:worker_threads';
import type { CatalogClient } from './port/catalog.ts';
import type { CopyStore } from './port/copy.ts';
import type { MoveStore } from './port/moves.ts';
import type { SetupStore, Store } from './port.ts';
import type { DatabaseOptions } from './postgres/engine/engine.ts';
import { databaseFile } from './sqlite/engine/data-dir.ts';
import type { SqliteHandOver, SqliteStore } from './sqlite/store.ts';

/** What the adapters need of the settings. */
export interface StoreSettings {
  readonly dataDir: string;
  /** Undefined: the embedded store. */
  readonly databaseUrl: string | undefined;
  readonly databasePoolMax: number;
  readonly databaseCallMsMax: number;
  readonly databaseStatementMsMax: number;
  readonly databaseLockMsMax: number;
  /** Days for which changes of offers are kept; 0: they are not recorded. */
  readonly historyDays: number;
}

/**
 * Keeps a second server from a data folder until the function that it returns is called. PostgreSQL serves any number of
 * servers, so that there is nothing to lock.
 */
export async function lockStore(settings: StoreSettings): Promise<() => void> {
  if (settings.databaseUrl !== undefined) return () => {};
  const { lockDataDir } = await import('./sqlite/engine/lock.ts');
  return lockDataDir(settings.dataDir);
}

/** For a server. `onFatal` is called when the store is gone and only a new process can help. */
export async function openStore(settings: StoreSettings, onFatal: (error: Error) => void): Promise<Store> {
  const options = databaseOptions(settings);
  if (options === undefined) {
    const { openSqliteStore } = await import('./sqlite/open.ts');
    return openSqliteStore({ dataDir: settings.dataDir, keepsHistory: settings.historyDays > 0, onFatal });
  }
  const { openPostgresStore } = await import('./postgres/open.ts');
  return openPostgresStore({ ...options, keepsHistory: settings.historyDays > 0 });
}

/** Logs of the embedded store whose damage lost transactions, until the operator removes them. */
export async function damagedLogs(settings: StoreSettings): Promise<readonly string[]> {
  if (settings.databaseUrl !== undefined) return [];
  const { listDamagedLogs } = await import('./sqlite/engine/damaged-log.ts');
  return listDamagedLogs(databaseFile(settings.dataDir));
}

/** What another thread of this process opens the same store with. */
export interface HandedOverStore {
  readonly settings: StoreSettings;
  /** Undefined where the store is not the embedded one. */
  readonly sqlite: SqliteHandOver | undefined;
}

/** Calls of the other thread are few and its rows come in slices, one after the other for each file. */
const HANDED_OVER_POOL_MAX = 4;

/**
 * For another thread of this process, once for each: the data to start it with, and what of them is to be transferred. Of
 * the embedded store it shares the threads, so that there is one writer; the other store must be closed first. On
 * PostgreSQL it has connections of its own.
 */
export function handOverStore(
  store: Store,
  settings: StoreSettings,
): { readonly store: HandedOverStore; readonly transfer: readonly Transferable[] } {
  const { dataDir, databaseUrl, databaseCallMsMax, databaseStatementMsMax, databaseLockMsMax, historyDays } = settings;
  const databasePoolMax = Math.min(settings.databasePoolMax, HANDED_OVER_POOL_MAX);
  const limits = { databasePoolMax, databaseCallMsMax, databaseStatementMsMax, databaseLockMsMax };
  const own: StoreSettings = { dataDir, databaseUrl, historyDays, ...limits };
  if (databaseUrl !== undefined) return { store: { settings: own, sqlite: undefined }, transfer: [] };
  if (!isEmbedded(store)) throw new Error('The store is not the one that the settings mean.');
  const sqlite = store.handOver();
  return { store: { settings: own, sqlite }, transfer: [sqlite.writer, sqlite.reader] };
}

/** In the other thread. `onFatal` as above; also called when the first store was closed before this one. */
export async function openHandedOver(
  { settings, sqlite }: HandedOverStore,
  onFatal: (error: Error) => void,
): Promise<Store> {
  if (sqlite === undefined) return openStore(settings, onFatal);
  const { openHandedOverSqlite } = await import('./sqlite/open.ts');
  return openHandedOverSqlite(sqlite, onFatal);
}

function isEmbedded(store: Store): store is SqliteStore {
  return 'handOver' in store;
}

/** Whether the database was created: the file of the embedded one, the tables of PostgreSQL. Creates nothing. */
export async function hasDatabase({ dataDir, databaseUrl, databaseCallMsMax }: StoreSettings): Promise<boolean> {
  if (databaseUrl === undefined) return existsSync(databaseFile(dataDir));
  const { hasTables } = await import('./postgres/checkup.ts');
  return hasTables(databaseUrl, databaseCallMsMax);
}

/** The database as people know it, in the form that `offerbook copy` takes, without user and password. */
export function databaseName({ dataDir, databaseUrl }: Pick<StoreSettings, 'dataDir' | 'databaseUrl'>): string {
  if (databaseUrl === undefined) return `sqlite:${dataDir}`;
  const { host, pathname } = new URL(databaseUrl);
  return `postgres://${host}${pathname}`;
}

/** For the command line: setup only, beside running servers or without one. */
export async function openSetupStore(settings: StoreSettings): Promise<SetupStore & { close(): Promise<void> }> {
  const options = databaseOptions(settings);
  if (options === undefined) {
    const { openSqliteSetupStore } = await import('./sqlite/open.ts');
    return openSqliteSetupStore(settings);
  }
  const { openPostgresSetupStore } = await import('./postgres/open.ts');
  return openPostgresSetupStore(options);
}

/** For the command line: corrections of the catalog, beside running servers or without one. */
export async function openCatalogClient(settings: StoreSettings): Promise<CatalogClient> {
  const options = databaseOptions(settings);
  if (options === undefined) {
    const { openSqliteCatalogClient } = await import('./sqlite/open.ts');
    return openSqliteCatalogClient(settings);
  }
  // Any number of processes may have the whole store open.
  const { openPostgresStore } = await import('./postgres/open.ts');
  return openPostgresStore(options);
}

/** For the command line: whole merchants in and out, beside running servers or without one. */
export async function openMoves(settings: StoreSettings): Promise<MoveStore> {
  const options = databaseOptions(settings);
  if (options === undefined) {
    const { openSqliteMoves } = await import('./sqlite/open.ts');
    return openSqliteMoves(settings);
  }
  const { openPostgresMoves } = await import('./postgres/open.ts');
  return openPostgresMoves(options);
}

/** For the command line: the whole store out and in, while nobody else uses it. */
export async function openCopyStore(settings: StoreSettings): Promise<CopyStore> {
  const options = databaseOptions(settings);
  if (options === undefined) {
    const { openSqliteCopyStore } = await import('./sqlite/open.ts');
    return openSqliteCopyStore(settings);
  }
  const { openPostgresCopyStore } = await import('./postgres/open.ts');
  return openPostgresCopyStore(options);
}

/** Whether a server may be at work on the store. Those on PostgreSQL may be on any machine, so that one may be. */
export async function mayBeServed(settings: StoreSettings): Promise<boolean> {
  if (settings.databaseUrl !== undefined) return true;
  const { isDataDirLocked } = await import('./sqlite/engine/lock.ts');
  return isDataDirLocked(settings.dataDir);
}

/** Connections that a process opens at most: those of the store that answers requests, and of the one that was handed over. */
export function connectionsOfProcess({ databasePoolMax }: Pick<StoreSettings, 'databasePoolMax'>): number {
  return databasePoolMax + Math.min(databasePoolMax, HANDED_OVER_POOL_MAX);
}

/** Undefined where the embedded store is meant. */
function databaseOptions(settings: StoreSettings): DatabaseOptions | undefined {
  if (settings.databaseUrl === undefined) return undefined;
  return {
    url: settings.databaseUrl,
    connections_max: settings.databasePoolMax,
    call_ms_max: settings.databaseCallMsMax,
    statement_ms_max: settings.databaseStatementMsMax,
    lock_ms_max: settings.databaseLockMsMax,
  };
}
