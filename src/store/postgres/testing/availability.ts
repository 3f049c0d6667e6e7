/** In charge of whether tests on PostgreSQL can run here: on the server that is named, or on one that can be started. */
import { findBinaries } from './binaries.ts';

/** A server to make databases on, as a user who may; test runs set it for their test files. */
export const SERVER_VARIABLE = 'TEST_DATABASE_URL';

/** The first node of a Citus, as a user who may make databases on all of its nodes; goes before the other. */
export const CITUS_VARIABLE = 'TEST_CITUS_URL';

/** Of that server: a database with all tables, to copy new ones from. Only test runs set it. */
export const TEMPLATE_VARIABLE = 'TEST_DATABASE_TEMPLATE';

/** Set by `npm run test:quick`, which runs on SQLite alone, whatever databases there are. */
export const QUICK_VARIABLE = 'TEST_QUICK';

/**
 * The reason for which the tests of a suite are skipped, or false where they run: an option of `describe` and `test`.
 * Throws on a build server, where a skipped run would look like a passed one.
 */
export function postgresSkipped(): string | false {
  if (process.env[QUICK_VARIABLE]) return 'left out of the quick run';
  if (process.env[CITUS_VARIABLE] || process.env[SERVER_VARIABLE] || findBinaries() !== undefined) return false;
  const reason = `no PostgreSQL for ${process.platform}-${process.arch}: set ${SERVER_VARIABLE}`;
  if (process.env.CI) throw new Error(`Tests must not be skipped where CI is set; ${reason}.`);
  return reason;
}

/** The same for tests that only a Citus can run. */
export function citusSkipped(): string | false {
  return process.env[CITUS_VARIABLE] ? false : `no Citus: set ${CITUS_VARIABLE}`;
}
