/** Tests that every statement of docs/project/specification.md names contract lines or decisions that exist, or is out of scope. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';

const ROOT = path.resolve(import.meta.dirname, '../..');
const SPECIFICATION = 'docs/project/specification.md';
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

const REFERENCE = String.raw`(?:[A-Z]+-\d\d|\[\d{4}\]\(\.\./decisions/[\w-]+\.md\))`;
const REASON = 'out of scope: \\S.{9,}';
const HOLDER = new RegExp(`^(?:${REFERENCE}(?:, ${REFERENCE})*(?:; ${REASON})?|${REASON})$`);
const ROW = /^\| (\S.*?) \| (.*?) \|$/;

const contractIds = new Set(
  Array.from(read('docs/project/contract.md').matchAll(/^\| ([A-Z]+-\d\d) \|/gm), ([, id]) => id),
);
const decisions = new Set(globSync('docs/decisions/[0-9]*.md', { cwd: ROOT }).map((file) => path.basename(file)));

interface Row {
  readonly statement: string;
  readonly holder: string;
}

/** Lines of tables that are neither headers nor separators. */
const tableLines = read(SPECIFICATION)
  .split('\n')
  .filter((line) => line.startsWith('|') && !/^\|(?:-+\|)+$/.test(line) && line !== '| statement | held by |');
const rows = tableLines.flatMap((line): Row[] => {
  const [, statement, holder] = ROW.exec(line) ?? [];
  return statement === undefined || holder === undefined ? [] : [{ statement, holder }];
});

function faultOf({ holder }: Row): string | undefined {
  if (!HOLDER.test(holder)) return `${JSON.stringify(holder)} names no line, decision or reason`;
  const [references = ''] = holder.split(/(?:; )?out of scope: /);
  for (const [id] of references.matchAll(/\b[A-Z]+-\d\d\b/g)) {
    if (!contractIds.has(id)) return `${id} is not a line of the contract`;
  }
  for (const [, number, file = ''] of references.matchAll(/\[(\d{4})\]\(\.\.\/decisions\/([\w-]+\.md)\)/g)) {
    if (!decisions.has(file) || !file.startsWith(`${number}-`))
      return `the decision ${number} (${file}) does not exist`;
  }
  return undefined;
}

describe('the specification document', () => {
  it('has rows, and none that the check skips', () => {
    assert.ok(rows.length > 300, `only ${rows.length} rows were found`);
    assert.equal(rows.length, tableLines.length);
  });

  it('has a line, a decision or a reason for each statement', () => {
    const faults = rows.flatMap((row) => {
      const fault = faultOf(row);
      return fault === undefined ? [] : [`${row.statement}: ${fault}`];
    });
    assert.deepEqual(faults, []);
  });

  it('has each statement of a section once', () => {
    for (const section of read(SPECIFICATION).split('\n## ').slice(1)) {
      const statements = Array.from(section.matchAll(/^\| (\S.*?) \|/gm), ([, statement]) => statement);
      assert.deepEqual(statements, [...new Set(statements)]);
    }
  });

  for (const [what, holder] of [
    ['nothing', ''],
    ['a line that does not exist', 'SKU-99'],
    ['one line that exists and one that does not', 'SKU-01, SKU-99'],
    ['a decision that does not exist', '[9999](../decisions/9999-none.md)'],
    ['a decision under another number', '[0012](../decisions/0011-rules-of-the-review.md)'],
    ['a reason without words', 'out of scope: '],
    ['a remark', 'later'],
  ] as const) {
    it(`would refuse a row with ${what}`, () => assert.ok(faultOf({ statement: 'x', holder })));
  }
});
