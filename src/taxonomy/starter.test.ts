/** Tests that the starter taxonomy matches the docs, and that the ids that offers use do not change. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { TaxonomyNode } from '../domain/taxonomy/tree.ts';
import { SHOE_PRODUCT_TYPES } from '../domain/vocabulary/product-types.ts';
import { PRODUCT_TAX_CODES } from '../domain/vocabulary/tax-codes.ts';
import { readTaxonomyFile } from '../operations/taxonomy/read-taxonomy-file.ts';
import { readStarter, STARTER_FILE } from './read-stored.ts';

/** Ids from the first release. Offers refer to them, so they must not change. */
const FIRST_LEAVES = {
  'T-Shirts': 1_000_100,
  Jeans: 1_000_200,
  Swimwear: 1_000_300,
  'Baby Clothing': 1_000_400,
  Cookware: 1_010_100,
  Bedding: 1_010_200,
  'Storage & Organization': 1_010_300,
  'Paper Towels': 1_010_400,
  Headphones: 1_020_100,
  'Chargers & Cables': 1_020_200,
  Cameras: 1_020_300,
  Coffee: 1_030_100,
  Candy: 1_030_200,
  'Bottled Water': 1_030_300,
  'Dog Food': 1_040_100,
  'Cat Litter': 1_040_200,
  'Building Toys': 1_050_100,
  'Board Games': 1_050_200,
  Books: 1_050_300,
  'Bicycle Helmets': 1_060_100,
  Kayaks: 1_060_200,
};
const FIRST_DEPARTMENTS = [1_000_000, 37_005_000_000, 1_010_000, 1_020_000, 1_030_000, 1_040_000, 1_050_000, 1_060_000];

const { tree } = readStarter();
const leaves = tree.nodes.filter(({ isLeaf }) => isLeaf);
const departmentOf = ({ id }: TaxonomyNode) => tree.path(id)[0];
const requiredOf = ({ id }: TaxonomyNode) =>
  tree.attributes(id).flatMap(({ attribute, required }) => (required ? [attribute.description] : []));

describe('starter taxonomy', () => {
  it('follows all rules of the format, and is read unchanged', async () => {
    const lines = readFileSync(STARTER_FILE, 'utf8').split('\n');
    const file = await readTaxonomyFile(
      (async function* () {
        yield lines;
      })(),
    );
    assert.deepEqual(file.ok ? [] : file.faults, []);
    assert.equal(file.ok && file.entries.filter(({ kind }) => kind === 'node').length, tree.nodes.length);
    const indents = lines.flatMap((line) => (line.includes('"node"') ? [line.search(/\S/) / 2] : []));
    assert.deepEqual(
      indents,
      tree.nodes.map(({ level }) => level),
      'the indentation shows the level',
    );
  });

  it('has at least 15 departments and 300 nodes, with leaves on the third and fourth level', () => {
    assert.ok(tree.departments.length >= 15);
    assert.ok(tree.nodes.length >= 300);
    assert.deepEqual([...new Set(leaves.map(({ level }) => level))].toSorted(), [2, 3]);
  });

  it('keeps the ids of the first release, and its leaves are still leaves', () => {
    for (const [name, id] of Object.entries(FIRST_LEAVES)) {
      const { isLeaf, active, name: now } = tree.node(id) ?? {};
      assert.deepEqual({ isLeaf, active, now }, { isLeaf: true, active: true, now: name });
    }
    for (const id of FIRST_DEPARTMENTS) assert.equal(tree.node(id)?.level, 0);
  });

  it('every leaf has attributes and a suggested tax code; every tax code of goods is suggested somewhere', () => {
    for (const leaf of leaves) {
      assert.ok(tree.attributes(leaf.id).length > 0, leaf.name);
      assert.notEqual(leaf.suggestedTaxCode, null, leaf.name);
    }
    const suggested = new Set(leaves.map(({ suggestedTaxCode }) => suggestedTaxCode));
    assert.deepEqual(
      PRODUCT_TAX_CODES.filter((code) => !suggested.has(code)),
      ['Non Taxable Product'],
    );
  });

  it('clothing needs a size and a group; shoes need a collection and a style, and no group', () => {
    const clothing = leaves.filter((leaf) => departmentOf(leaf) === 'Clothing');
    assert.ok(clothing.length > 30);
    for (const leaf of clothing) {
      assert.ok(requiredOf(leaf).includes('Size'), leaf.name);
      assert.ok(leaf.needsGroup, leaf.name);
    }
    const shoes = leaves.filter((leaf) => departmentOf(leaf) === 'Shoes');
    assert.deepEqual(
      new Set(shoes.map(({ id, name }) => `${id} ${name}`)),
      new Set(SHOE_PRODUCT_TYPES.map(({ id, name }) => `${id} ${name}`)),
    );
    for (const leaf of shoes) {
      assert.deepEqual(requiredOf(leaf), ['Collection', 'Style'], leaf.name);
      assert.equal(leaf.needsGroup, false, leaf.name);
    }
  });

  it('has attributes of every kind: free text, allowed values, numbers with units and ranges, variants', () => {
    const used = leaves.flatMap(({ id }) => tree.attributes(id).map(({ attribute }) => attribute));
    assert.equal(used.find(({ id }) => id === 119)?.description, 'Color');
    assert.ok(used.some(({ values, dataType }) => values.length === 0 && dataType === 'text'));
    assert.ok(used.some(({ values, variant }) => values.length > 0 && variant));
    assert.ok(used.some(({ units, min, max }) => units.length > 0 && min !== null && max !== null));
  });
});
