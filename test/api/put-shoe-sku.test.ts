/** Tests the SKU upload for shoes. */
import assert from 'node:assert/strict';
import { type ApiClient, minimalSku, problemAt, skuPath } from '../harness/api-client.ts';
import { describeApi } from '../harness/contract-cases.ts';
import { FULL_SKU } from './fixtures/full-sku.ts';
import { type Fields, skuWith, skuWithout } from './fixtures/sku-bounds.ts';

const SHOE_TYPES = {
  Boots: 37_005_005_000,
  Clogs: 37_005_013_000,
  Mules: 37_005_030_000,
  Flats: 37_005_023_000,
  'Boat Shoes': 37_005_031_001,
  Loafers: 37_005_031_000,
  Oxfords: 37_005_032_000,
  Pumps: 37_005_027_007,
  Heels: 37_005_027_000,
  Sandals: 37_005_037_000,
  Slippers: 37_005_043_000,
  'Casual & Fashion Sneakers': 37_005_045_000,
  'Athletic Shoes': 37_005_046_000,
};
const BOOTS = SHOE_TYPES.Boots;
const TYPE_RULE = `must be one of: ${Object.values(SHOE_TYPES).join(', ')}`;
const COLLECTION = 9_223_372_036_854_775_806n;
const STYLE = 9_007_199_254_740_993n;

const shoe = (fields: Fields = {}) => ({
  ...skuWithout('marketplace_browse_node_id'),
  product_type_id: BOOTS,
  product_description: 'Rubber boots, knee-high.',
  attributes_node_specific: [
    { attribute_id: COLLECTION, attribute_value: 'Rain' },
    { attribute_id: STYLE, attribute_value: 'Knee-high' },
  ],
  ...fields,
});

const sendShoe = (api: ApiClient, body: unknown) => api.put(`${skuPath(api.newSkuId())}/v2`, body);

async function uploadedShoe(api: ApiClient, fields: Fields = {}): Promise<string> {
  const path = skuPath(api.newSkuId());
  await api.accepted('PUT', `${path}/v2`, shoe(fields));
  return path;
}

describeApi('shoe SKU upload', ({ accepts, refuses, bounds }) => {
  bounds('SHOE-01', {
    send: sendShoe,
    accepted: Object.fromEntries(Object.entries(SHOE_TYPES).map(([name, id]) => [name, shoe({ product_type_id: id })])),
    refused: {
      'a type that is not in the table': {
        body: shoe({ product_type_id: BOOTS + 1 }),
        problems: [problemAt('not_allowed', 'product_type_id', TYPE_RULE)],
      },
      'the department of shoes': {
        body: shoe({ product_type_id: 37_005_000_000 }),
        problems: [problemAt('not_allowed', 'product_type_id', TYPE_RULE)],
      },
      'a text': {
        body: shoe({ product_type_id: String(BOOTS) }),
        problems: [problemAt('wrong_type', 'product_type_id', TYPE_RULE)],
      },
    },
  });

  const typeRequired = [problemAt('required', 'product_type_id', 'is required')];
  bounds('SHOE-02', {
    send: sendShoe,
    accepted: { 'a shoe with its type': shoe() },
    refused: {
      'no type': { body: minimalSku(), problems: typeRequired },
      'a null type': { body: shoe({ product_type_id: null }), problems: typeRequired },
    },
  });

  bounds('SHOE-03', {
    send: sendShoe,
    accepted: {
      'every field of a SKU': shoe(FULL_SKU),
      'a browse node too': shoe({ marketplace_browse_node_id: 1_010_100 }),
    },
    refused: {
      'what a SKU upload refuses, together with a faulty type': {
        body: shoe({
          product_type_id: 1,
          brand: null,
          standard_product_codes: [],
          map_implementation: '102',
          marketplace_browse_node_id: 1,
        }),
        problems: [
          problemAt('not_allowed', 'product_type_id', TYPE_RULE),
          problemAt('required', 'brand', 'is required'),
          problemAt('product_code_required', 'standard_product_codes', 'is required when ASIN is absent'),
          problemAt('map_price_required', 'map_price', 'is required when map_implementation is 102'),
          problemAt(
            'browse_node_unknown',
            'marketplace_browse_node_id',
            'must be a node of the taxonomy: see GET /taxonomy/search',
          ),
        ],
      },
    },
  });

  accepts('SHOE-04', 'a shoe, which reads back with its type and exact attribute ids', async (api) => {
    for (const fields of [{ prop_65: false }, FULL_SKU]) {
      const { is_archived, status, sub_status, ...uploaded } = await api.found(await uploadedShoe(api, fields));
      assert.deepEqual(uploaded, shoe(fields));
    }
  });

  accepts('SHOE-05', 'a product type in the plain upload, which ignores it', async (api) => {
    const path = skuPath(api.newSkuId());
    const answer = await api.accepted('PUT', path, skuWith({ product_type_id: BOOTS }));
    assert.equal(answer.headers.get('x-ignored-fields'), '%2Fproduct_type_id');
    assert.ok(!('product_type_id' in (await api.found(path))));
  });
  accepts('SHOE-05', 'a faulty product type in the plain upload', async (api) => {
    await api.accepted('PUT', skuPath(api.newSkuId()), skuWith({ product_type_id: 'boots' }));
  });

  accepts('SHOE-06', 'a plain upload of a shoe, which drops its type', async (api) => {
    const codes = api.newProductCodes();
    // A blank title adds no product to the catalog, which would provide the category from then on.
    const path = await uploadedShoe(api, { ...codes, product_title: ' '.repeat(5) });
    await api.accepted('PUT', `${path}/price`, { price: 5 });
    await api.accepted('PUT', path, { ...shoe(codes), product_type_id: BOOTS });
    const read = await api.found(path);
    assert.ok(!('product_type_id' in read));
    assert.deepEqual(read.sub_status, ['Missing category']);
  });

  accepts('SHOE-07', 'a type as the category, in place of a browse node', async (api) => {
    for (const node of [undefined, 1_000_000, 1_010_100]) {
      const attributes_node_specific = [
        { attribute_id: 123, attribute_value: 'Rain' },
        { attribute_id: 124, attribute_value: 'Knee-high' },
      ];
      const path = await uploadedShoe(api, { marketplace_browse_node_id: node, attributes_node_specific });
      await api.accepted('PUT', `${path}/price`, { price: 5 });
      const { status, sub_status } = await api.found(path);
      assert.deepEqual({ status, sub_status }, { status: 'Available For Purchase', sub_status: [] });
    }
  });

  accepts('SHOE-08', 'a shoe upload of a plain SKU, which replaces its data and leaves its price', async (api) => {
    const path = await api.uploadedSku({ manufacturer: 'Potter' });
    await api.accepted('PUT', `${path}/price`, { price: 5 });
    const price = await api.found(`${path}/price`);
    await api.accepted('PUT', `${path}/v2`, shoe());
    const { is_archived, status, sub_status, ...uploaded } = await api.found(path);
    assert.deepEqual(uploaded, { ...shoe(), prop_65: false });
    assert.deepEqual(await api.found(`${path}/price`), price);
  });
  refuses('SHOE-08', 'a faulty shoe upload, which leaves the plain SKU as it was', async (api) => {
    const path = await api.uploadedSku();
    const before = await api.found(path);
    await api.refused('PUT', `${path}/v2`, minimalSku(), typeRequired);
    assert.deepEqual(await api.found(path), before);
  });
});
