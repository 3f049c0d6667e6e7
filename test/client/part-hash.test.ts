/** Tests that the client computes the hash of each part as the server does, for random valid bodies. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Part } from '../../client/src/cli/part-table.ts';
import { ENTRY_FIELDS, hashOf, PART_FIELDS, SKU_FIELDS } from '../../client/src/cli/sync/part-hash.ts';
import { OfferbookError } from '../../client/src/errors.ts';
import { parseJson, toJson } from '../../client/src/json.ts';
import { Offerbook } from '../../client/src/offerbook.ts';
import { skuPath } from '../../client/src/parts.ts';
import { DEMO_CREDENTIALS } from '../../src/demo/demo-merchant.ts';
import { InventoryBody } from '../../src/domain/bodies/inventory.ts';
import { PriceBody } from '../../src/domain/bodies/price.ts';
import { ShippingExceptionBody } from '../../src/domain/bodies/shipping-exception.ts';
import { ShoeSkuBody } from '../../src/domain/bodies/sku.ts';
import { VariationBody } from '../../src/domain/bodies/variation.ts';
import type { BodySchema } from '../../src/domain/check/schema.ts';
import { minimalSku } from '../harness/api-client.ts';
import { type Chance, seededChance } from '../harness/seeded-random.ts';
import { respell } from '../harness/spellings.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { VARIANTS } from '../harness/variants.ts';

const ROUNDS = 25;
const TEXTS = ['x', 'ü "quoted" \\ back', '😀\u2028 line', 'tab\tfeed\nend', '1.0', '<b>&amp;', '\u007f\u0001'];
const NODES = ['demo-node-east', 'demo-node-west'];

/** Values of optional fields, each valid. */
const OPTIONAL: Readonly<Record<string, (chance: Chance) => unknown>> = {
  product_type_id: () => 37_005_005_000,
  ASIN: () => 'B000123456',
  manufacturer: (chance) => chance.pick(TEXTS),
  product_description: (chance) => chance.pick(TEXTS),
  bullets: (chance) => some(chance, TEXTS, 5),
  shipping_weight_pounds: (chance) => chance.pick([1, 0.1 + 0.2, 1e9, 12.5]),
  map_implementation: (chance) => chance.pick(['101', '102', 'Type0', 'Type1', 'Type2', 'Type4']),
  attributes_node_specific: (chance) =>
    [1, 2].map((entry) => ({
      attribute_value_unit: chance.pick([null, '', 'cm']),
      attribute_value: chance.pick(TEXTS),
      unknown: 1,
      attribute_id: chance.pick([entry, 9_007_199_254_740_993n, 2n ** 63n - 1n]),
    })),
  external_item_type_keyword: (chance) => chance.pick(['', 'mug']),
  prop_65: (chance) => chance.pick([true, false, null]),
  prop_65_reasons: (chance) => chance.pick(TEXTS),
  msrp: (chance) => chance.pick([10, 9.99, null]),
  included_bullets: (chance) => some(chance, TEXTS, 3),
  alternate_images: () => [{ image_url: 'https://i.example/a.jpg', image_slot_id: 2 }],
  swatch_image_url: (chance) => chance.pick([true, 1.5, 'x', 123_456_789_012_345_678_901n]),
  ships_alone: (chance) => chance.pick([false, 0, -0, '']),
  unknown_field: () => ({ a: 1 }),
};

const BODIES: Readonly<Record<Part, (chance: Chance) => Record<string, unknown>>> = {
  sku(chance) {
    const extra = Object.entries(OPTIONAL).filter(() => chance.fraction() < 0.5);
    const fields = [
      ...Object.entries({ ...minimalSku(), map_price: 5 }),
      ...extra.map(([name, value]) => [name, value(chance)] as const),
    ];
    const body = Object.fromEntries(shuffled(chance, fields));
    return body.ASIN !== undefined && chance.fraction() < 0.5 ? { ...body, standard_product_codes: [] } : body;
  },
  price: (chance) => ({
    fulfillment_nodes: chance.pick([
      undefined,
      null,
      some(chance, NODES, 3).map((id) => ({ fulfillment_node_price: amount(chance), fulfillment_node_id: id })),
    ]),
    price: amount(chance),
  }),
  inventory: (chance) => ({
    fulfillment_nodes: [...some(chance, NODES, 3), ...shuffled(chance, NODES)].map((id) => ({
      quantity: chance.below(2 ** 31),
      fulfillment_node_id: id,
    })),
  }),
  variation: (chance) => ({
    group_title: chance.pick([undefined, null, '', ...TEXTS]),
    children_skus: [...some(chance, ['child-1', 'child-2', 'parent'], 4), 'child-1'],
    variation_refinements: [119, ...some(chance, [119, 9_007_199_254_740_993n], 3)],
    relationship: 'Variation',
  }),
  shipping_exception: (chance) => ({
    fulfillment_nodes: some(chance, NODES, 3).map((id) => ({
      shipping_exceptions: some(chance, ['Standard', 'Priority'], 2).map((level) => ({
        shipping_exception_type: 'include',
        shipping_charge_amount: amount(chance),
        override_type: 'Override charge',
        service_level: level,
        shipping_method: chance.pick([null, '<carrier_4> Ground']),
      })),
      fulfillment_node_id: id,
    })),
  }),
  returns_exception: (chance) => ({
    return_location_ids: some(chance, ['demo-returns-east', 'demo-returns-west'], 3),
  }),
};

