/** Migrates a database to the newest schema version (see schema/migration-list.ts); the table `migration` lists applied versions. */
import { StoreUnavailableError } from '../../port/errors.ts';
import { newerSchemaText } from '../../shared/checkup.ts';
import { MIGRATIONS } from '../schema/migration-list.ts';
import { distribute } from './distribution.ts';
import { type Connection, type Database, statement } from './engine.ts';

/** Key of the migration lock: an arbitrary number, so that no other program is likely to lock it in the same database. */
export const LOCK_KEY = 7_203_451_986;

const LOCK = statement('lock migrations')`SELECT pg_advisory_lock(${LOCK_KEY})`;
const HAS_TABLE = statement<[boolean]>('find migration table')`SELECT to_regclass('migration') IS NOT NULL`;
const ENCODING = statement<[encoding: string, name: string, create: string]>('read encoding')`
  SELECT current_setting('server_encoding'), current_database(),
    format('CREATE DATABASE %I OWNER %I TEMPLATE template0 ENCODING ''UTF8'';', current_database() || '_utf8', current_user)`;
const VERSION = statement<[version: number]>('read version')`SELECT coalesce(max(number), 0) FROM migration`;

/**
 * Migrates, and distributes the tables if Citus is installed. Processes that start on the same database at once wait for each other, so
 * `database` should have no statement timeout.
 */
export function migrate(database: Database, migrations: readonly string[] = MIGRATIONS): Promise<void> {
  // The lock ends with the connection, even if this process dies.
  return database.hold(async (connection) => {
    const fault = await findEncodingFault(connection);
    if (fault !== undefined) throw new StoreUnavailableError(fault);
    await connection.run(LOCK);
    const found = await readSchemaVersion(connection);
    if (found > migrations.length) throw new StoreUnavailableError(newerSchemaText(found, migrations.length));
    for (let version = found; version < migrations.length; version++) {
      await connection.runScript(`
        CREATE TABLE IF NOT EXISTS migration (number integer PRIMARY KEY);
        INSERT INTO migration VALUES (${version + 1});
        ${migrations[version]}
      `);
    }
    await distribute(connection);
  });
}

/** Returns undefined if the database can store every character. */
export async function findEncodingFault(connection: Connection): Promise<string | undefined> {
  const [[encoding, name, create] = []] = await connection.run(ENCODING);
  if (encoding === 'UTF8') return undefined;
  return `The database ${name} has the encoding ${encoding}, which cannot store every character. Create a database with the encoding UTF8, and set DATABASE_URL to it: ${create}`;
}

/** Returns 0 for an empty database. */
export async function readSchemaVersion(connection: Connection): Promise<number> {
  const [found] = await connection.run(HAS_TABLE);
  return found?.[0] ? ((await connection.run(VERSION))[0]?.[0] ?? 0) : 0;
}
