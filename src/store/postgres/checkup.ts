/** Inspects a PostgreSQL database without changing it: version, encoding, durability, clock, connections and schema. */
import { type Finding, fail, ok, warn } from '../../domain/health.ts';
import { StoreUnavailableError } from '../port/errors.ts';
import { inspectTables, schemaFinding } from '../shared/checkup.ts';
import { type Connection, openDatabase, statement } from './engine/engine.ts';
import { findEncodingFault, readSchemaVersion } from './engine/migrations.ts';
import { sqlState } from './engine/store-errors.ts';
import { MIGRATIONS } from './schema/migration-list.ts';

const VERSION_MIN = 15;
const CALL_MS_MAX = 5000;
const CLOCK_SKEW_MS_MAX = 2000;

/** Omits synchronous_commit, which Offerbook turns on itself. Counts connections with statistics that every user can read. */
const SERVER = statement<
  [versionNumber: number, version: string, off: string[], citus: string | null, connections: number, used: number]
>('check server')`
  SELECT current_setting('server_version_num')::integer, current_setting('server_version'),
    ARRAY(SELECT name FROM unnest(ARRAY['fsync', 'full_page_writes']) AS name WHERE current_setting(name) = 'off'),
    (SELECT extversion FROM pg_extension WHERE extname = 'citus'),
    current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer,
    (SELECT sum(numbackends)::integer FROM pg_stat_database)`;
const CLOCK = statement<[nowMs: number]>('check clock')`SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint`;
/** Whether Offerbook has created its tables in the database. */
export async function hasTables(url: string, call_ms_max: number): Promise<boolean> {
  await using database = openDatabase({ url, connections_max: 1, call_ms_max });
  return (await readSchemaVersion(database)) > 0;
}

/** `connections_max`: the maximum number of connections that a process opens. */
export async function inspectDatabase(url: string, connections_max: number): Promise<Finding[]> {
  const limits = { call_ms_max: CALL_MS_MAX, statement_ms_max: CALL_MS_MAX, lock_ms_max: CALL_MS_MAX };
  await using database = openDatabase({ url, connections_max: 1, ...limits });
  const findings: Finding[] = [];
  try {
    findings.push(...(await inspectServer(database, connections_max)));
    findings.push(await inspectEncoding(database));
    findings.push(await inspectClock(database));
    const version = await readSchemaVersion(database);
    findings.push(schemaFinding(version, MIGRATIONS.length));
    if (version > 0 && version <= MIGRATIONS.length) findings.push(...(await inspectTables(database, Date.now())));
  } catch (error) {
    findings.push(fail('database', `${reasonOf(error)} Check DATABASE_URL.`));
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
      ? fail('database', `PostgreSQL ${version} is too old: ${VERSION_MIN} or newer is required.`)
      : ok('database', `PostgreSQL ${version}.`),
    off.length > 0
      ? warn('durability', `${off.join(', ')} off: a crash may lose accepted writes. Turn it on.`)
      : ok('durability', 'Commits are flushed to disk before they are acknowledged.'),
    free < connections_max
      ? warn('connections', `${found}: raise max_connections, or lower DATABASE_POOL_MAX.`)
      : ok('connections', `${found}.`),
    ok('citus', citus === null ? 'Not installed: a single server holds all data.' : `Version ${citus}.`),
  ];
}

async function inspectEncoding(connection: Connection): Promise<Finding> {
  const fault = await findEncodingFault(connection);
  return fault === undefined ? ok('encoding', 'UTF8.') : fail('encoding', fault);
}

/** Compares the database's clock with this machine's clock, because Offerbook uses both. */
async function inspectClock(connection: Connection): Promise<Finding> {
  const check = 'database clock';
  const startMs = Date.now();
  const [row] = await connection.run(CLOCK);
  const endMs = Date.now();
  const databaseMs = row?.[0] ?? 0;
  // The database read its clock between these two times.
  const skew_ms = Math.max(startMs - databaseMs, databaseMs - endMs, 0);
  return skew_ms > CLOCK_SKEW_MS_MAX
    ? warn(check, `${Math.round(skew_ms / 1000)} s away from this machine's clock: check the time service of both.`)
    : ok(check, "Agrees with this machine's clock.");
}

/** Describes the error with its cause, which names addresses and users, but never passwords. */
function reasonOf(error: unknown): string {
  const { code, path } = error as NodeJS.ErrnoException;
  if (path !== undefined) return `The file ${path}, which the URL names, cannot be read (${code}).`;
  if (!(error instanceof StoreUnavailableError)) return `The database returned an error: ${error}.`;
  // Without a SQLSTATE, the connection itself failed, and the message says why.
  return sqlState(error.cause) === undefined ? error.message : `${error.message} (${(error.cause as Error).message})`;
}
