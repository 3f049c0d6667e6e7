/** The version of the account settings, by which servers notice what another process changed. */
import { type Sql, statement } from './sql.ts';

export const READ_SETTINGS_VERSION = statement<[version: number]>(
  'read settings version',
  'SELECT version FROM setup_version',
);
const RAISE = statement<[]>('raise settings version', 'UPDATE setup_version SET version = version + 1');

/** Its one row is the lock that changes queue at: run first, it keeps what a change reads from changing until its end. */
export async function raiseSettingsVersion(sql: Sql): Promise<void> {
  await sql.run(RAISE);
}
