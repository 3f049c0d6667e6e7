/** The version of the account settings, which servers poll. */
import { READ_SETTINGS_VERSION, read } from '../command.ts';

export const readSetupVersion = read(async (sql): Promise<number> => {
  const [row] = await sql.run(READ_SETTINGS_VERSION);
  return row?.[0] ?? 0;
});
