/**
 * Runs the API tests of all answers that the profile COMPATIBILITY=jet touches once with the profile on, in one process on SQLite.
 * Exactly the cases below fail: those about the differences of the profile, which test/api/compatibility.test.ts tests.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { ROOT } from './harness/suites.ts';
import { PROFILE_VARIABLE } from './harness/variants.ts';

const FILES = [...['get-sku', 'list-skus', 'variation', 'shipping-exception', 'returns-exception', 'setup-reads']].map(
  (name) => `test/api/${name}.test.ts`,
);

const NODES = 'GET /fulfillment-nodes lists addresses';
const UNSET = 'a part that was never sent, or was cleared, is an empty 200';

const DIFFERENT: Readonly<Record<string, string>> = {
  'NODE-01 accepts a list of all nodes at /fulfillment-nodes': NODES,
  'NODE-06 accepts equal ids of different merchants, each of which sees its own': NODES,
  'NODE-09 accepts new and changed nodes within two seconds': NODES,
  'SHIP-22 accepts to keep stored exceptions when the setup of the node changes': NODES,
  'RET-04 accepts an empty list beside an unknown field, which clears the exception': UNSET,
  'RET-04 accepts an empty list, which clears the exception': UNSET,
  'RET-04 accepts an empty object, which clears the exception': UNSET,
  'RET-10 refuses to read the exception of a SKU that has none': UNSET,
  'SHIP-01 accepts an empty list beside an unknown field, which clears all exceptions': UNSET,
  'SHIP-01 accepts an empty list, which clears all exceptions': UNSET,
  'SHIP-01 accepts an empty object, which clears all exceptions': UNSET,
  'SHIP-18 refuses to read the exceptions of a SKU that has none': UNSET,
  'VAR-08 refuses a child that was never uploaded': UNSET,
  'VAR-16 refuses to read the group of a SKU that is not a parent': UNSET,
  'VAR-21 accepts a shoe SKU without a group, which needs none': UNSET,
};

test('the API suite with the profile: only the listed cases differ', async () => {
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
  const child = spawn(process.execPath, ['--test', '--test-isolation=none', '--test-reporter=tap', ...FILES], {
    cwd: ROOT,
    env: { ...env, [PROFILE_VARIABLE]: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const output = await text(child.stdout);
  const passed = Array.from(output.matchAll(/^ +ok \d+ - ([A-Z]+-\d\d .*)$/gm), ([, name]) => name ?? '');
  const failed = Array.from(output.matchAll(/^ +not ok \d+ - ([A-Z]+-\d\d .*)$/gm), ([, name]) => name ?? '');
  assert.ok(passed.length > 150, `only ${passed.length} cases passed:\n${output.slice(-2000)}`);
  assert.deepEqual(failed.sort(), Object.keys(DIFFERENT).sort(), output);
});
