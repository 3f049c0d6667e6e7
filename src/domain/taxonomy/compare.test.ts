/** Tests the preview of another taxonomy: every kind of change, and none if nothing differs. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compareTaxonomies } from './compare.ts';
import { type AttributeLine, attributeEntry, type NodeLine, nodeEntry } from './entries.ts';
import { TaxonomyBuilder, type TaxonomyTree } from './tree.ts';

const COLOR: AttributeLine = { attribute: 'color', id: 1, description: 'Color' };
const SIZE: AttributeLine = { attribute: 'size', id: 2, description: 'Size', values: ['S', 'M'] };
const NODES: readonly NodeLine[] = [
  { node: 10, name: 'Home' },
  { node: 11, parent: 10, name: 'Pots', required: ['color'], optional: ['size'] },
  { node: 12, parent: 10, name: 'Pans' },
];

function tree(nodes: readonly NodeLine[] = NODES, attributes: readonly AttributeLine[] = [COLOR, SIZE]): TaxonomyTree {
  const builder = new TaxonomyBuilder();
  for (const line of attributes) builder.add(attributeEntry(line));
  for (const line of nodes) builder.add(nodeEntry(line));
  return builder.build();
}

/** The taxonomy above with one node set otherwise. */
function withNode(id: number, fields: Partial<NodeLine>): TaxonomyTree {
  return tree(NODES.map((line) => (line.node === id ? { ...line, ...fields } : line)));
}

const NONE = { count: 0, samples: [] };

describe('compare', () => {
  it('finds nothing in the same taxonomy, however attributes are named and ordered', () => {
    const renamed = tree(
      NODES.map((line) => (line.node === 11 ? { ...line, required: ['tint'], optional: ['size'] } : line)),
      [SIZE, { ...COLOR, attribute: 'tint' }],
    );
    for (const same of [tree(), renamed]) {
      assert.deepEqual(compareTaxonomies(tree(), same, 9), { added: NONE, removed: NONE, changed: NONE });
    }
  });

  it('names what is new and what is gone, by path', () => {
    const more = [...NODES, { node: 9_223_372_036_854_775_807n, parent: 12, name: 'Woks' }];
    const woks = { count: 1, samples: [{ id: 9_223_372_036_854_775_807n, path: 'Home > Pans > Woks' }] };
    const pans = { id: 12, path: 'Home > Pans', pathBefore: 'Home > Pans', what: ['leaf'] };
    assert.deepEqual(compareTaxonomies(tree(), tree(more), 9), {
      added: woks,
      removed: NONE,
      changed: { count: 1, samples: [pans] },
    });
    assert.deepEqual(compareTaxonomies(tree(more), tree(), 9).removed, woks);
  });

  for (const [what, fields, path] of [
    ['name', { name: 'Frying pans' }, 'Home > Frying pans'],
    ['active', { active: false }, 'Home > Pans'],
    ['tax_code', { tax_code: 'Baby Supplies' }, 'Home > Pans'],
    ['needs_group', { needs_group: true }, 'Home > Pans'],
    ['attributes', { optional: ['color'] }, 'Home > Pans'],
  ] as const) {
    it(`names a node whose ${what} is another`, () => {
      assert.deepEqual(compareTaxonomies(tree(), withNode(12, fields), 9), {
        added: NONE,
        removed: NONE,
        changed: { count: 1, samples: [{ id: 12, path, pathBefore: 'Home > Pans', what: [what] }] },
      });
    });
  }

  it('names a node that has moved, and what else has become of it', () => {
    const moved = tree(NODES.map((line) => (line.node === 12 ? { node: 12, parent: 11, name: 'Lids' } : line)));
    assert.deepEqual(compareTaxonomies(tree(), moved, 9).changed, {
      count: 2,
      samples: [
        { id: 11, path: 'Home > Pots', pathBefore: 'Home > Pots', what: ['leaf'] },
        { id: 12, path: 'Home > Pots > Lids', pathBefore: 'Home > Pans', what: ['name', 'parent', 'attributes'] },
      ],
    });
  });

  it('counts an attribute that is required, or has other values, as another', () => {
    for (const other of [
      withNode(11, { required: ['color', 'size'], optional: [] }),
      tree(NODES, [COLOR, { ...SIZE, values: ['S', 'M', 'L'] }]),
    ]) {
      const { changed } = compareTaxonomies(tree(), other, 9);
      assert.deepEqual(changed, {
        count: 1,
        samples: [{ id: 11, path: 'Home > Pots', pathBefore: 'Home > Pots', what: ['attributes'] }],
      });
    }
  });

  it('shows so many of each kind, and counts all', () => {
    const { added } = compareTaxonomies(tree([NODES[0] as NodeLine]), tree(), 1);
    assert.deepEqual(added, { count: 2, samples: [{ id: 11, path: 'Home > Pots' }] });
  });
});
