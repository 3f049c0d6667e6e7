/** Tests the preview of another taxonomy: every kind of change, and none if nothing differs. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compareTaxonomies } from './compare.ts';
import { type AttributeLine, attributeEntry, type NodeLine, nodeEntry } from './entries.ts';
import { TaxonomyBuilder, type TaxonomyTree } from './tree.ts';

const COLOR: AttributeLine = { attribute: 'color', id: 1, description: 'Color' };
const SIZE: AttributeLine = { attribute: 'size', id: 2, description: 'Size', values: ['S', 'M'] };
const NODES: readonly NodeLine[] = [
  { node: 10, name: 'Home', new_product_data: ['manufacturer'] },
  { node: 11, parent: 10, name: 'Pots', required: ['color'], optional: ['size'] },
  { node: 12, parent: 10, name: 'Pans' },
];

function tree(nodes: readonly NodeLine[] = NODES, attributes: readonly AttributeLine[] = [COLOR, SIZE]): TaxonomyTree {
  const builder = new TaxonomyBuilder();
  for (const line of attributes) builder.add(attributeEntry(line));
  for (const line of nodes) builder.add(nodeEntry(line));
  return builder.build();
}

/** Returns the taxonomy above with one node changed. */
function withNode(id: number, fields: Partial<NodeLine>): TaxonomyTree {
  return tree(NODES.map((line) => (line.node === id ? { ...line, ...fields } : line)));
}

const NONE = { count: 0, samples: [] };

describe('compare', () => {
  it('finds no change in the same taxonomy, even if attributes have other names or another order', () => {
    const renamed = tree(
      NODES.map((line) => (line.node === 11 ? { ...line, required: ['tint'], optional: ['size'] } : line)),
      [SIZE, { ...COLOR, attribute: 'tint' }],
    );
    for (const same of [tree(), renamed]) {
      assert.deepEqual(compareTaxonomies(tree(), same, 9), { added: NONE, removed: NONE, changed: NONE });
    }
  });

  it('lists added and removed nodes by path', () => {
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
    ['needs_code', { needs_code: false }, 'Home > Pans'],
    ['new_product_data', { new_product_data: ['bullets'] }, 'Home > Pans'],
    ['attributes', { optional: ['color'] }, 'Home > Pans'],
  ] as const) {
    it(`lists a node whose ${what} has changed`, () => {
      assert.deepEqual(compareTaxonomies(tree(), withNode(12, fields), 9), {
        added: NONE,
        removed: NONE,
        changed: { count: 1, samples: [{ id: 12, path, pathBefore: 'Home > Pans', what: [what] }] },
      });
    });
  }

  it('lists a node that has moved, with its other changes', () => {
    const moved = tree(NODES.map((line) => (line.node === 12 ? { node: 12, parent: 11, name: 'Lids' } : line)));
    assert.deepEqual(compareTaxonomies(tree(), moved, 9).changed, {
      count: 2,
      samples: [
        { id: 11, path: 'Home > Pots', pathBefore: 'Home > Pots', what: ['leaf'] },
        { id: 12, path: 'Home > Pots > Lids', pathBefore: 'Home > Pans', what: ['name', 'parent', 'attributes'] },
      ],
    });
  });

  it('counts an attribute as changed if it is newly required or has other values', () => {
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

  it('shows a limited number of each kind, and counts all', () => {
    const { added } = compareTaxonomies(tree([NODES[0] as NodeLine]), tree(), 1);
    assert.deepEqual(added, { count: 2, samples: [{ id: 11, path: 'Home > Pots' }] });
  });
});
