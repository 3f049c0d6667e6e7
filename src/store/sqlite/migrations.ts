/**
 * In charge of bringing a database to the newest form of the tables (see migration-list.ts).
 * The number of migrations a database has seen stands in its `user_version`.
 */
import { StoreUnavailableError } from '../port/errors.ts';
import type { Connection } from './engine.ts';
import { query } from './engine.ts';
import { MIGRATIONS } from './migration-list.ts';
import { inWriteTransaction } from './transactions.ts';

/** Whether tables are there that `migrate` would change; not of an empty database, on which no older server can run. */
export function isOutdated(connection: Connection): boolean {
  const version = checkedVersion(connection, MIGRATIONS);
  return version > 0 && version < MIGRATIONS.length;
}

/** Brings the database to the newest form. Safe when several processes start on it at once. */
export function migrate(connection: Connection, migrations: readonly string[] = MIGRATIONS): void {
  // Looked at before the lock is asked for: nearly every start finds nothing to do, beside a busy server perhaps.
  if (checkedVersion(connection, migrations) === migrations.length) return;
  inWriteTransaction(connection, () => {
    for (const migration of migrations.slice(checkedVersion(connection, migrations))) connection.exec(migration);
    connection.exec(`PRAGMA user_version = ${migrations.length}`);
  });
}

function checkedVersion(connection: Connection, migrations: readonly string[]): number {
  const version = query<[number]>(connection, 'PRAGMA user_version').get()?.[0] ?? 0;
  if (version > migrations.length) {
    throw new StoreUnavailableError(
      `The database has version ${version}, this program knows up to ${migrations.length}: run the newer release.`,
    );
  }
  return version;
}
