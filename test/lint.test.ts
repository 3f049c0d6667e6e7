// The style of the code is a test: `biome ci` finds nothing to say.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runTool } from './harness/run-tool.ts';

test('biome ci has no complaint', async () => {
  const { exitCode, output } = await runTool('node_modules/@biomejs/biome/bin/biome', ['ci', '--colors=off', '.']);
  assert.equal(exitCode, 0, output);
});
