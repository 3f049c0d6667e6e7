/** Runs test files in a process whose servers have the profile COMPATIBILITY=jet. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { SCOPE_VARIABLE } from './scope.ts';
import { ROOT } from './suites.ts';
import { PROFILE_VARIABLE } from './variants.ts';

/** Runs the files of a folder except those named in `leftOut`, which must exist. Resolves with the output in TAP format. */
export async function runWithProfile(folder: string, leftOut: readonly string[]): Promise<string> {
  const all = globSync(`${folder}/*.test.ts`, { cwd: ROOT }).sort();
  const others = leftOut.map((name) => path.join(folder, `${name}.test.ts`));
  assert.deepEqual(
    others.filter((file) => !all.includes(file)),
    [],
  );
  const files = all.filter((file) => !others.includes(file));
  // A scope would leave out tests, because this run has only one variant.
  const { NODE_TEST_CONTEXT: _context, [SCOPE_VARIABLE]: _scope, ...env } = process.env;
  const child = spawn(process.execPath, ['--test', '--test-isolation=none', '--test-reporter=tap', ...files], {
    cwd: ROOT,
    env: { ...env, [PROFILE_VARIABLE]: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return await text(child.stdout);
}
