/** Tests that docs/operate/operating.md names every command, and no other. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { COMMANDS } from '../harness/commands.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const PAGE = readFileSync(path.join(ROOT, 'docs/operate/operating.md'), 'utf8');

describe('docs/operate/operating.md', () => {
  for (const command of Object.keys(COMMANDS)) {
    it(`names ${command}`, () => assert.match(PAGE, new RegExp(`offerbook ${command}\\b`)));
  }

  it('names no command that does not exist', () => {
    const groups = new Set(Object.keys(COMMANDS).map((command) => command.split(' ')[0]));
    for (const [, named = ''] of PAGE.matchAll(/^(?:npx )?offerbook ([a-z-]+)/gm)) assert.ok(groups.has(named), named);
  });
});
