/**
 * Changes of the account settings: they are made one after the other, in whichever process, and each raises the version
 * by which servers notice it.
 */
import { READ_SETTINGS_VERSION, raiseSettingsVersion } from '../shared/settings-version.ts';
import type { Connection, Database } from './engine.ts';
import { type Ending, inWriteTransaction } from './transactions.ts';

export async function readSetupVersion(connection: Connection): Promise<number> {
  return theVersion(await connection.run(READ_SETTINGS_VERSION));
}

/** For servers, which look several times a second, and must not wait behind writes that wait for rows. */
export async function readSetupVersionQuickly(database: Database): Promise<number> {
  return theVersion(await database.readQuickly(READ_SETTINGS_VERSION));
}

function theVersion([row]: readonly [version: number][]): number {
  return row?.[0] ?? 0;
}

/** As `change` of a shared command. */
export function changeSetup<T>(database: Database, work: (connection: Connection) => Promise<Ending<T>>): Promise<T> {
  return inWriteTransaction(database, async (connection) => {
    await raiseSettingsVersion(connection);
    return work(connection);
  });
}
