/** Tests each response that the profile COMPATIBILITY=jet changes, and that none changes without it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ApiClient, requestToken, skuPath } from '../harness/api-client.ts';
import { describeApi, describeSharedApi } from '../harness/contract-cases.ts';
import { startTestServer } from '../harness/test-server.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { EAST, RETURNS_EAST } from './fixtures/merchant-setup.ts';

const SIZE = 101;
const WAIT_MS_MAX = 60_000;
const REPORT_FIELDS = [
  ...['merchant_id', 'report_requested_date', 'report_expiration_date'],
  ...['processing_start', 'processing_end', 'report_url'],
];

type Fields = Readonly<Record<string, unknown>>;

async function sizedSku(api: ApiClient, size: number, skuId = api.newSkuId()): Promise<string> {
  const attributes_node_specific = [{ attribute_id: SIZE, attribute_value: `size ${size}` }];
  await api.uploadedSku({ attributes_node_specific }, skuId);
  return skuId;
}

describeApi(
  'the profile jet',
  ({ accepts }) => {
    accepts('COMPAT-01', 'a live offer, with the other spelling of its status', async (api) => {
      const path = await api.uploadedSku();
      await api.accepted('PUT', `${path}/price`, { price: 5 });
      assert.equal((await api.found(path)).status, 'Available for Purchase');
      assert.equal((await api.found(`${path}/review`)).status, 'Available for Purchase');
    });

    accepts('COMPAT-02', 'the list of nodes, as addresses', async (api) => {
      const { fulfillment_nodes } = await api.found('/fulfillment-nodes');
      assert.ok(Array.isArray(fulfillment_nodes) && fulfillment_nodes.includes(`/fulfillment-nodes/${EAST}`));
      assert.equal((await api.found(`/fulfillment-nodes/${EAST}`)).fulfillment_node_id, EAST);
    });
    accepts('COMPAT-02', 'the nodes by merchant id, in the letter case of the original', async (api) => {
      for (const path of ['/fulfillmentnodesbymerchantid', '/api/FulfillmentNodesByMerchantId/']) {
        const { status, body } = await api.get(path);
        assert.equal(status, 200);
        const node = (body as Fields[]).find(({ FulfillmentNodeId }) => FulfillmentNodeId === EAST);
        const empty = { Address1: '', Address2: '', City: '', State: '', ZipCode: '' };
        assert.deepEqual(node, { FulfillmentNodeId: EAST, ...empty });
      }
    });

    accepts('COMPAT-03', 'children as objects in both reads', async (api) => {
      const parent = skuPath(await sizedSku(api, 1));
      const children = [await sizedSku(api, 2), await sizedSku(api, 3)];
      const group = { relationship: 'Variation', variation_refinements: [SIZE], children_skus: children };
      await api.accepted('PUT', `${parent}/variation`, group);
      const shown = children.map((merchant_sku) => ({ merchant_sku }));
      assert.deepEqual((await api.found(`${parent}/variation`)).children_skus, shown);
      assert.deepEqual((await api.found(parent)).children_skus, shown);
      const query = `/merchant-skus?sku=${parent.split('/').at(-1)}`;
      assert.deepEqual((await api.found(query)).children_skus, shown);
    });

    accepts('COMPAT-04', 'reads of parts that were never sent, and not of unknown SKUs', async (api) => {
      const path = await api.uploadedSku();
      const { paths, components } = (await api.get('/openapi.json')).body as Record<string, Record<string, Fields>>;
      for (const [part, name, empty] of [
        ['/variation', 'GetVariation', { variation_refinements: [], children_skus: [], excluded_skus: [] }],
        ['/shippingexception', 'GetShippingException', { fulfillment_nodes: [] }],
        ['/returnsexception', 'GetReturnsException', { return_location_ids: [] }],
      ] as const) {
        const { status, body } = await api.get(path + part);
        assert.deepEqual([status, body], [200, empty], part);
        assert.ok(JSON.stringify(paths).includes(`"#/components/schemas/${name}Answer"`));
        const schema = components?.schemas?.[`${name}Answer`] as { required: string[]; properties: Fields };
        assert.deepEqual(schema.required.toSorted(), Object.keys(empty).toSorted(), part);
        assert.doesNotMatch(JSON.stringify(schema), /minItems/, part);
        assert.equal((await api.get(skuPath(api.newSkuId()) + part)).status, 404);
      }
      assert.equal((await api.get(`${path}/price`)).status, 404, 'a price is not in the list');
      await api.accepted('PUT', `${path}/returnsexception`, { return_location_ids: [RETURNS_EAST] });
      assert.deepEqual((await api.found(`${path}/returnsexception`)).return_location_ids, [RETURNS_EAST]);
    });

    accepts('COMPAT-05', 'the state of a report, whose fields are always strings', async (api) => {
      const { body } = await api.send('POST', '/reports/ProductStatus');
      const path = `/reports/state/${(body as Fields).report_id}`;
      const check = (state: Fields) => {
        for (const field of REPORT_FIELDS) assert.equal(typeof state[field], 'string', field);
        assert.equal(state.merchant_id, 'demo');
        assert.equal(state.report_requested_date, state.requested);
      };
      check(await api.found(path));
      const ready = await waitUntil('the report', WAIT_MS_MAX, async () => {
        const state = await api.found(path);
        return state.report_status === 'Ready' ? state : undefined;
      });
      check(ready);
      assert.equal(ready.report_expiration_date, ready.expires);
      assert.ok(REPORT_FIELDS.every((field) => ready[field] !== ''));
    });

    accepts('COMPAT-06', 'a fee adjustment as a number if it is one', async (api) => {
      for (const [sent, read] of [
        ['12.50', 12.5],
        ['-3', -3],
        [7, 7],
        ['none', 'none'],
        ['0x10', '0x10'],
        ['', ''],
      ] as const) {
        const sku = await api.found(await api.uploadedSku({ no_return_fee_adjustment: sent }));
        assert.equal(sku.no_return_fee_adjustment, read);
      }
    });

    accepts('COMPAT-07', 'the OpenAPI document, with the shapes of the profile', async (api) => {
      const { paths, components } = (await api.get('/openapi.json')).body as Record<string, Record<string, Fields>>;
      assert.ok(paths !== undefined && '/fulfillmentnodesbymerchantid' in paths);
      assert.match(
        JSON.stringify(components?.schemas?.CompatibleSku),
        /"merchant_sku".*"children_skus".*"merchant_sku"/,
      );
      assert.match(JSON.stringify(components), /Available for Purchase/);
      assert.doesNotMatch(JSON.stringify(paths), /Available For Purchase/);
      assert.match(JSON.stringify(components), /report_expiration_date/);
    });
  },
  { COMPATIBILITY: 'jet' },
);

describe('the names of the profile jet', () => {
  it('are the defaults, and configured names override them', async (t) => {
    const server = await startTestServer({ COMPATIBILITY: 'jet', EXTERNAL_NAME: 'rival' });
    t.after(() => server.close());
    const headers = { authorization: `Bearer ${await requestToken(server.url, 'test')}` };
    const sku = {
      ...{ product_title: 'A mug', brand: 'Potter', multipack_quantity: 1, ASIN: 'B00ABC1234' },
      main_image_url: 'https://images.example/mug.jpg',
      jet_browse_node_id: 1_010_100,
      rival_item_type_keyword: 'mugs',
    };
    const url = `${server.url}/merchant-skus/named`;
    const put = await fetch(url, { method: 'PUT', headers, body: JSON.stringify(sku) });
    assert.deepEqual([put.status, put.headers.get('x-ignored-fields')], [202, null]);
    const read = (await (await fetch(url, { headers })).json()) as Fields;
    assert.deepEqual([read.jet_browse_node_id, read.rival_item_type_keyword], [1_010_100, 'mugs']);
    const node = await fetch(`${server.url}/fulfillment-nodes/${EAST}`, { headers });
    assert.match(await node.text(), /FedEx|UPS|USPS|DHL|OnTrac/);
  });
});

describeSharedApi('without the profile', ({ refuses }) => {
  refuses('COMPAT-02', 'the nodes by merchant id', async (api) => {
    assert.equal((await api.get('/fulfillmentnodesbymerchantid')).status, 404);
  });
  refuses('COMPAT-04', 'reads of parts that were never sent', async (api) => {
    assert.equal((await api.get(`${await api.uploadedSku()}/variation`)).status, 404);
  });
});
