/**
 * In charge of what all files of a test run share: one PostgreSQL, a browser, and what Node has compiled. Each file is a process that
 * would strip the types of the same 300 files anew, for a second of processor time; those that it starts would do it again.
 */
import { fileURLToPath } from 'node:url';
import { QUICK_VARIABLE } from '../../src/store/postgres/testing/availability.ts';
import { globalSetup as startPostgres } from '../../src/store/postgres/testing/global-setup.ts';
import { installBrowser } from './install-browser.ts';

export { globalTeardown } from '../../src/store/postgres/testing/global-setup.ts';

/** The processes of the test files inherit the variables. */
export async function globalSetup(): Promise<void> {
  process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../../node_modules/.cache/offerbook', import.meta.url));
  if (!process.env[QUICK_VARIABLE]) installBrowser();
  await startPostgres();
}
