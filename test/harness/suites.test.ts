/** Tests that every test file, including new ones, runs in exactly one process of `npm test`. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';
import { ALONE, BOTH_SCOPES, filesByProcess, LONG, processesOf, ROOT, SUITES } from './suites.ts';

it('every test file is in exactly one process', () => {
  const run = [...Object.keys(ALONE), ...filesByProcess(true).values()].flat();
  assert.deepEqual(run.sort(), globSync('{bench,prove,src,test}/**/*.test.ts', { cwd: ROOT }).sort());
});

it('every process belongs to a suite and has files', () => {
  assert.deepEqual(SUITES.flatMap(processesOf).sort(), globSync('test/suites/*', { cwd: ROOT }).sort());
  for (const [process, files] of filesByProcess(true)) assert.notEqual(files.length, 0, process);
});

it('every pattern of long files matches some, and none of them leaves tests to npm test, which does not run it', () => {
  const files = LONG.flatMap((pattern) => {
    const found = globSync(pattern, { cwd: ROOT });
    assert.notEqual(found.length, 0, pattern);
    return found;
  });
  const divided = files.filter((file) => BOTH_SCOPES.test(readFileSync(path.join(ROOT, file), 'utf8')));
  assert.deepEqual(divided, []);
});
