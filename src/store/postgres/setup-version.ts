/** Changes of the account settings that are not shared commands yet. */
import { raiseSettingsVersion } from '../shared/settings-version.ts';
import type { Connection, Database } from './engine.ts';
import { type Ending, inWriteTransaction } from './transactions.ts';

/** As `change` of a shared command. */
export function changeSetup<T>(database: Database, work: (connection: Connection) => Promise<Ending<T>>): Promise<T> {
  return inWriteTransaction(database, async (connection) => {
    await raiseSettingsVersion(connection);
    return work(connection);
  });
}