const ADDRESSES: Readonly<Record<Part, string>> = {
  sku: '',
  price: '/price',
  inventory: '/inventory',
  variation: '/variation',
  shipping_exception: '/shippingexception',
  returns_exception: '/returnsexception',
};

function amount(chance: Chance): number {
  return chance.pick([0.01, 1, 9.5, 1e9, 0.1 + 0.2, 12.345_678_9]);
}

function some<T>(chance: Chance, values: readonly T[], most: number): T[] {
  return Array.from({ length: chance.below(most + 1) }, () => chance.pick(values));
}

function shuffled<T>(chance: Chance, values: readonly T[]): T[] {
  return values
    .map((value) => [chance.fraction(), value] as const)
    .sort(([one], [other]) => one - other)
    .map(([, value]) => value);
}

/** Returns an empty text if the part is not set. */
async function tagOf(client: Offerbook, path: string): Promise<string> {
  try {
    return (await client.call('GET', path)).headers.get('etag')?.replaceAll('"', '') ?? '';
  } catch (error) {
    if (error instanceof OfferbookError && error.status === 404) return '';
    throw error;
  }
}

describe('hashes of the client', () => {
  it('have the fields of the server in the same order', () => {
    const { properties } = ShoeSkuBody as unknown as Required<BodySchema>;
    assert.deepEqual(SKU_FIELDS, Object.keys(properties));
    const listed = Object.entries(properties).flatMap(([name, { items }]) =>
      items?.properties === undefined ? [] : [[name, Object.keys(items.properties)] as const],
    );
    const entriesOf = (schema: unknown) =>
      (schema as BodySchema).properties?.fulfillment_nodes?.items?.properties as Record<string, BodySchema>;
    assert.deepEqual(ENTRY_FIELDS, {
      ...Object.fromEntries(listed),
      node_prices: Object.keys(entriesOf(PriceBody)),
      shipping_exceptions: Object.keys(
        entriesOf(ShippingExceptionBody).shipping_exceptions?.items?.properties as object,
      ),
    });
    const fieldsOf = (schema: unknown) => Object.keys((schema as Required<BodySchema>).properties).toSorted();
    assert.deepEqual(
      Object.values(PART_FIELDS).map((fields) => fields.toSorted()),
      [ShoeSkuBody, PriceBody, InventoryBody, VariationBody].map(fieldsOf),
    );
  });

  for (const variant of VARIANTS) {
    describe(variant.title, { skip: variant.skip }, () => {
      let server: TestServer;
      let client: Offerbook;
      before(async () => {
        server = await startTestServer(variant.settings, variant.store);
        const { user, secret: pass } = DEMO_CREDENTIALS.test;
        client = new Offerbook({ url: server.url, user, pass });
        const refined = [119, 9_007_199_254_740_993n].map((attribute_id) => ({ attribute_id, attribute_value: 'x' }));
        for (const sku of ['parent', 'child-1', 'child-2'])
          await client.call('PUT', skuPath(sku), { body: { ...minimalSku(), attributes_node_specific: refined } });
      });
      after(() => server.close());

      for (const [part, address] of Object.entries(ADDRESSES) as [Part, string][]) {
        it(`match those of the server for ${part}`, async () => {
          const chance = seededChance(18);
          // Uses a separate SKU, because other parts need the attributes of the parent.
          const sku = part === 'sku' ? 'hashed' : 'parent';
          for (let round = 0; round < ROUNDS; round++) {
            const text = toJson(BODIES[part](chance));
            // The client does not know other names of carriers; the server accepts the default ones too.
            const body = parseJson(part === 'sku' ? respell(variant, text) : text) as Record<string, unknown>;
            const isShoe = part === 'sku' && body.product_type_id !== undefined;
            await client.call(part === 'inventory' ? 'PATCH' : 'PUT', skuPath(sku, isShoe ? '/v2' : address), { body });
            assert.equal(hashOf(part, sku, body), await tagOf(client, skuPath(sku, address)), toJson(body));
          }
        });
      }
    });
  }
});
