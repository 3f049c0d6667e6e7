/**
 * Divides the tests between two runs: `npm test` runs the usual ones, `npm run test:full` the long ones. A test file that is run alone runs all
 * of its tests. CONTRIBUTING.md says what runs where.
 */

export type Scope = 'usual' | 'long';

/** Set by test runs for their test files. */
export const SCOPE_VARIABLE = 'TEST_SCOPE';

/** Returns whether tests of the scope run here. */
export function isRun(scope: Scope): boolean {
  const set = process.env[SCOPE_VARIABLE];
  return set === undefined || set === scope;
}
