// Checks types in a test, because Node.js strips them without checking.

import assert from 'node:assert/strict';
import path from 'node:path';
import { before, test } from 'node:test';
import { runTool } from './harness/run-tool.ts';

// The portal and the client have types that are generated from the OpenAPI document, which the server generates from its route list.
before(async () => {
  const made = await runTool('portal/scripts/api-types.mjs', []);
  assert.equal(made.exitCode, 0, made.output);
});

const PROJECTS = { 'the server': 'tsconfig.json', 'the portal': 'portal', 'the client package': 'client' };
for (const [name, project] of Object.entries(PROJECTS)) {
  test(`tsc reports nothing in ${name}`, async () => {
    // Uses one checker, because the default of four checks shared types again. The next run checks only what changed.
    const cache = `node_modules/.cache/offerbook/types-${path.basename(project)}.tsbuildinfo`;
    const args = `--pretty false --noEmit --checkers 1 --incremental --tsBuildInfoFile ${cache} -p ${project}`.split(
      ' ',
    );
    const { exitCode, output } = await runTool('node_modules/typescript/bin/tsc', args);
    assert.equal(exitCode, 0, output);
  });
}
