/**
 * Runs the tests of the client with the profile COMPATIBILITY=jet, because the client must work with every server. In CI it runs all of
 * them. Elsewhere it leaves out files that make no call whose response the profile changes, because they take a third of the CPU time.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { ROOT } from './harness/suites.ts';
import { PROFILE_VARIABLE } from './harness/variants.ts';

/** Files about the package and its browser build, hashes, prompts, signatures, and sessions with scripted servers. */
const UNCHANGED = ['browser', 'package', 'part-hash', 'questions', 'session', 'webhooks'];

test('the tests of the client pass with the profile', async () => {
  const all = globSync('test/client/*.test.ts', { cwd: ROOT }).sort();
  const leftOut = process.env.CI ? [] : UNCHANGED.map((name) => path.join('test/client', `${name}.test.ts`));
  assert.deepEqual(
    leftOut.filter((file) => !all.includes(file)),
    [],
  );
  const files = all.filter((file) => !leftOut.includes(file));
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
  const child = spawn(process.execPath, ['--test', '--test-isolation=none', '--test-reporter=tap', ...files], {
    cwd: ROOT,
    env: { ...env, [PROFILE_VARIABLE]: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const output = await text(child.stdout);
  const passed = output.match(/^ +ok /gm) ?? [];
  assert.ok(passed.length > 60, `only ${passed.length} tests passed:\n${output.slice(-2000)}`);
  assert.deepEqual(output.match(/^ +not ok .*$/gm), null, output);
});
