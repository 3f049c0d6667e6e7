/** Checks the database of a data folder without changing it: log, schema, damage and unfinished work. */
import { existsSync, statSync } from 'node:fs';
import { type Finding, fail, ok, warn } from '../../domain/health.ts';
import { sizeText } from '../../domain/vocabulary/sizes.ts';
import { StoreUnavailableError } from '../port/errors.ts';
import { inspectTables, schemaFinding } from '../shared/checkup.ts';
import { type Connection, sqlOn } from './engine/connection.ts';
import { listDamagedLogs } from './engine/damaged-log.ts';
import { databaseFile, hasDatabaseFile } from './engine/data-dir.ts';
import { type Depth, faultsText, findFaults, readSchemaVersion } from './engine/database-check.ts';
import { mayBeDiskFault, openForReading, RESTORE_ADVICE, storeError } from './engine/engine.ts';
import { MIGRATIONS } from './schema/migration-list.ts';

/** Maximum size of a healthy log. The server truncates the log at each checkpoint; a larger log means that something prevents that. */
const LOG_BYTES_MAX = 1_073_741_824;

export async function* inspectDataDir(dataDir: string, depth: Depth, nowMs: number): AsyncGenerator<Finding> {
  const absent = absentFinding(dataDir);
  if (absent !== undefined) {
    yield absent;
    return;
  }
  const file = databaseFile(dataDir);
  yield inspectLog(`${file}-wal`);
  for (const kept of listDamagedLogs(file)) {
    yield fail(
      'log',
      `The log ${kept} lost transactions. See "A damaged log" in docs/operate/operating.md, then remove the file.`,
    );
  }
  try {
    using connection = openForReading(file);
    const version = readSchemaVersion(connection);
    yield schemaFinding(version, MIGRATIONS.length);
    yield inspectSoundness(connection, depth);
    if (version === 0) return;
    yield* await inspectTables(sqlOn(connection), nowMs);
  } catch (error) {
    const mapped = storeError(error);
    const reason = mapped instanceof StoreUnavailableError ? mapped.message : String(error);
    yield fail('database', mayBeDiskFault(error) ? `${reason} If this persists, ${RESTORE_ADVICE}.` : reason);
  }
}

/** Returns a finding if the database file is missing; undefined if it exists. */
function absentFinding(dataDir: string): Finding | undefined {
  const isFile = statSync(dataDir, { throwIfNoEntry: false })?.isDirectory() === false;
  if (isFile) return fail('folder', `${dataDir} is not a folder; set DATA_DIR to one.`);
  try {
    if (hasDatabaseFile(dataDir)) return undefined;
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    return fail('database', error.message);
  }
  // Only a database that was deleted or replaced leaves a log.
  const advice = existsSync(`${databaseFile(dataDir)}-wal`)
    ? `only the log of a deleted one; ${RESTORE_ADVICE}`
    : 'check DATA_DIR, or start the server, which creates one';
  return fail('database', `There is no database in ${dataDir}: ${advice}.`);
}

function inspectLog(log: string): Finding {
  const bytes = existsSync(log) ? statSync(log).size : 0;
  const found = `The write-ahead log has ${sizeText(bytes)}`;
  return bytes > LOG_BYTES_MAX
    ? warn(
        'log',
        `${found}: an export or backup that never ends may keep it from shrinking. Stop it, or restart the server.`,
      )
    : ok('log', `${found}.`);
}

function inspectSoundness(connection: Connection, depth: Depth): Finding {
  const faults = findFaults(connection, depth);
  return faults.length === 0
    ? ok('database', `No damage found (${depth} check).`)
    : fail('database', `Damaged (${faultsText(faults)}): ${RESTORE_ADVICE}.`);
}
