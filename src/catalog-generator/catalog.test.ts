/** Tests that a generated catalog is deterministic, passes every check, and is available for purchase after review. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DEMO_NODES } from '../demo/demo-merchant.ts';
import { createBodyChecks } from '../domain/bodies/all-bodies.ts';
import { readBodyText } from '../domain/body-text.ts';
import { Names, NEUTRAL_NAMES } from '../domain/names.ts';
import type { ReviewedDocument } from '../domain/review/facts.ts';
import { NO_POLICIES } from '../domain/review/policies.ts';
import { catalogCodes } from '../domain/review/product-code.ts';
import { evaluateOffer } from '../domain/review/review-offer.ts';
import { skuIdFault } from '../domain/sku-id.ts';
import { readStarter } from '../taxonomy/read-stored.ts';
import { Catalog, type CatalogPlan } from './catalog.ts';
import { CATALOG_FILE_TYPES, type CatalogFileType, catalogFile } from './catalog-file.ts';
import { CATALOG_LIMITS, productCode } from './product-codes.ts';
import { CLOTHING, SHOES, SINGLES } from './product-kinds.ts';

const PLAN: CatalogPlan = {
  seed: 7,
  images: ['https://img.example/a.jpg', 'https://img.example/"b".jpg'],
  nodeIds: DEMO_NODES.map(({ id }) => id),
};
/** A few hundred blocks: every product kind many times. */
const SKUS = 3200;
const { tree } = readStarter();
const checks = createBodyChecks(new Names(NEUTRAL_NAMES), tree);

function textOf(type: CatalogFileType, skus = SKUS, plan = PLAN): string {
  return Buffer.concat(Array.from(catalogFile(plan, type, skus), ({ bytes }) => bytes)).toString();
}

function rowsOf(type: CatalogFileType, skus = SKUS): [string, Record<string, unknown>][] {
  return Object.entries(JSON.parse(textOf(type, skus)) as Record<string, Record<string, unknown>>);
}

function isAccepted(check: keyof typeof checks, body: unknown): void {
  const sent = readBodyText(JSON.stringify(body));
  assert.ok(!('unreadable' in sent));
  const outcome = checks[check](sent);
  assert.deepEqual([outcome.ok, outcome.ok ? outcome.ignored : outcome.problems], [true, []], JSON.stringify(body));
}

