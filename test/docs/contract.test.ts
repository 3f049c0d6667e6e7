/** Tests that every line of docs/project/contract.md has tests or a reason, and a place in ARCHITECTURE.md, and that tests name no other line. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';

const ROOT = path.resolve(import.meta.dirname, '../..');
const CONTRACT = 'docs/project/contract.md';
const LINE = /^\| ([A-Z]+-\d\d) \| (.+) \| (.+) \| (.+) \|$/;
const SIDES = { accepting: ['accepts', 'bounds'], refusing: ['refuses', 'bounds'] } as const;

const lines = read(CONTRACT)
  .split('\n')
  .flatMap((text) => {
    const [, id, statement, accepting, refusing] = LINE.exec(text) ?? [];
    return id && statement && accepting && refusing ? [{ id, statement, cells: { accepting, refusing } }] : [];
  });
const ids = lines.map((line) => line.id);

describe('the contract document', () => {
  it('has lines, each with its own id', () => {
    assert.ok(lines.length > 100, `only ${lines.length} lines were found`);
    assert.deepEqual(ids, [...new Set(ids)]);
  });

  it('has no row that the check skips', () => {
    const rows = read(CONTRACT)
      .split('\n')
      .filter((text) => /^\|\s*[A-Z]+-/.test(text));
    assert.equal(rows.length, lines.length);
  });

  for (const { id, cells } of lines) {
    it(`${id} has tests or a reason`, () => {
      for (const side of ['accepting', 'refusing'] as const) {
        const cell = cells[side];
        if (/^none: \S.{9,}/.test(cell)) continue;
        const names = SIDES[side].map((call) => `${call}('${id}'`);
        const source = read(cell.replaceAll('`', ''));
        assert.ok(
          names.some((name) => source.includes(name)),
          `${cell} has neither ${names.join(' nor ')}`,
        );
      }
    });
  }

  it('has every line that a test names', () => {
    const named = globSync('test/**/*.test.ts', { cwd: ROOT }).flatMap((file) =>
      Array.from(read(file).matchAll(/\b(?:accepts|refuses|bounds)\('([A-Z]+-\d\d)'/g), ([, id]) => id ?? ''),
    );
    assert.deepEqual(
      [...new Set(named)].filter((id) => !ids.includes(id)),
      [],
    );
  });
});

describe('the map of the rules in ARCHITECTURE.md', () => {
  const rows = Array.from(read('ARCHITECTURE.md').matchAll(/^\| ([A-Z]+)(?:: [^|]+)? \| (.+) \|$/gm));

  it('names the files that decide each line', () => {
    const mapped = rows.flatMap(([, family, cell = '']) =>
      Array.from(cell.matchAll(/\(([\d–, ]+)\)/g)).flatMap(([, numbers = '']) =>
        numbers.split(', ').flatMap((range) => {
          const [first = 0, last = first] = range.split('–').map(Number);
          return Array.from({ length: last - first + 1 }, (_, at) => `${family}-${first + at}`);
        }),
      ),
    );
    assert.deepEqual([...new Set(mapped)].toSorted(), ids.map((id) => id.replace('-0', '-')).toSorted());
  });

  it('names files that exist', () => {
    const files = rows
      .flatMap(([, , cell = '']) => Array.from(cell.matchAll(/`([^`]+\/[^`]*)`/g), ([, file = '']) => file))
      .flatMap((file) => ['sqlite', 'postgres'].map((engine) => file.replace(/\{.*\}/, engine)));
    assert.ok(files.length > 100);
    assert.deepEqual(
      files.filter((file) => !existsSync(path.join(ROOT, 'src', file)) && !existsSync(path.join(ROOT, file))),
      [],
    );
  });
});

function read(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8');
}
