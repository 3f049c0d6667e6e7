// Tests the code style: `biome ci` reports nothing.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runTool } from './harness/run-tool.ts';

test('biome ci reports nothing', async () => {
  const { exitCode, output } = await runTool('node_modules/@biomejs/biome/bin/biome', ['ci', '--colors=off', '.']);
  assert.equal(exitCode, 0, output);
});
