/**
 * Runs the tests of the client with the profile COMPATIBILITY=jet, because the client must work with every server. In CI it runs all of
 * them. Elsewhere it leaves out files that make no call whose response the profile changes, because they take a third of the CPU time.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runWithProfile } from './harness/profile-run.ts';

/** Files about the package and its browser build, hashes, prompts, signatures, and sessions with scripted servers. */
const UNCHANGED = ['browser', 'package', 'part-hash', 'questions', 'session', 'webhooks'];

test('the tests of the client pass with the profile', async () => {
  const output = await runWithProfile('test/client', process.env.CI ? [] : UNCHANGED);
  const passed = output.match(/^ +ok /gm) ?? [];
  assert.ok(passed.length > 60, `only ${passed.length} tests passed:\n${output.slice(-2000)}`);
  assert.deepEqual(output.match(/^ +not ok .*$/gm), null, output);
});
