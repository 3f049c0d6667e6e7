// Checks types in a test, because Node.js strips them without checking.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runTool } from './harness/run-tool.ts';

test('tsc reports nothing', async () => {
  const { exitCode, output } = await runTool('node_modules/typescript/bin/tsc', ['--pretty', 'false']);
  assert.equal(exitCode, 0, output);
});

test('the portal fits the calls of the server', async () => {
  // Its types are generated from the OpenAPI document, which the server generates from its route list.
  const made = await runTool('portal/scripts/api-types.mjs', []);
  assert.equal(made.exitCode, 0, made.output);
  const { exitCode, output } = await runTool('node_modules/typescript/bin/tsc', ['--pretty', 'false', '-p', 'portal']);
  assert.equal(exitCode, 0, output);
});
