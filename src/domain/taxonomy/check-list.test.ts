/** Tests the rules of a taxonomy: each at its limit and just beyond, and the line of each problem. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LIMITS } from '../limits.ts';
import { checkList } from './check-list.ts';
import { type AttributeLine, attributeEntry, type NodeLine, nodeEntry, type PlacedEntry } from './entries.ts';

function placed(lines: readonly (NodeLine | AttributeLine)[]): PlacedEntry[] {
  return lines.map((line, index) => ({
    line: index + 2,
    entry: 'node' in line ? nodeEntry(line) : attributeEntry(line),
  }));
}

function faults(lines: readonly (NodeLine | AttributeLine)[], isWhole = true): string[] {
  const checked = checkList(placed(lines), isWhole);
  return checked.ok ? [] : checked.faults.map(({ code, line, text }) => `${line} ${code}: ${text}`);
}

const chain = (length: number): NodeLine[] =>
  Array.from({ length }, (_, index) => ({
    node: index + 1,
    ...(index === 0 ? {} : { parent: index }),
    name: `n${index}`,
  }));
const attribute = (fields: Partial<AttributeLine> = {}): AttributeLine => ({
  attribute: 'a',
  id: 1,
  description: 'A',
  ...fields,
});
const DEPARTMENT: NodeLine = { node: 1, name: 'd' };

describe('a list of entries', () => {
  it('is in tree order: attributes first, parents before children, siblings in their order', () => {
    const checked = checkList(
      placed([
        { node: 4, parent: 2, name: 'four' },
        { node: 3, parent: 1, name: 'three' },
        { node: 2, parent: 1, name: 'two' },
        { node: 5, name: 'five' },
        { node: 1, name: 'one', optional: ['a'] },
        attribute(),
      ]),
      true,
    );
    assert.ok(checked.ok);
    assert.deepEqual(
      checked.entries.map(({ id, kind }) => [kind, id]),
      [
        ['attribute', 1],
        ['node', 5],
        ['node', 1],
        ['node', 3],
        ['node', 2],
        ['node', 4],
      ],
    );
  });

  it('has at least one node, unless lines are missing', () => {
    assert.deepEqual(faults([DEPARTMENT]), []);
    assert.deepEqual(faults([]), ['0 taxonomy_empty: has no nodes']);
    assert.deepEqual(faults([], false), []);
  });

  it('has every id once; the names below one parent differ', () => {
    const two = (second: NodeLine) => [DEPARTMENT, { node: 2, parent: 1, name: 'x' }, second];
    assert.deepEqual(faults(two({ node: 3, parent: 2, name: 'x' })), []);
    assert.deepEqual(faults(two({ node: 2, parent: 1, name: 'y' })), [
      '4 taxonomy_repeated: the node 2 is already on line 3',
    ]);
    assert.deepEqual(faults(two({ node: 3, parent: 1, name: 'x' })), [
      '4 taxonomy_repeated: the name under the same parent x is already on line 3',
    ]);
    assert.deepEqual(
      faults([DEPARTMENT, { node: 9_007_199_254_740_993n, name: 'a' }, { node: 9_007_199_254_740_994n, name: 'b' }]),
      [],
    );
    assert.deepEqual(faults([DEPARTMENT, attribute(), attribute({ id: 2 }), attribute({ attribute: 'b' })]), [
      '4 taxonomy_repeated: the attribute a is already on line 3',
      '5 taxonomy_repeated: the attribute id 1 is already on line 3',
    ]);
  });

  it('has every parent; a missing one is reported once, and not if lines are missing', () => {
    const lines = [DEPARTMENT, { node: 2, parent: 7, name: 'x' }, { node: 3, parent: 2, name: 'y' }];
    assert.deepEqual(faults(lines), ['3 taxonomy_parent: node 2 has the parent 7, which does not exist']);
    assert.deepEqual(faults(lines, false), []);
  });

  it('has no cycles; each is reported once', () => {
    const circles = [
      DEPARTMENT,
      { node: 2, parent: 2, name: 'self' },
      { node: 3, parent: 5, name: 'a' },
      { node: 4, parent: 3, name: 'b' },
      { node: 5, parent: 4, name: 'c' },
      { node: 6, parent: 5, name: 'below it' },
    ];
    assert.deepEqual(faults(circles), [
      '3 taxonomy_parent: node 2 is below itself',
      '4 taxonomy_parent: node 3 is below itself',
    ]);
  });

  it(`is at most ${LIMITS.taxonomy_levels_max} levels deep`, () => {
    const max = LIMITS.taxonomy_levels_max;
    assert.deepEqual(faults(chain(max)), []);
    assert.deepEqual(faults(chain(max + 3)), [
      `${max + 2} taxonomy_parent: node ${max + 1} is below level ${max}, the deepest allowed`,
    ]);
  });

  it('a long chain and a long cycle need no recursion and no quadratic time', () => {
    const length = LIMITS.taxonomy_nodes_max;
    assert.equal(faults(chain(length)).length, 1);
    const circle = chain(length).map((line) => (line.node === 1 ? { ...line, parent: length } : line));
    assert.deepEqual(faults(circle), ['2 taxonomy_parent: node 1 is below itself']);
  });

  it('has no more nodes and attributes than allowed', () => {
    const nodes = (count: number): NodeLine[] =>
      Array.from({ length: count }, (_, index) => ({ node: index + 1, name: `n${index}` }));
    const attributes = (count: number): AttributeLine[] =>
      Array.from({ length: count }, (_, index) => attribute({ attribute: `a${index}`, id: index + 1 }));
    assert.deepEqual(faults([...nodes(LIMITS.taxonomy_nodes_max), ...attributes(LIMITS.taxonomy_attributes_max)]), []);
    assert.deepEqual(
      faults([...nodes(LIMITS.taxonomy_nodes_max + 1), ...attributes(LIMITS.taxonomy_attributes_max + 1)]),
      [
        '0 taxonomy_too_large: has 5001 attributes; at most 5000 are allowed',
        '0 taxonomy_too_large: has 50001 nodes; at most 50000 are allowed',
      ],
    );
  });

  it('names existing attributes, each once, and no more than an offer can send', () => {
    const named = (required: string[], optional: string[] = []) => [attribute(), { ...DEPARTMENT, required, optional }];
    assert.deepEqual(faults(named(['a'])), []);
    assert.deepEqual(faults(named(['b'])), ['3 taxonomy_attribute: there is no attribute b']);
    assert.deepEqual(faults(named(['b']), false), []);
    assert.deepEqual(faults(named(['a'], ['a'])), ['3 taxonomy_attribute: the attribute a occurs twice']);

    const max = LIMITS.attributes_max;
    const names = Array.from({ length: max + 1 }, (_, index) => `a${index}`);
    const attributes = names.map((name, index) => attribute({ attribute: name, id: index + 1 }));
    const inherited = (count: number): NodeLine[] => [
      { ...DEPARTMENT, required: names.slice(0, max - 1) },
      { node: 2, parent: 1, name: 'x', optional: names.slice(max - 1, count) },
      { node: 3, parent: 2, name: 'y', required: names.slice(0, 1) },
    ];
    assert.deepEqual(faults([...attributes, ...inherited(max)]), []);
    assert.deepEqual(faults([...attributes, ...inherited(max + 1)]), [
      `${max + 4} taxonomy_attribute: node 2 has more than ${max} attributes (${max + 1})`,
    ]);
  });

  it('has attributes that do not contradict themselves', () => {
    const of = (fields: Partial<AttributeLine>) =>
      faults([DEPARTMENT, attribute(fields)]).map((text) => text.replace('3 taxonomy_attribute: ', ''));
    assert.deepEqual(of({ data_type: 'number', min_value: 1, max_value: 1, values: ['1', '1.0'] }), []);
    assert.deepEqual(of({ data_type: 'integer', values: ['-3', '4'] }), []);
    assert.deepEqual(of({ min_value: 1 }), ['min_value and max_value need the data_type number or integer']);
    assert.deepEqual(of({ data_type: 'number', min_value: 2, max_value: 1 }), [
      'min_value must not be above max_value',
    ]);
    assert.deepEqual(of({ values: ['x', 'y', 'x'], units: ['in', 'in'] }), [
      'values: "x" occurs twice',
      'units: "in" occurs twice',
    ]);
    assert.deepEqual(of({ data_type: 'integer', max_value: 4, values: ['4', '1.5', '5', 'x'] }), [
      'values: "1.5" is not an integer',
      'values: "5" is out of range',
      'values: "x" is not an integer',
    ]);
  });
});
