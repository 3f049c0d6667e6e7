/** Tests that PostgreSQL tests run if they can, otherwise give a reason, and fail on a build server instead of being skipped. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';

/** A platform for which the package has no binaries. */
const ELSEWHERE = `
  Object.defineProperty(process, 'arch', { value: 'abacus' });
  const { postgresSkipped } = await import('./availability.ts');
  console.log(postgresSkipped());`;

function elsewhere(variables: Readonly<Record<string, string>>) {
  const { TEST_DATABASE_URL, TEST_CITUS_URL, CI, ...others } = process.env;
  const args = ['--input-type=module', '--eval', ELSEWHERE];
  const env = { ...others, ...variables };
  return spawnSync(process.execPath, args, { cwd: import.meta.dirname, encoding: 'utf8', env });
}

describe('tests on PostgreSQL', () => {
  test('run on the configured server', () => {
    for (const name of ['TEST_DATABASE_URL', 'TEST_CITUS_URL']) {
      assert.equal(elsewhere({ [name]: 'postgres://x/y', CI: '1' }).stdout, 'false\n');
    }
  });

  test('are skipped with a reason if there is none', () => {
    const reason = `no PostgreSQL for ${process.platform}-abacus: set TEST_DATABASE_URL\n`;
    assert.equal(elsewhere({}).stdout, reason);
  });

  test('fail if CI is set and there is none', () => {
    const { status, stderr } = elsewhere({ CI: 'true' });
    assert.equal(status, 1);
    assert.match(stderr, /Tests must not be skipped where CI is set; no PostgreSQL for /);
  });
});
