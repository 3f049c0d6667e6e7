/** Tests review-code-version.ts. */
import assert from 'node:assert/strict';
import { appendFileSync, cpSync, globSync, rmSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';
import { tempFolder } from '../../test/harness/temp-folder.ts';
import { reviewCodeVersion } from './review-code-version.ts';

const SOURCES = path.join(import.meta.dirname, '..');

it('ignores tests and their helpers, and changes with a rule', async () => {
  const copy = path.join(await tempFolder(), 'src');
  cpSync(SOURCES, copy, { recursive: true });
  const left = globSync(['**/*.test.ts', '**/testing'], { cwd: copy });
  assert.ok(left.some((name) => path.basename(name) === 'testing'));
  for (const name of left) rmSync(path.join(copy, name), { recursive: true, force: true });
  assert.equal(reviewCodeVersion(copy), reviewCodeVersion());

  appendFileSync(path.join(copy, 'domain/review/checks.ts'), '// Changed.\n');
  assert.notEqual(reviewCodeVersion(copy), reviewCodeVersion());
});
