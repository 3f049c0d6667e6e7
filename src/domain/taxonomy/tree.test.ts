/** Tests ancestors and descendants of nodes, and what nodes inherit. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { attributeEntry, entryText, nodeEntry, type TaxonomyEntry } from './entries.ts';
import { TaxonomyBuilder, type TaxonomyTree } from './tree.ts';

const HUGE = 9_223_372_036_854_775_807n;
const NEXT_TO_HUGE = 9_223_372_036_854_775_806n;

function treeOf(...entries: TaxonomyEntry[]): TaxonomyTree {
  const builder = new TaxonomyBuilder();
  for (const entry of entries) builder.add(entry);
  return builder.build();
}

const size = attributeEntry({ attribute: 'size', id: HUGE, description: 'Size', values: ['S', 'M'] });
const color = attributeEntry({ attribute: 'color', id: 119, description: 'Color', variant: true });
const tree = treeOf(
  size,
  color,
  nodeEntry({ node: 1, name: 'Clothing', tax_code: 'General Clothing', required: ['size'], needs_group: true }),
  nodeEntry({
    node: 2,
    parent: 1,
    name: 'Tops',
    optional: ['color'],
    needs_code: false,
    new_product_data: ['bullets'],
  }),
  nodeEntry({ node: HUGE, parent: 2, name: 'T-Shirts', optional: ['size'] }),
  nodeEntry({
    node: NEXT_TO_HUGE,
    parent: 2,
    name: 'Vests',
    active: false,
    tax_code: 'Athletic Clothing',
    needs_code: true,
    new_product_data: [],
  }),
  nodeEntry({ node: 5, name: 'Books', active: false }),
  nodeEntry({ node: 6, parent: 5, name: 'Comics' }),
);

describe('taxonomy tree', () => {
  it('finds nodes by id, also beyond 2^53, and no others', () => {
    assert.equal(tree.node(HUGE)?.name, 'T-Shirts');
    assert.equal(tree.node(NEXT_TO_HUGE)?.name, 'Vests');
    assert.equal(tree.node(HUGE - 2n), undefined);
    assert.equal(tree.node(3), undefined);
  });

  it('returns levels, leaves, parents and children', () => {
    assert.deepEqual(
      tree.nodes.map(({ id, level, isLeaf, parentId }) => [id, level, isLeaf, parentId]),
      [
        [1, 0, false, null],
        [2, 1, false, 1],
        [HUGE, 2, true, 2],
        [NEXT_TO_HUGE, 2, true, 2],
        [5, 0, false, null],
        [6, 1, true, 5],
      ],
    );
    assert.deepEqual(
      tree.departments.map(({ id }) => id),
      [1, 5],
    );
    assert.deepEqual(
      tree.children(2).map(({ id }) => id),
      [HUGE, NEXT_TO_HUGE],
    );
    assert.deepEqual(tree.children(6), []);
    assert.deepEqual(tree.path(HUGE), ['Clothing', 'Tops', 'T-Shirts']);
  });

  it('passes tax code, rules and inactive state down to the nodes below', () => {
    assert.equal(tree.node(HUGE)?.suggestedTaxCode, 'General Clothing');
    assert.equal(tree.node(NEXT_TO_HUGE)?.suggestedTaxCode, 'Athletic Clothing');
    assert.equal(tree.node(6)?.suggestedTaxCode, null);
    assert.deepEqual([tree.node(HUGE)?.needsGroup, tree.node(6)?.needsGroup], [true, false]);
    const newProductData = [1, HUGE, NEXT_TO_HUGE].map((id) => tree.node(id)?.newProductData);
    assert.deepEqual(newProductData, [null, ['bullets'], []], 'an empty list ends an inherited rule');
    const needsCode = [1, HUGE, NEXT_TO_HUGE, 6].map((id) => tree.node(id)?.needsCode);
    assert.deepEqual(needsCode, [true, false, true, true], 'needed unless the taxonomy says otherwise');
    assert.deepEqual(
      [tree.node(HUGE)?.active, tree.node(NEXT_TO_HUGE)?.active, tree.node(6)?.active],
      [true, false, false],
    );
  });

  it('inherits attributes; the deepest node decides whether one is required', () => {
    const of = (id: number | bigint) =>
      tree.attributes(id).map(({ attribute, required }) => [attribute.name, required]);
    assert.deepEqual(of(1), [['size', true]]);
    assert.deepEqual(of(NEXT_TO_HUGE), [
      ['size', true],
      ['color', false],
    ]);
    assert.deepEqual(of(HUGE), [
      ['size', false],
      ['color', false],
    ]);
    assert.deepEqual(of(6), []);
  });

  it('throws on unchecked data: a missing parent, attribute or node', () => {
    assert.throws(() => treeOf(nodeEntry({ node: 1, parent: 2, name: 'a' })), /before its parent/);
    const broken = treeOf(nodeEntry({ node: 1, name: 'a', required: ['nothing'] }));
    assert.throws(() => broken.attributes(1), /no attribute nothing/);
    assert.throws(() => tree.path(3), /no node 3/);
  });
});

describe('lines of a taxonomy', () => {
  it('omit default values and keep int64 exact', () => {
    assert.equal(entryText(nodeEntry({ node: HUGE, parent: 2, name: 'a' })), `{"node":${HUGE},"parent":2,"name":"a"}`);
    const full = {
      attribute: 'a',
      id: HUGE,
      description: 'A',
      variant: true,
      data_type: 'number',
      values: ['1'],
      units: ['in'],
      min_value: 0,
      max_value: 2.5,
    } as const;
    assert.equal(
      entryText(attributeEntry(full)),
      `{"attribute":"a","id":${HUGE},"description":"A","variant":true,"data_type":"number","values":["1"],"units":["in"],` +
        '"min_value":0,"max_value":2.5}',
    );
  });
});
