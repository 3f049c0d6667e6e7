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
import type { BatchLimits } from './offers/micro-batches.ts';
import type { ScanLimits } from './offers/offer-scans.ts';
import { createPostgresStore } from './store.ts';

export interface PostgresStoreOptions extends DatabaseOptions {
  /** Whether changes of offers are recorded. Default: true. */
  readonly keepsHistory?: boolean;
  readonly writeLimits?: Partial<BatchLimits>;
  readonly scanLimits?: Partial<ScanLimits>;
}

/** Waiting limits as in the embedded store. A batch takes at most about 30 ms, far below the statement timeout. */
const WRITE_LIMITS: Omit<BatchLimits, 'call_ms_max' | 'running_max'> = Object.freeze({
  waiting_calls_max: 10_000,
  waiting_characters_max: 67_108_864,
  batch_calls_max: 1_000,
  batch_characters_max: 4_194_304,
});

const SCAN_LIMITS: Omit<ScanLimits, 'running_max'> = Object.freeze({
  waiting_calls_max: 1_000,
  waiting_characters_max: 67_108_864,
});

/** Share of the connections that lists may use. */
const SCANNING_SHARE = 1 / 3;
/** Connections that offer writes leave free: writes wait for row locks, and must not block rate counters and lists. */
const CONNECTIONS_NOT_WRITING = 2;

export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const database = await openMigrated(options);
  const { call_ms_max, connections_max, connections_shared } = database;
  const writing_max = Math.max(1, connections_max - connections_shared - CONNECTIONS_NOT_WRITING);
  const scanning_max = Math.max(1, Math.floor(connections_max * SCANNING_SHARE));
  return createPostgresStore(database, {
    writeLimits: { ...WRITE_LIMITS, call_ms_max, running_max: writing_max, ...options.writeLimits },
    scanLimits: { ...SCAN_LIMITS, running_max: scanning_max, ...options.scanLimits },
    keepsHistory: options.keepsHistory ?? true,
  });
}

/** Opens only the settings, for the command line, whether or not a server runs. */
export async function openPostgresSetupStore(
  options: DatabaseOptions,
): Promise<SetupStore & { close(): Promise<void> }> {
  const database = await openMigrated(options);
  return { ...setupMethods(runCommandsOn(database)), close: () => database.close() };
}

/** Opens exports and imports of merchants, for the command line, whether or not a server runs. */
export async function openPostgresMoves(options: DatabaseOptions): Promise<MoveStore> {
  await migrateAlone(options, requireWholeCopy);
  return createMoveStore(createMoveEngine(options));
}

/** Opens copies of a whole database, for the command line, while no server runs. */
export async function openPostgresCopyStore(options: DatabaseOptions): Promise<CopyStore> {
  await migrateAlone(options);
  return createCopyStore(createMoveEngine(options));
}

async function openMigrated(options: DatabaseOptions): Promise<Database> {
  let workers = 0;
  await migrateAlone(options, async (connection) => {
    await requireWholeCopy(connection);
    workers = await readWorkers(connection);
  });
  return openDatabase({ ...options, workers });
}

async function requireWholeCopy(connection: Connection): Promise<void> {
  refuseUnfinishedCopy(await connection.run(READ_COPY_MARK));
}

/** Has no statement timeout: indexing a large table takes long, and so does waiting for another process that does it. */
async function migrateAlone(
  { url, call_ms_max }: DatabaseOptions,
  inspect: (connection: Connection) => Promise<void> = async () => {},
): Promise<void> {
  const database = openDatabase({ url, connections_max: 1, call_ms_max, statement_ms_max: 0, lock_ms_max: 0 });
  try {
    await migrate(database);
    await inspect(database);
  } finally {
    await database.close();
  }
}
