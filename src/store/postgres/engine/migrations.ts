/**
 * Brings a database to the newest version of the schema (see schema/migration-list.ts). The versions that a database went
 * through stand in its table `migration`.
 */
import { StoreUnavailableError } from '../../port/errors.ts';
import { MIGRATIONS } from '../schema/migration-list.ts';
import { distribute } from './distribution.ts';
import { type Database, type HeldConnection, statement } from './engine.ts';

/** Any number that no other program locks on the same database. */
export const LOCK_KEY = 7_203_451_986;

const lock = statement('lock migrations', `SELECT pg_advisory_lock(${LOCK_KEY})`);
const findTable = statement<[exists: boolean]>('find migration table', `SELECT to_regclass('migration') IS NOT NULL`);
const readVersion = statement<[version: number]>('read version', 'SELECT coalesce(max(number), 0) FROM migration');

/**
 * Migrates, and distributes the tables where Citus is installed. Safe when several processes start on the same database at
 * once: they wait for each other. The database should set no statement timeout.
 */
export function migrate(database: Database, migrations: readonly string[] = MIGRATIONS): Promise<void> {
  // The lock ends with the connection, so also when this process dies.
  return database.hold(async (connection) => {
    await connection.run(lock);
    for (let version = await checkedVersion(connection, migrations); version < migrations.length; version++) {
      await connection.runScript(`
        CREATE TABLE IF NOT EXISTS migration (number integer PRIMARY KEY);
        INSERT INTO migration VALUES (${version + 1});
        ${migrations[version]}
      `);
    }
    await distribute(connection);
  });
}

async function checkedVersion(connection: HeldConnection, migrations: readonly string[]): Promise<number> {
  const [found] = await connection.run(findTable);
  if (!found?.[0]) return 0;
  const [row] = await connection.run(readVersion);
  const version = row?.[0] ?? 0;
  if (version > migrations.length) {
    throw new StoreUnavailableError(
      `The database has version ${version}, this program knows up to ${migrations.length}: run the newer release.`,
    );
  }
  return version;
}
