/** In charge of reviewing a data folder as it is, without changing it: whether its database is sound, private and roomy. */
import { existsSync, statfsSync, statSync } from 'node:fs';
import { StoreUnavailableError } from '../port/errors.ts';
import { copyFinding, type Finding, movesFinding } from '../shared/finding.ts';
import { copyMarkOf, READ_COPY_MARK } from '../shared/moves/copy-store.ts';
import { listMerchants } from '../shared/settings/merchants.ts';
import { listDamagedLogs } from './engine/damaged-log.ts';
import { DISK_BYTES_FREE_MIN, databaseFile } from './engine/data-dir.ts';
import { type Depth, findFaults, readSchemaVersion, versionFault } from './engine/database-check.ts';
import { type Connection, openForReading, query, storeError } from './engine/engine.ts';
import { runStatement, sqlOn } from './engine/sql.ts';
import { MIGRATIONS } from './schema/migration-list.ts';

const GIB = 1_073_741_824;
const DISK_BYTES_ROOMY = GIB;
const DISK_SHARE_FREE_MIN = 0.1;
/** The server cuts it back at each checkpoint; larger, something keeps it from that. */
const LOG_BYTES_MAX = GIB;
const RESTORE_ADVICE = 'stop the server and put the last backup in place with "offerbook restore --replace"';

export async function* inspectDataDir(dataDir: string, depth: Depth, nowMs: number): AsyncGenerator<Finding> {
  if (!existsSync(dataDir)) {
    yield databaseMissing(dataDir);
    return;
  }
  if (!statSync(dataDir).isDirectory()) {
    yield { check: 'folder', state: 'fail', text: `${dataDir} is not a folder; set DATA_DIR to one.` };
    return;
  }
  yield inspectPrivacy(dataDir);
  yield inspectDisk(dataDir);
  const file = databaseFile(dataDir);
  if (!existsSync(file)) {
    yield databaseMissing(dataDir);
    return;
  }
  yield inspectLog(`${file}-wal`);
  for (const kept of listDamagedLogs(file)) {
    yield {
      check: 'log',
      state: 'fail',
      text: `${kept} lost transactions: see "A damaged log" in docs/operating.md, then remove it.`,
    };
  }
  let connection: Connection | undefined;
  try {
    connection = openForReading(file);
    yield inspectVersion(connection);
    yield inspectTimes(connection, nowMs);
    yield inspectSoundness(connection, depth);
    yield* inspectMoves(connection);
  } catch (error) {
    const mapped = storeError(error);
    const reason = mapped instanceof StoreUnavailableError ? mapped.message : String(error);
    yield { check: 'database', state: 'fail', text: `${reason} If it stays so, ${RESTORE_ADVICE}.` };
  } finally {
    connection?.close();
  }
}

function databaseMissing(dataDir: string): Finding {
  const text = `There is no database in ${dataDir}: check DATA_DIR, or start the server, which creates one.`;
  return { check: 'database', state: 'fail', text };
}

function inspectPrivacy(dataDir: string): Finding {
  const check = 'permissions';
  const file = databaseFile(dataDir);
  const files = [file, `${file}-wal`, `${file}-shm`, `${dataDir}/serve.lock`].filter((path) => existsSync(path));
  const open = [dataDir, ...files].filter((path) => (statSync(path).mode & 0o077) !== 0);
  if (open.length > 0) {
    const advice = `chmod 700 ${dataDir} and chmod 600 the files in it`;
    return { check, state: 'warn', text: `Others may enter ${open.join(', ')}, which hold secrets: ${advice}.` };
  }
  const user = process.geteuid?.();
  const foreign = [dataDir, ...files].filter((path) => user !== undefined && statSync(path).uid !== user);
  if (foreign.length > 0) {
    const owner = statSync(foreign[0] ?? dataDir).uid;
    const text = `${foreign.join(', ')} belong to user ${owner}: run offerbook as that user.`;
    return { check, state: user === 0 ? 'warn' : 'fail', text };
  }
  return { check, state: 'ok', text: 'The folder and its files are for their owner only.' };
}

