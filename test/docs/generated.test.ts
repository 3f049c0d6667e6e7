/** Tests that generated docs are up to date. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';
import { generatedDocs, ROOT } from '../../scripts/generated-docs.ts';

for (const [file, text] of generatedDocs()) {
  it(`${file} matches the output of npm run docs`, () => {
    assert.equal(readFileSync(path.join(ROOT, file), 'utf8'), text);
  });
}
