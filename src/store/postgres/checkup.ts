/** Inspects a PostgreSQL database without changing it: version, durability, clock, connections and schema. */
import { StoreUnavailableError } from '../port/errors.ts';
import { copyFinding, type Finding, movesFinding } from '../shared/finding.ts';
import { copyMarkOf, READ_COPY_MARK } from '../shared/moves/copy-store.ts';
import { listMerchants } from '../shared/settings/merchants.ts';
import { type Connection, openDatabase, statement } from './engine/engine.ts';
import { readSchemaVersion } from './engine/migrations.ts';
import { MIGRATIONS } from './schema/migration-list.ts';

export interface CheckupOptions {
  readonly url: string;
  /** How many a process opens. */
  readonly connections_max: number;
}

const VERSION_MIN = 15;
const CALL_MS_MAX = 5000;
const CLOCK_SKEW_MS_MAX = 2000;

/**
 * Leaves out synchronous_commit, which Offerbook turns on for every connection. Counts connections by statistics that every user may
 * read.
 */
const SERVER = statement<
  [versionNumber: number, version: string, off: string[], citus: string | null, connections: number, used: number]
>(
  'check server',
  `SELECT current_setting('server_version_num')::integer, current_setting('server_version'),
     ARRAY(SELECT name FROM unnest(ARRAY['fsync', 'full_page_writes']) AS name WHERE current_setting(name) = 'off'),
     (SELECT extversion FROM pg_extension WHERE extname = 'citus'),
     current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer,
     (SELECT sum(numbackends)::integer FROM pg_stat_database)`,
);
const CLOCK = statement<[nowMs: number]>(
  'check clock',
  'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint',
);
const LATEST = statement<[ms: number | null]>(
  'check latest time',
  `SELECT max(ms) FROM (SELECT max(created_ms) AS ms FROM signing_key UNION ALL SELECT max(created_ms) FROM merchant
     UNION ALL SELECT max(created_ms) FROM credential) AS latest`,
);

export async function inspectDatabase({ url, connections_max }: CheckupOptions): Promise<Finding[]> {
  const limits = { call_ms_max: CALL_MS_MAX, statement_ms_max: CALL_MS_MAX, lock_ms_max: CALL_MS_MAX };
  const database = openDatabase({ url, connections_max: 1, ...limits });
  const findings: Finding[] = [];
  try {
    findings.push(...(await inspectServer(database, connections_max)));
    findings.push(await inspectClock(database));
    findings.push(...(await inspectTables(database)));
  } catch (error) {
    findings.push({ check: 'database', state: 'fail', text: `${reasonOf(error)} See DATABASE_URL.` });
  } finally {
    await database.close();
  }
  return findings;
}

async function inspectServer(connection: Connection, connections_max: number): Promise<Finding[]> {
  const [row] = await connection.run(SERVER);
  const [versionNumber, version, off, citus, connections, used] = row ?? [0, 'unknown', [], null, 0, 0];
  const free = Math.max(0, connections - used);
  const found = `${free} of ${connections} are free, and a process opens up to ${connections_max}`;
  return [
    versionNumber < VERSION_MIN * 10_000
      ? finding('database', 'fail', `PostgreSQL ${version} is too old: ${VERSION_MIN} is the oldest that works.`)
      : finding('database', 'ok', `PostgreSQL ${version}.`),
    off.length > 0
      ? finding('durability', 'warn', `${off.join(', ')} off: a crash may lose writes that were accepted; turn on.`)
      : finding('durability', 'ok', 'Commits reach the disk before they count.'),
    free < connections_max
      ? finding('connections', 'warn', `${found}: raise max_connections, or lower DATABASE_POOL_MAX.`)
      : finding('connections', 'ok', `${found}.`),
    finding('citus', 'ok', citus === null ? 'Not in this database: one server holds it all.' : `Version ${citus}.`),
  ];
}

function finding(check: string, state: Finding['state'], text: string): Finding {
  return { check, state, text };
}

/** Offerbook uses the clocks of its own machines; the database's clock shows whether they agree. */
async function inspectClock(connection: Connection): Promise<Finding> {
  const check = 'clock of the database';
  const startMs = Date.now();
  const [row] = await connection.run(CLOCK);
  const endMs = Date.now();
  const databaseMs = row?.[0] ?? 0;
  // The clock was read between the two.
  const skewMs = Math.max(startMs - databaseMs, databaseMs - endMs, 0);
  return skewMs > CLOCK_SKEW_MS_MAX
    ? finding(check, 'warn', `${Math.round(skewMs / 1000)} s away from this machine's: see to both.`)
    : finding(check, 'ok', "Goes with this machine's.");
}

async function inspectTables(connection: Connection): Promise<Finding[]> {
  const check = 'schema';
  const version = await readSchemaVersion(connection);
  const known = MIGRATIONS.length;
  if (version === 0) return [finding(check, 'warn', 'The database is empty; the first command fills it.')];
  if (version > known) {
    return [finding(check, 'fail', `Version ${version}, this program knows up to ${known}: run the newer release.`)];
  }
  const text =
    version < known ? `Version ${version}; the next start brings it to ${known}.` : `Version ${version}, the newest.`;
  return [
    finding(check, 'ok', text),
    await inspectTimes(connection),
    copyFinding(copyMarkOf(await connection.run(READ_COPY_MARK))?.source),
    movesFinding(await listMerchants(connection)),
  ];
}

/** If the clock was set back, tokens and old keys stay valid for too long. */
async function inspectTimes(connection: Connection): Promise<Finding> {
  const check = 'clock of the data';
  const latestMs = (await connection.run(LATEST))[0]?.[0] ?? 0;
  if (latestMs <= Date.now() + 60_000) return finding(check, 'ok', 'Nothing stored is from the future.');
  const text = `Setup was changed at ${new Date(latestMs).toISOString()}, which is yet to come: set this machine's clock.`;
  return finding(check, 'fail', text);
}

/** Includes the cause, which names addresses and users, but never passwords. */
function reasonOf(error: unknown): string {
  if (!(error instanceof StoreUnavailableError)) return `It answered with a failure: ${error}.`;
  return error.cause instanceof Error && error.cause.message !== ''
    ? `${error.message} (${error.cause.message})`
    : error.message;
}
