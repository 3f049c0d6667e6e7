/** Tests that docs/reference/error-examples.md shows the current responses. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';
import { errorExamplesPage } from '../../scripts/error-examples.ts';
import { ROOT } from '../../scripts/generated-docs.ts';

it('docs/reference/error-examples.md matches the output of npm run docs', async () => {
  assert.equal(readFileSync(path.join(ROOT, 'docs/reference/error-examples.md'), 'utf8'), await errorExamplesPage());
});
