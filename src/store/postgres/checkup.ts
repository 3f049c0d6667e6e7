/** In charge of reviewing a PostgreSQL as it is, without changing it: whether it is new enough, safe and roomy. */
import { StoreUnavailableError } from '../port/errors.ts';
import { copyFinding, type Finding, movesFinding } from '../shared/finding.ts';
import { copyMarkOf, READ_COPY_MARK } from '../shared/moves/copy-store.ts';
import { listMerchants } from '../shared/settings/merchants.ts';
import { type Connection, openDatabase, statement } from './engine/engine.ts';
import { MIGRATIONS } from './schema/migration-list.ts';

export interface CheckupOptions {
  readonly url: string;
  /** Of one process. */
  readonly connections_max: number;
}

const VERSION_MIN = 15;
const CALL_MS_MAX = 5000;
const CLOCK_SKEW_MS_MAX = 2000;

const SERVER = statement<[versionNumber: number, version: string]>(
  'check server',
  `SELECT current_setting('server_version_num')::integer, current_setting('server_version')`,
);
const CLOCK = statement<[nowMs: number]>(
  'check clock',
  'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint',
);
/** Without synchronous_commit, which every connection of Offerbook turns on for itself. */
const DURABILITY = statement<[fsync: string, fullPageWrites: string]>(
  'check durability',
  `SELECT current_setting('fsync'), current_setting('full_page_writes')`,
);
/** Taken from the statistics of all databases, which every user may read. */
const CONNECTIONS = statement<[max: number, used: number]>(
  'check connections',
  `SELECT current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer,
     (SELECT sum(numbackends) FROM pg_stat_database)`,
);
const HAS_TABLES = statement<[boolean]>('check tables', `SELECT to_regclass('migration') IS NOT NULL`);
const SCHEMA = statement<[version: number]>('check schema', 'SELECT coalesce(max(number), 0) FROM migration');
const HAS_MARKS = statement<[copies: boolean, moves: boolean]>(
  'check marks',
  `SELECT to_regclass('copy_mark') IS NOT NULL, to_regclass('pending_removal') IS NOT NULL`,
);
const LATEST = statement<[ms: number | null]>(
  'check latest time',
  `SELECT max(ms) FROM (SELECT max(created_ms) AS ms FROM signing_key UNION ALL SELECT max(created_ms) FROM merchant
     UNION ALL SELECT max(created_ms) FROM credential) AS latest`,
);
const CITUS = statement<[version: string]>(
  'check citus',
  `SELECT extversion FROM pg_extension WHERE extname = 'citus'`,
);

/** Whether Offerbook has created its tables in the database. */
export async function hasTables(url: string, call_ms_max: number): Promise<boolean> {
  const database = openDatabase({ url, connections_max: 1, call_ms_max });
  try {
    return (await database.run(HAS_TABLES))[0]?.[0] ?? false;
  } finally {
    await database.close();
  }
}

export async function inspectDatabase({ url, connections_max }: CheckupOptions): Promise<Finding[]> {
  const limits = { call_ms_max: CALL_MS_MAX, statement_ms_max: CALL_MS_MAX, lock_ms_max: CALL_MS_MAX };
  const database = openDatabase({ url, connections_max: 1, ...limits });
  const findings: Finding[] = [];
  try {
    findings.push(await inspectServer(database));
    findings.push(await inspectDurability(database));
    findings.push(await inspectClock(database));
    findings.push(await inspectConnections(database, connections_max));
    findings.push(await inspectCitus(database));
    findings.push(...(await inspectTables(database)));
  } catch (error) {
    findings.push({ check: 'database', state: 'fail', text: `${reasonOf(error)} See DATABASE_URL.` });
  } finally {
    await database.close();
  }
  return findings;
}

async function inspectServer(connection: Connection): Promise<Finding> {
  const check = 'database';
  const [row] = await connection.run(SERVER);
  const [versionNumber, version] = row ?? [0, 'unknown'];
  return versionNumber < VERSION_MIN * 10_000
    ? { check, state: 'fail', text: `PostgreSQL ${version} is too old: ${VERSION_MIN} is the oldest that works.` }
    : { check, state: 'ok', text: `PostgreSQL ${version}.` };
}

