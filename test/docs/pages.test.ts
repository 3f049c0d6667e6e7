/** Tests the Markdown pages: every link leads to an existing file and heading, and every page is listed for its reader. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';
import { API_PROBLEM_CODES, PORTAL_PROBLEM_CODES } from '../../src/domain/problem.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const PAGES = globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT }).toSorted();
const read = (page: string) => readFileSync(path.join(ROOT, page), 'utf8');
const withoutCode = (text: string) => text.replaceAll(/^(`{3,})[\s\S]*?^\1$/gm, '').replaceAll(/`[^`\n]+`/g, '`code`');
const linksOf = (page: string) =>
  Array.from(withoutCode(read(page)).matchAll(/\]\(([^)\s]+)\)/g), ([, link = '']) => link);

/** Anchors as GitHub makes them: lower case, punctuation dropped, spaces as hyphens, repeats numbered. */
function anchorsOf(page: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, title = ''] of read(page)
    .replaceAll(/^(`{3,})[\s\S]*?^\1$/gm, '')
    .matchAll(/^#{1,6} (.+)$/gm)) {
    const plain = title.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = plain.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(/\s/g, '-');
    let unique = anchor;
    for (let count = 1; anchors.has(unique); count += 1) unique = `${anchor}-${count}`;
    anchors.add(unique);
  }
  return anchors;
}

it('every link leads to an existing file and heading', () => {
  let count = 0;
  for (const page of PAGES) {
    for (const link of linksOf(page)) {
      if (/^[a-z]+:/.test(link)) continue;
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? page : path.posix.join(path.posix.dirname(page), file);
      assert.ok(existsSync(path.join(ROOT, target)), `${page}: ${link}`);
      if (anchor !== undefined) assert.ok(anchorsOf(target).has(anchor), `${page}: ${link}`);
      count += 1;
    }
  }
  assert.ok(count > 50);
});

const ENTRANCES = ['docs/developers.md', 'docs/staff.md', 'docs/operators.md', 'docs/project/README.md'];
const listedIn = (page: string) => linksOf(page).map((link) => path.posix.join(path.posix.dirname(page), link));

it('the index leads to an entrance for each reader, and to pages that one of them lists', () => {
  const [first = '', ...others] = listedIn('docs/index.md').map((link) => link.split('#')[0] ?? '');
  assert.deepEqual([first, ...others.slice(0, 3)], ENTRANCES);
  const listed = ENTRANCES.flatMap(listedIn);
  for (const page of others.slice(3)) assert.ok(listed.includes(page), page);
});

it('the entrances list every page, and only that of the project lists its pages', () => {
  const decisions = /^docs\/decisions\/\d/;
  const pages = PAGES.filter((page) => page.startsWith('docs/') && !decisions.test(page) && page !== 'docs/index.md');
  const listed = ENTRANCES.flatMap(listedIn);
  assert.deepEqual([...new Set([...listed, ...ENTRANCES])].toSorted(), ['CHANGELOG.md', ...pages]);
  const ofProject = /^docs\/(?:project|decisions)\//;
  for (const entrance of ENTRANCES.slice(0, 3)) {
    assert.deepEqual(
      listedIn(entrance).filter((page) => ofProject.test(page)),
      [],
    );
    assert.equal(new Set(listedIn(entrance)).size, listedIn(entrance).length, entrance);
  }
});

it('source files that the code map and the decisions name exist', () => {
  const sources = globSync('{src,client,portal,site,test,bench,prove,scripts}/**/*.{ts,tsx,mjs,js}', {
    cwd: ROOT,
    exclude: ['**/node_modules/**', '**/dist/**'],
  }).map((file) => `/${file}`);
  const named = PAGES.filter((page) => /^(?:ARCHITECTURE|CONTRIBUTING|docs\/decisions\/)/.test(page)).flatMap((page) =>
    // In backticks, and without them in the map of the code, which is an indented block.
    Array.from(
      read(page).matchAll(/`([\w./-]+\.(?:tsx?|mjs))`|(?<=^ {4,}\S.*|^ {4,})\b([\w./-]+\.(?:tsx?|mjs))\b/gm),
    ).map(([, quoted, mapped]) => ({ page, file: quoted ?? mapped ?? '' })),
  );
  assert.ok(named.length > 100);
  assert.deepEqual(
    named.filter(({ file }) => !sources.some((source) => source.endsWith(`/${file}`))),
    [],
  );
});

it('the guide to plans explains every refusal of a plan', () => {
  const codes = Object.keys({ ...API_PROBLEM_CODES, ...PORTAL_PROBLEM_CODES }).filter((code) => /^plans?_/.test(code));
  const guide = read('docs/guides/plans.md');
  assert.ok(codes.length > 10);
  assert.deepEqual(
    codes.filter((code) => !guide.includes(`\`${code}\``)),
    [],
  );
});