function inspectDisk(dataDir: string): Finding {
  const { bavail, blocks, bsize } = statfsSync(dataDir);
  const free = bavail * bsize;
  const share = blocks === 0 ? 1 : bavail / blocks;
  const found = `${gib(free)} GiB free, ${Math.round(share * 100)}% of the disk`;
  if (free < DISK_BYTES_FREE_MIN) {
    return {
      check: 'disk',
      state: 'fail',
      text: `${found}: make room, it is full. Writes are refused, reads are served.`,
    };
  }
  return free < DISK_BYTES_ROOMY || share < DISK_SHARE_FREE_MIN
    ? { check: 'disk', state: 'warn', text: `${found}: make room, writes are refused when it is full.` }
    : { check: 'disk', state: 'ok', text: `${found}.` };
}

function inspectLog(log: string): Finding {
  const bytes = existsSync(log) ? statSync(log).size : 0;
  const found = `The write-ahead log has ${(bytes / 1_048_576).toFixed(1)} MiB`;
  return bytes > LOG_BYTES_MAX
    ? {
        check: 'log',
        state: 'warn',
        text: `${found}: an export or backup that never ends may hold it; look for one, else restart the server.`,
      }
    : { check: 'log', state: 'ok', text: `${found}.` };
}

function inspectVersion(connection: Connection): Finding {
  const check = 'schema';
  const version = readSchemaVersion(connection);
  const known = MIGRATIONS.length;
  switch (versionFault(version)) {
    case 'foreign':
      return { check, state: 'warn', text: 'The database is empty; the first command fills it.' };
    case 'newer':
      return {
        check,
        state: 'fail',
        text: `Version ${version}, this program knows up to ${known}: run the newer release.`,
      };
    default:
      return version < known
        ? { check, state: 'ok', text: `Version ${version}; the next start brings it to ${known}.` }
        : { check, state: 'ok', text: `Version ${version}, the newest.` };
  }
}

/** A clock that was set back makes tokens and overlaps last longer than promised. */
function inspectTimes(connection: Connection, nowMs: number): Finding {
  const check = 'clock of the data';
  if (readSchemaVersion(connection) === 0) return { check, state: 'ok', text: 'Nothing is stored yet.' };
  const latestMs =
    query<[number | null]>(
      connection,
      `SELECT max(ms) FROM (SELECT max(created_ms) AS ms FROM signing_key UNION ALL SELECT max(created_ms) FROM merchant
         UNION ALL SELECT max(created_ms) FROM credential)`,
    ).get()?.[0] ?? 0;
  return latestMs > nowMs + 60_000
    ? {
        check,
        state: 'fail',
        text: `Setup was changed at ${new Date(latestMs).toISOString()}, which is yet to come: set this machine's clock.`,
      }
    : { check, state: 'ok', text: 'Nothing stored is from the future.' };
}

function inspectSoundness(connection: Connection, depth: Depth): Finding {
  const faults = findFaults(connection, depth);
  return faults.length === 0
    ? { check: 'database', state: 'ok', text: `Sound, by a ${depth} check.` }
    : { check: 'database', state: 'fail', text: `Damaged (${faults[0]}): ${RESTORE_ADVICE}.` };
}

/** A release that knew no such marks has left none. */
async function* inspectMoves(connection: Connection): AsyncGenerator<Finding> {
  const table = query<[1]>(connection, 'SELECT 1 FROM sqlite_schema WHERE name = ?');
  if (table.get('copy_mark') !== undefined)
    yield copyFinding(copyMarkOf(runStatement(connection, READ_COPY_MARK))?.source);
  if (table.get('pending_removal') !== undefined) yield movesFinding(await listMerchants(sqlOn(connection)));
}

function gib(bytes: number): string {
  return (bytes / GIB).toFixed(1);
}