async function inspectDurability(connection: Connection): Promise<Finding> {
  const check = 'durability';
  const [values = []] = await connection.run(DURABILITY);
  const off = ['fsync', 'full_page_writes'].filter((_, place) => values[place] === 'off');
  return off.length > 0
    ? { check, state: 'warn', text: `${off.join(', ')} off: a crash may lose writes that were accepted; turn on.` }
    : { check, state: 'ok', text: 'Commits reach the disk before they count.' };
}

/** Offerbook goes by the clocks of its own machines; that of the database shows whether they agree. */
async function inspectClock(connection: Connection): Promise<Finding> {
  const check = 'clock of the database';
  const startMs = Date.now();
  const [row] = await connection.run(CLOCK);
  const endMs = Date.now();
  const databaseMs = row?.[0] ?? 0;
  // It was read at some moment between the two.
  const skewMs = Math.max(startMs - databaseMs, databaseMs - endMs, 0);
  return skewMs > CLOCK_SKEW_MS_MAX
    ? { check, state: 'warn', text: `${Math.round(skewMs / 1000)} s away from this machine's: see to both.` }
    : { check, state: 'ok', text: "Goes with this machine's." };
}

async function inspectConnections(connection: Connection, connections_max: number): Promise<Finding> {
  const check = 'connections';
  const [row] = await connection.run(CONNECTIONS);
  const [max, used] = row ?? [0, 0];
  const free = Math.max(0, max - used);
  const found = `${free} of ${max} are free, and a process opens up to ${connections_max}`;
  return free < connections_max
    ? { check, state: 'warn', text: `${found}: raise max_connections, or lower DATABASE_POOL_MAX.` }
    : { check, state: 'ok', text: `${found}.` };
}

async function inspectCitus(connection: Connection): Promise<Finding> {
  const [row] = await connection.run(CITUS);
  const text = row === undefined ? 'Not in this database: one server holds it all.' : `Version ${row[0]}.`;
  return { check: 'citus', state: 'ok', text };
}

async function inspectTables(connection: Connection): Promise<Finding[]> {
  const check = 'schema';
  const [found] = await connection.run(HAS_TABLES);
  if (!found?.[0]) {
    const text = 'The database has no tables: check DATABASE_URL, or start the server, which creates them.';
    return [{ check, state: 'fail', text }];
  }
  const [row] = await connection.run(SCHEMA);
  const version = row?.[0] ?? 0;
  const known = MIGRATIONS.length;
  if (version > known) {
    const text = `Version ${version}, this program knows up to ${known}: run the newer release.`;
    return [{ check, state: 'fail', text }];
  }
  const text =
    version < known ? `Version ${version}; the next start brings it to ${known}.` : `Version ${version}, the newest.`;
  return [{ check, state: 'ok', text }, await inspectTimes(connection), ...(await inspectMoves(connection))];
}

/** A release that knew no such marks has left none. */
async function inspectMoves(connection: Connection): Promise<Finding[]> {
  const [row] = await connection.run(HAS_MARKS);
  const [hasCopies, hasMoves] = row ?? [false, false];
  return [
    ...(hasCopies ? [copyFinding(copyMarkOf(await connection.run(READ_COPY_MARK))?.source)] : []),
    ...(hasMoves ? [movesFinding(await listMerchants(connection))] : []),
  ];
}

/** A clock that was set back makes tokens and overlaps last longer than promised. */
async function inspectTimes(connection: Connection): Promise<Finding> {
  const check = 'clock of the data';
  const [row] = await connection.run(LATEST);
  const latestMs = row?.[0] ?? 0;
  return latestMs > Date.now() + 60_000
    ? {
        check,
        state: 'fail',
        text: `Setup was changed at ${new Date(latestMs).toISOString()}, which is yet to come: set this machine's clock.`,
      }
    : { check, state: 'ok', text: 'Nothing stored is from the future.' };
}

/** With what the system or the server said, where that is known: it names addresses and users, never passwords. */
function reasonOf(error: unknown): string {
  if (!(error instanceof StoreUnavailableError)) return `It answered with a failure: ${error}.`;
  return error.cause instanceof Error && error.cause.message !== ''
    ? `${error.message} (${error.cause.message})`
    : error.message;
}
