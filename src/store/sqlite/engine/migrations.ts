/**
 * Upgrades a database to the newest version of the schema (see schema/migration-list.ts). Its `user_version` holds the version;
 * an empty database has 0.
 */
import { StoreUnavailableError } from '../../port/errors.ts';
import { newerSchemaText } from '../../shared/checkup.ts';
import { MIGRATIONS } from '../schema/migration-list.ts';
import type { Connection } from './connection.ts';
import { readSchemaVersion } from './database-check.ts';

/** Whether `migrate` would change existing tables. False for an empty database, on which no older server can run. */
export function isOutdated(connection: Connection, migrations: readonly string[] = MIGRATIONS): boolean {
  const version = checkedVersion(connection, migrations);
  return version > 0 && version < migrations.length;
}

/** Upgrades the database. Safe when several processes start on it at once. */
export function migrate(connection: Connection, migrations: readonly string[] = MIGRATIONS): void {
  // Checked before taking the write lock: nearly every start finds nothing to do, and a busy server may hold the lock.
  if (checkedVersion(connection, migrations) === migrations.length) return;
  connection.exec('BEGIN IMMEDIATE');
  try {
    for (const migration of migrations.slice(checkedVersion(connection, migrations))) connection.exec(migration);
    connection.exec(`PRAGMA user_version = ${migrations.length}`);
    connection.exec('COMMIT');
  } catch (error) {
    if (connection.isTransaction) connection.exec('ROLLBACK');
    throw error;
  }
}

function checkedVersion(connection: Connection, migrations: readonly string[]): number {
  const version = readSchemaVersion(connection);
  if (version > migrations.length) throw new StoreUnavailableError(newerSchemaText(version, migrations.length));
  return version;
}