describe('a generated catalog', () => {
  it('is the same for the same seed, whichever rows are generated, and differs for another seed', () => {
    for (const type of CATALOG_FILE_TYPES) {
      const text = textOf(type, 200);
      assert.equal(textOf(type, 200), text);
      assert.notEqual(textOf(type, 200, { ...PLAN, seed: 8 }), text);
    }
    const rows = rowsOf('MerchantSKUs');
    for (const place of [0, 5, 12, 15, 16, 31, 32, 1111]) {
      const catalog = new Catalog(PLAN);
      assert.deepEqual([catalog.skuId(place), JSON.parse(catalog.sku(place))], rows[place]);
    }
  });

  it('is written in chunks of bounded size whose counts add up, and is a whole file even without rows', () => {
    for (const type of CATALOG_FILE_TYPES) {
      const pieces = [...catalogFile(PLAN, type, SKUS)];
      assert.equal(
        pieces.reduce((sum, { rows }) => sum + rows, 0),
        rowsOf(type).length,
      );
      assert.equal(pieces.at(-1)?.skus, SKUS);
      for (const { bytes } of pieces) assert.ok(bytes.length <= 262_144);
      assert.deepEqual(JSON.parse(textOf(type, 0)), {});
    }
  });

  it('accepts ids and addresses of any length and script', () => {
    const nodeIds = Array.from({ length: 200 }, (_, node) => `${node} ${'漢'.repeat(2000)}`);
    const text = textOf('Inventory', 3, { ...PLAN, nodeIds });
    const [row] = Object.values(
      JSON.parse(text) as Record<string, { fulfillment_nodes: { fulfillment_node_id: string }[] }>,
    );
    assert.deepEqual(
      row?.fulfillment_nodes.map(({ fulfillment_node_id: id }) => id),
      nodeIds,
    );
  });

  it('writes JSON as a serializer would: no word needs an escape that it lacks', () => {
    for (const type of CATALOG_FILE_TYPES) {
      for (const line of textOf(type).split('\n').slice(1, -2)) {
        const body = line.slice(line.indexOf(':') + 1).replace(/,$/, '');
        assert.equal(JSON.stringify(JSON.parse(body)), body);
      }
    }
  });

  it('has 1.4 KB per SKU on average', () => {
    const mean = Buffer.byteLength(textOf('MerchantSKUs', 32_000)) / 32_000;
    assert.ok(mean > 1380 && mean < 1460, `${mean} bytes`);
  });

  it('has SKUs that are accepted without an ignored field, with unique ids', () => {
    const rows = rowsOf('MerchantSKUs');
    assert.equal(rows.length, SKUS);
    for (const [skuId, body] of rows) {
      assert.equal(skuIdFault(skuId), undefined);
      isAccepted('product_type_id' in body ? 'shoeSku' : 'sku', body);
    }
    const kinds = new Set(rows.map(([, body]) => body.marketplace_browse_node_id));
    assert.equal(kinds.size, CLOTHING.length + SHOES.length + SINGLES.length, 'every kind of product is there');
  });

  it('is available for purchase after the review, with price and group', () => {
    const images = Object.fromEntries(PLAN.images.map((address) => [address, { verdict: 'passed' } as const]));
    const account = { merchantId: 'demo', nodes: new Map(DEMO_NODES.map((node) => [node.id, node])) };
    const knowledge = {
      review: 'on',
      taxonomy: tree,
      policies: NO_POLICIES,
      account,
      imageCheck: 'on',
      newProductData: [],
    } as const;
    for (const [skuId, body] of rowsOf('MerchantSKUs')) {
      const document = body as unknown as ReviewedDocument;
      const facts = { document, archived: false, priced: true, stockNodeIds: PLAN.nodeIds, inGroup: true };
      const group = { parent: skuId, traits: '', leftOut: null };
      const evidence = { catalog: { codes: catalogCodes(document), products: [] }, group, images };
      assert.deepEqual(evaluateOffer(facts, knowledge, evidence), { status: 'available', subStatuses: [] }, skuId);
    }
  });

  it('has prices and stock for the same SKUs', () => {
    const ids = rowsOf('MerchantSKUs').map(([skuId]) => skuId);
    for (const [type, check] of [
      ['Price', 'price'],
      ['Inventory', 'inventory'],
    ] as const) {
      const rows = rowsOf(type);
      assert.deepEqual(
        rows.map(([skuId]) => skuId),
        ids,
      );
      for (const [, body] of rows) isAccepted(check, body);
    }
    const stock = rowsOf('Inventory').flatMap(([, body]) => body.fulfillment_nodes as { quantity: number }[]);
    assert.ok(stock.some(({ quantity }) => quantity === 0) && stock.some(({ quantity }) => quantity > 100));
    assert.ok(rowsOf('Price').some(([, body]) => 'fulfillment_nodes' in body));
  });

  it('groups clothing by size and color, within one brand, and only what is in the file', () => {
    const skus = SKUS + 5;
    const documents = new Map(rowsOf('MerchantSKUs', skus));
    const groups = rowsOf('Variation', skus);
    assert.equal(groups.length, SKUS / 32 + 1);
    const attributeOf = (skuId: string, id: unknown) => {
      const attributes = documents.get(skuId)?.attributes_node_specific as Record<string, unknown>[];
      return attributes.find(({ attribute_id }) => attribute_id === id)?.attribute_value;
    };
    for (const [parent, group] of groups) {
      isAccepted('variation', group);
      const members = [parent, ...(group.children_skus as string[])];
      assert.equal(new Set(members.map((skuId) => documents.get(skuId)?.brand)).size, 1);
      const values = members.map((skuId) =>
        (group.variation_refinements as number[]).map((id) => attributeOf(skuId, id)),
      );
      assert.ok(values.flat().every((value) => value !== undefined));
      assert.equal(new Set(values.map((value) => JSON.stringify(value))).size, members.length, 'no two are the same');
    }
    const [, last] = groups.at(-1) ?? [];
    assert.equal((last?.children_skus as unknown[] | undefined)?.length, 4, 'it is cut where the catalog ends');
    assert.deepEqual(rowsOf('Variation', 1), [], 'a single SKU is not a group');
  });

  it('has product codes of the right length up to the last seed and row, none twice', () => {
    const { seed_max, skus_max } = CATALOG_LIMITS;
    const codes = [1, 2, seed_max].flatMap((seed) =>
      [...Array(1000).keys(), ...Array.from({ length: 8 }, (_, n) => skus_max - 1 - n)].map((row) => {
        const { type, code } = productCode(seed, row);
        return catalogCodes({
          standard_product_codes: [{ standard_product_code_type: type, standard_product_code: code }],
        })[0];
      }),
    );
    assert.ok(codes.every((code) => code !== undefined));
    assert.equal(new Set(codes).size, codes.length);
  });
});
