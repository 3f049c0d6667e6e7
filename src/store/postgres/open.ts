/** Opens the PostgreSQL store: migrates the database, then connects to it. */
import type { CopyStore } from '../port/copy.ts';
import type { MoveStore } from '../port/moves.ts';
import type { SetupStore, Store } from '../port.ts';
import { setupMethods } from '../shared/aggregates.ts';
import { createCopyStore, READ_COPY_MARK, refuseUnfinishedCopy } from '../shared/moves/copy-store.ts';
import { createMoveStore } from '../shared/moves/move-store.ts';
import { readWorkers } from './engine/distribution.ts';
import { type Connection, type Database, type DatabaseOptions, openDatabase } from './engine/engine.ts';
import { migrate } from './engine/migrations.ts';
import { runCommandsOn } from './engine/shared-commands.ts';
import { createMoveEngine } from './moves/moves.ts';
import { createPostgresStore } from './store.ts';

export interface PostgresStoreOptions extends DatabaseOptions {
  /** Whether changes to offers are recorded. Default: true. */
  readonly keepsHistory?: boolean;
}

export async function openPostgresStore({ keepsHistory = true, ...options }: PostgresStoreOptions): Promise<Store> {
  return createPostgresStore(await openMigrated(options), keepsHistory);
}

/** Opens only the settings and the catalog, for the command line, whether or not a server runs. */
export async function openPostgresSetupStore(
  options: DatabaseOptions,
): Promise<SetupStore & { close(): Promise<void> }> {
  const database = await openMigrated(options);
  return { ...setupMethods(runCommandsOn(database)), close: () => database.close() };
}

/** Opens merchant exports, imports and removals for the command line, whether or not a server runs. */
export async function openPostgresMoves(options: DatabaseOptions): Promise<MoveStore> {
  const workers = await migrateAlone(options, requireWholeCopy);
  return createMoveStore(createMoveEngine({ ...options, workers }));
}

/** Opens whole-database copies for the command line, while no server runs. */
export async function openPostgresCopyStore(options: DatabaseOptions): Promise<CopyStore> {
  const workers = await migrateAlone(options);
  return createCopyStore(createMoveEngine({ ...options, workers }));
}

async function openMigrated(options: DatabaseOptions): Promise<Database> {
  const workers = await migrateAlone(options, requireWholeCopy);
  return openDatabase({ ...options, workers });
}

async function requireWholeCopy(connection: Connection): Promise<void> {
  refuseUnfinishedCopy(await connection.run(READ_COPY_MARK));
}

/** Migrates without a statement timeout, because indexing a large table, or waiting for that, is slow. Returns the number of workers. */
async function migrateAlone(
  { url, call_ms_max }: DatabaseOptions,
  check?: (connection: Connection) => Promise<void>,
): Promise<number> {
  await using database = openDatabase({ url, connections_max: 1, call_ms_max, statement_ms_max: 0, lock_ms_max: 0 });
  await migrate(database);
  await check?.(database);
  return await readWorkers(database);
}
