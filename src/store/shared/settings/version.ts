/** The version of the account settings, which servers poll. */
import { read } from '../command.ts';
import { READ_SETTINGS_VERSION } from '../settings-version.ts';

export const readSetupVersion = read(async (sql): Promise<number> => {
  const [row] = await sql.run(READ_SETTINGS_VERSION);
  return row?.[0] ?? 0;
});
