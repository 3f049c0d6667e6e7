/** Tests reading a SKU, by its address and by the query. */
import assert from 'node:assert/strict';
import { type ApiClient, minimalSku, requestProblem, skuPath } from '../harness/api-client.ts';
import { describeApi } from '../harness/contract-cases.ts';
import { skuUnknown } from './fixtures/check-order.ts';
import { FULL_SKU } from './fixtures/full-sku.ts';
import { addMerchant, EAST, RETURNS_EAST, RETURNS_WEST, WEST } from './fixtures/merchant-setup.ts';

const INT64_MAX = 9_223_372_036_854_775_807n;

const REMOVED_FIELDS = [
  'inventory_by_fulfillment_node',
  'inventory_last_update',
  'price',
  'price_last_update',
  'best_marketplace_offer',
  'my_best_offer',
  'producer_id',
  'merchant_sku_id',
  'merchant_id',
  'marketplace_sku',
  'correlation_id',
  'sales_rank',
  'sku_created_date',
];

const OPEN = { is_archived: false, status: 'Missing Listing Data', sub_status: ['Missing price'] };
const MINIMAL_READ = { ...minimalSku(), prop_65: false, ...OPEN };

const queryPath = (skuId: string) => `/merchant-skus?sku=${encodeURIComponent(skuId)}`;

async function withPrice(api: ApiClient, path: string): Promise<void> {
  await api.accepted('PUT', `${path}/price`, { price: 5 });
}

