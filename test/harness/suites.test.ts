/** Tests that every test file, including new ones, runs in exactly one process of `npm test`. */
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { it } from 'node:test';
import { ALONE, filesByProcess, processesOf, ROOT, SUITES } from './suites.ts';

it('every test file is in exactly one process', () => {
  const run = [...Object.keys(ALONE), ...filesByProcess(true).values()].flat();
  assert.deepEqual(run.sort(), globSync('{src,test}/**/*.test.ts', { cwd: ROOT }).sort());
});

it('every process belongs to a suite and has files', () => {
  assert.deepEqual(SUITES.flatMap(processesOf).sort(), globSync('test/suites/*', { cwd: ROOT }).sort());
  for (const [process, files] of filesByProcess(true)) assert.notEqual(files.length, 0, process);
});
