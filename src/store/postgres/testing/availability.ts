/** Determines whether tests on PostgreSQL can run here: on a named server, or on one that can be started. */
import { findBinaries } from './binaries.ts';

/** URL of a server, with a user that may create databases; test runs set it for their test files. */
export const SERVER_VARIABLE = 'TEST_DATABASE_URL';

/** URL of a Citus coordinator, with a user that may create databases on all nodes; takes precedence. */
export const CITUS_VARIABLE = 'TEST_CITUS_URL';

/** A database on that server with all tables, from which new databases are copied. Only test runs set it. */
export const TEMPLATE_VARIABLE = 'TEST_DATABASE_TEMPLATE';

/** Set by `npm run test:quick`, which uses only SQLite. */
export const QUICK_VARIABLE = 'TEST_QUICK';

/**
 * Returns why the tests of a suite are skipped, or false if they run: the option `skip` of `describe` and `test`. Throws on a build
 * server, where a skipped run would look like a passed one.
 */
export function postgresSkipped(): string | false {
  if (process.env[QUICK_VARIABLE]) return 'left out of the quick run';
  if (process.env[CITUS_VARIABLE] || process.env[SERVER_VARIABLE] || findBinaries() !== undefined) return false;
  const reason = `no PostgreSQL for ${process.platform}-${process.arch}: set ${SERVER_VARIABLE}`;
  if (process.env.CI) throw new Error(`Tests must not be skipped where CI is set; ${reason}.`);
  return reason;
}

/** Returns why tests that need Citus are skipped, or false if they run. */
export function citusSkipped(): string | false {
  return process.env[CITUS_VARIABLE] ? false : `no Citus: set ${CITUS_VARIABLE}`;
}