describeApi('SKU read', ({ accepts, refuses }) => {
  accepts('READ-01', 'a SKU with minimal data: those fields, the status fields and nothing else', async (api) => {
    assert.deepEqual(await api.found(await api.uploadedSku()), MINIMAL_READ);
  });
  accepts('READ-01', 'a SKU with a difficult id, which the response names', async (api) => {
    const skuId = `a/b "c" é ${api.newSkuId()}`;
    for (const path of [await api.uploadedSku({}, skuId), queryPath(skuId)]) {
      assert.equal(((await api.get(path)).body as { merchant_sku: unknown }).merchant_sku, skuId);
    }
  });

  accepts('READ-02', 'a SKU with every field, each as it was sent', async (api) => {
    assert.deepEqual(await api.found(await api.uploadedSku(FULL_SKU)), { ...FULL_SKU, ...OPEN });
  });

  refuses('READ-03', 'a SKU that was never uploaded', async (api) => {
    const skuId = api.newSkuId();
    await api.refused('GET', skuPath(skuId), undefined, [skuUnknown(skuId)], 404);
  });
  refuses('READ-03', 'a SKU id in another letter case', async (api) => {
    const path = await api.uploadedSku();
    const skuId = path.split('/').at(-1)?.toUpperCase() ?? '';
    await api.refused('GET', skuPath(skuId), undefined, [skuUnknown(skuId)], 404);
  });
  refuses('READ-03', 'a SKU of the other environment', async (api) => {
    const skuId = api.newSkuId();
    const path = await api.uploadedSku({}, skuId);
    const live = await api.inEnvironment('live');
    await live.refused('GET', path, undefined, [skuUnknown(skuId)], 404);
  });

  accepts('READ-04', 'a SKU with price and stock, without the retired fields', async (api) => {
    const removed = Object.fromEntries(REMOVED_FIELDS.map((field) => [field, 1]));
    const path = await api.uploadedSku(removed);
    await withPrice(api, path);
    await api.accepted('PATCH', `${path}/inventory`, {
      fulfillment_nodes: [{ fulfillment_node_id: EAST, quantity: 3 }],
    });
    const available = { status: 'Available For Purchase', sub_status: [] };
    assert.deepEqual(await api.found(path), { ...MINIMAL_READ, ...available });
  });

  accepts('READ-05', 'a SKU with shipping exceptions, as fulfillment_nodes, until they are cleared', async (api) => {
    const fulfillment_nodes = [
      {
        fulfillment_node_id: EAST,
        shipping_exceptions: [
          { shipping_method: '<carrier_2> Ground', shipping_exception_type: 'restricted' },
          {
            service_level: 'Standard',
            override_type: 'Additional charge',
            shipping_charge_amount: 0,
            shipping_exception_type: 'include',
          },
        ],
      },
      { fulfillment_node_id: WEST, shipping_exceptions: [] },
    ];
    const path = await api.uploadedSku();
    await api.accepted('PUT', `${path}/shippingexception`, { fulfillment_nodes });
    assert.deepEqual(await api.found(path), { ...MINIMAL_READ, fulfillment_nodes });
    await api.accepted('PUT', `${path}/shippingexception`, {});
    assert.deepEqual(await api.found(path), MINIMAL_READ);
  });

  accepts('READ-06', 'a SKU with a returns exception and the setup of returns, until it is cleared', async (api) => {
    const path = await api.uploadedSku();
    const return_location_ids = [RETURNS_WEST, RETURNS_EAST];
    await api.accepted('PUT', `${path}/returnsexception`, { return_location_ids });
    const setup = { time_to_return: 30, return_shipping_methods: ['<carrier_2> Ground'] };
    assert.deepEqual(await api.found(path), { ...MINIMAL_READ, return_location_ids, ...setup });
    await api.accepted('PUT', `${path}/returnsexception`, {});
    assert.deepEqual(await api.found(path), MINIMAL_READ);
  });

  accepts('READ-06', 'a returns exception of a merchant with other settings', async (api) => {
    const { test } = await addMerchant(
      api,
      { timeToReturnDays: 14, returnShippingMethods: ['Freight', '<carrier_4> Ground'] },
      async (store, accounts) => {
        await store.settings.addReturnLocation(accounts.test, 'back-door');
      },
    );
    const path = await test.uploadedSku();
    await test.accepted('PUT', `${path}/returnsexception`, { return_location_ids: ['back-door'] });
    const setup = { time_to_return: 14, return_shipping_methods: ['Freight', '<carrier_4> Ground'] };
    assert.deepEqual(await test.found(path), { ...MINIMAL_READ, return_location_ids: ['back-door'], ...setup });
  });

  accepts('READ-07', 'the parent of a group with the group, and a child without', async (api) => {
    const size = (attribute_value: string) => ({
      attributes_node_specific: [{ attribute_id: INT64_MAX, attribute_value }],
    });
    const child = api.newSkuId();
    const path = await api.uploadedSku(size('S'));
    await api.uploadedSku(size('M'), child);
    const group = { relationship: 'Variation', variation_refinements: [INT64_MAX], children_skus: [child] };
    await api.accepted('PUT', `${path}/variation`, group);
    assert.deepEqual(await api.found(path), { ...MINIMAL_READ, ...size('S'), ...group });
    await api.accepted('PUT', `${path}/variation`, { ...group, group_title: 'Pots' });
    assert.deepEqual(await api.found(path), { ...MINIMAL_READ, ...size('S'), ...group, group_title: 'Pots' });
    assert.deepEqual(await api.found(skuPath(child)), { ...MINIMAL_READ, ...size('M') });
  });

  accepts('READ-08', 'large attribute ids with every digit', async (api) => {
    const ids = ['9007199254740993', '1234567890123456789', String(INT64_MAX)];
    const path = await api.uploadedSku({
      attributes_node_specific: ids.map((id) => ({ attribute_id: BigInt(id), attribute_value: 'x' })),
    });
    const { text } = await api.get(path);
    assert.deepEqual(
      Array.from(text.matchAll(/"attribute_id":(\d+)/g), ([, id]) => id),
      ids,
    );
  });

  for (const skuId of ['plain', 'with space & more', 'a/b?c=d#e', '100%', 'plus+sign', 'Größe 🪴', '%2F']) {
    accepts('READ-09', `?sku=, which responds like the path, for ${skuId}`, async (api) => {
      const path = await api.uploadedSku({ ...FULL_SKU, brand: skuId }, skuId);
      await withPrice(api, path);
      const read = await api.found(path);
      assert.equal(read.brand, skuId);
      assert.deepEqual(await api.found(queryPath(skuId)), read);
    });
  }
  accepts('READ-09', '?sku= with the parameters of a list, which it ignores', async (api) => {
    const skuId = api.newSkuId();
    await api.uploadedSku({}, skuId);
    assert.deepEqual(await api.found(`${queryPath(skuId)}&limit=0&offset=x`), MINIMAL_READ);
  });
  refuses('READ-09', '?sku= of a SKU that was never uploaded', async (api) => {
    const skuId = api.newSkuId();
    await api.refused('GET', queryPath(skuId), undefined, [skuUnknown(skuId)], 404);
  });
  for (const [query, code, text] of [
    ['', 'sku_id_invalid', 'must not be empty.'],
    ['x'.repeat(65), 'sku_id_invalid', 'must have at most 64 characters.'],
    ['.', 'sku_id_invalid', 'must not be "." or "..".'],
    ['%00', 'sku_id_invalid', 'must not contain NUL characters or unpaired surrogates.'],
    ['%E4', 'query_invalid', 'must be percent-encoded UTF-8.'],
  ] as const) {
    refuses('READ-10', `?sku=${query}`, async (api) => {
      await api.refused('GET', `/merchant-skus?sku=${query}`, undefined, [requestProblem(code, `sku: ${text}`)]);
    });
  }
  accepts('READ-10', '?sku= with an id of 64 code points', async (api) => {
    const skuId = '🪴'.repeat(64);
    await api.uploadedSku({}, skuId);
    assert.deepEqual(await api.found(queryPath(skuId)), MINIMAL_READ);
  });
});
