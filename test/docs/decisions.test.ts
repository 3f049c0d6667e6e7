/** Tests that decisions are numbered and listed, and that every image in docs is used. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';

const ROOT = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

it('decisions have the number of their file name and are listed in order', () => {
  const files = globSync('docs/decisions/[0-9]*.md', { cwd: ROOT }).toSorted();
  assert.ok(files.length > 20);
  const listed = files.map((file) => {
    const [, number = '', title = ''] = /^# (\d{4}) (.+)\n/.exec(read(file)) ?? assert.fail(file);
    const name = path.basename(file);
    assert.equal(name.slice(0, 4), number);
    return `- [${number}](${name}) ${title}`;
  });
  const list = read('docs/decisions/README.md');
  assert.deepEqual(
    list.split('\n').filter((line) => line.startsWith('- ')),
    listed,
  );
});

it('every image is shown by a page, and every shown image exists', () => {
  const shown = globSync(['README.md', 'docs/**/*.md'], { cwd: ROOT }).flatMap((page) =>
    Array.from(read(page).matchAll(/(?:src|srcset)="([^":]+\.(?:png|svg))"|\]\(([^):]+\.(?:png|svg))\)/g), ([, a, b]) =>
      path.posix.join(path.posix.dirname(page), a ?? b ?? ''),
    ),
  );
  const there = globSync('docs/images/**/*.{png,svg}', { cwd: ROOT });
  assert.ok(there.length > 10);
  assert.deepEqual([...new Set(shown)].filter((file) => file.startsWith('docs/images/')).toSorted(), there.toSorted());
});
