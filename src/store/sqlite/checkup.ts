/** Checks a data folder without changing it: permissions, disk space, log, and whether the database is sound. */
import { existsSync, statfsSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { StoreUnavailableError } from '../port/errors.ts';
import {
  type Finding,
  fail,
  inspectCopy,
  inspectMoves,
  inspectTimes,
  ok,
  schemaFinding,
  warn,
} from '../shared/finding.ts';
import { listDamagedLogs } from './engine/damaged-log.ts';
import { DISK_BYTES_FREE_MIN, databaseFile, hasDatabaseFile } from './engine/data-dir.ts';
import { type Depth, findFaults, readSchemaVersion } from './engine/database-check.ts';
import { type Connection, openForReading, storeError } from './engine/engine.ts';
import { sqlOn } from './engine/sql.ts';
import { MIGRATIONS } from './schema/migration-list.ts';

const GIB = 1_073_741_824;
const DISK_BYTES_ROOMY = GIB;
const DISK_SHARE_FREE_MIN = 0.1;
/** The server truncates it at each checkpoint; a larger log means that something prevents that. */
const LOG_BYTES_MAX = GIB;
const RESTORE_ADVICE = 'stop the server and put the last backup in place with "offerbook restore --replace"';

export async function* inspectDataDir(dataDir: string, depth: Depth, nowMs: number): AsyncGenerator<Finding> {
  const absent = absentFinding(dataDir);
  if (!existsSync(dataDir)) {
    if (absent !== undefined) yield absent;
    return;
  }
  if (!statSync(dataDir).isDirectory()) {
    yield fail('folder', `${dataDir} is not a folder; set DATA_DIR to one.`);
    return;
  }
  yield inspectPrivacy(dataDir);
  yield inspectDisk(dataDir);
  const file = databaseFile(dataDir);
  if (absent !== undefined) {
    yield absent;
    return;
  }
  yield inspectLog(`${file}-wal`);
  for (const kept of listDamagedLogs(file)) {
    yield fail('log', `${kept} lost transactions: see "A damaged log" in docs/operate/operating.md, then remove it.`);
  }
  let connection: Connection | undefined;
  try {
    connection = openForReading(file);
    const version = readSchemaVersion(connection);
    yield schemaFinding(version, MIGRATIONS.length);
    yield inspectSoundness(connection, depth);
    if (version === 0) return;
    const sql = sqlOn(connection);
    yield await inspectTimes(sql, nowMs);
    yield await inspectCopy(sql);
    yield await inspectMoves(sql);
  } catch (error) {
    const mapped = storeError(error);
    const reason = mapped instanceof StoreUnavailableError ? mapped.message : String(error);
    yield fail('database', `${reason} If it stays so, ${RESTORE_ADVICE}.`);
  } finally {
    connection?.close();
  }
}

/** Undefined when there is a database file. */
function absentFinding(dataDir: string): Finding | undefined {
  try {
    if (hasDatabaseFile(dataDir)) return undefined;
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    return fail('database', error.message);
  }
  return fail(
    'database',
    `There is no database in ${dataDir}: check DATA_DIR, or start the server, which creates one.`,
  );
}

function inspectPrivacy(dataDir: string): Finding {
  const check = 'permissions';
  const file = databaseFile(dataDir);
  const files = [file, `${file}-wal`, `${file}-shm`, `${dataDir}/serve.lock`].filter((path) => existsSync(path));
  const open = [dataDir, ...files].filter((path) => (statSync(path).mode & 0o077) !== 0);
  if (open.length > 0) {
    const advice = `chmod 700 ${dataDir} and chmod 600 the files in it`;
    return warn(check, `Others may enter ${open.join(', ')}, which hold secrets: ${advice}.`);
  }
  const user = process.geteuid?.();
  const foreign = [dataDir, ...files].filter((path) => user !== undefined && statSync(path).uid !== user);
  if (foreign.length > 0) {
    const owner = statSync(foreign[0] ?? dataDir).uid;
    const found = `${foreign.join(', ')} ${foreign.length === 1 ? 'belongs' : 'belong'} to`;
    if (user === 0) return warn(check, `${found} user ${owner}: run offerbook as that user.`);
    const advice = `run "chown -R ${userName(user)} ${dataDir}" as root`;
    return owner === 0
      ? fail(check, `${found} root: ${advice}.`)
      : fail(check, `${found} user ${owner}: run offerbook as that user, or ${advice}.`);
  }
  return ok(check, 'The folder and its files are for their owner only.');
}

/** A user of a container may have no name. */
function userName(user: number | undefined): string {
  try {
    return userInfo().username;
  } catch {
    return String(user);
  }
}

function inspectDisk(dataDir: string): Finding {
  const { bavail, blocks, bsize } = statfsSync(dataDir);
  const free = bavail * bsize;
  const share = blocks === 0 ? 1 : bavail / blocks;
  const found = `${gib(free)} GiB free, ${Math.round(share * 100)}% of the disk`;
  if (free < DISK_BYTES_FREE_MIN) {
    return fail('disk', `${found}: make room, it is full. Writes are refused, reads are served.`);
  }
  return free < DISK_BYTES_ROOMY || share < DISK_SHARE_FREE_MIN
    ? warn('disk', `${found}: make room, writes are refused when it is full.`)
    : ok('disk', `${found}.`);
}

function inspectLog(log: string): Finding {
  const bytes = existsSync(log) ? statSync(log).size : 0;
  const found = `The write-ahead log has ${(bytes / 1_048_576).toFixed(1)} MiB`;
  return bytes > LOG_BYTES_MAX
    ? warn('log', `${found}: an export or backup that never ends may hold it; look for one, else restart the server.`)
    : ok('log', `${found}.`);
}

function inspectSoundness(connection: Connection, depth: Depth): Finding {
  const faults = findFaults(connection, depth);
  return faults.length === 0
    ? ok('database', `No damage found (${depth} check).`)
    : fail('database', `Damaged (${faults[0]}): ${RESTORE_ADVICE}.`);
}

function gib(bytes: number): string {
  return (bytes / GIB).toFixed(1);
}
