/** Tests the report Offers: all parts of every offer, which can be uploaded unchanged as a file of type Offers. */
import assert from 'node:assert/strict';
import { type ApiClient, assertProblems, requestProblem } from '../harness/api-client.ts';
import { describeApi } from '../harness/contract-cases.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { finished, follow, sendFile } from './fixtures/bulk-files.ts';
import { addMerchant, flatNode } from './fixtures/merchant-setup.ts';

const REPORT_MS_MAX = 120_000;

async function report(api: ApiClient, query = '') {
  const requested = await api.send('POST', `/reports/Offers${query}`);
  assert.equal(requested.status, 200, requested.text);
  const { report_id } = requested.body as { report_id: string };
  const state = await waitUntil('the report', REPORT_MS_MAX, async () => {
    const found = await api.foundNow(`/reports/state/${report_id}`);
    return found.report_status === 'Requested' ? undefined : found;
  });
  assert.deepEqual([state.report_type, state.report_status], ['Offers', 'Ready']);
  return { state, ...(await follow(api, String(state.report_url))) };
}

/** Returns all offers with their tags and histories. */
async function wholes(api: ApiClient, skuIds: readonly string[]) {
  return Promise.all(
    skuIds.map(async (skuId) => {
      const { body, headers } = await api.get(`/merchant-skus/${encodeURIComponent(skuId)}/offer`);
      const { status, sub_status, issues, ...parts } = body as Record<string, unknown>;
      const { changes } = await api.foundNow(`/merchant-skus/${encodeURIComponent(skuId)}/history`);
      return { parts, tag: headers.get('etag'), changes };
    }),
  );
}

/** Adds a merchant whose test account has offers with every part. */
async function merchantWithOffers(api: ApiClient) {
  const merchant = await addMerchant(api, {}, async (store, { test, live }) => {
    for (const accountId of [test, live]) {
      for (const id of ['east', 'we,st']) await store.settings.putNode(accountId, flatNode(id));
      await store.settings.addReturnLocation(accountId, 'dock "1"');
    }
  });
  const { test } = merchant;
  const attributes_node_specific = [{ attribute_id: 119, attribute_value: '5', attribute_value_unit: '' }];
  const skus = ['plain', 'full', '=1+1', 'archived'];
  const alternate_images = [1, 3].map((image_slot_id) => ({
    image_slot_id,
    image_url: 'https://images.example/a.jpg',
  }));
  const lists = { bullets: ['one', "'two, 2"], included_bullets: ['one', '', "'"] };
  const texts = { ...lists, country_of_origin: '', safety_warning: ' ', alternate_images };
  for (const skuId of skus) await test.uploadedSku({ attributes_node_specific, ...texts }, skuId);
  await test.accepted('PUT', '/merchant-skus/full/price', {
    price: 9.95,
    fulfillment_nodes: [{ fulfillment_node_id: 'we,st', fulfillment_node_price: 9 }],
  });
  const stock = ['east', 'we,st'].map((fulfillment_node_id, quantity) => ({ fulfillment_node_id, quantity }));
  for (const skuId of ['full', 'archived']) {
    await test.accepted('PATCH', `/merchant-skus/${skuId}/inventory`, { fulfillment_nodes: stock });
  }
  const exception = { shipping_exception_type: 'include', override_type: 'Override charge', shipping_charge_amount: 2 };
  await test.accepted('PUT', '/merchant-skus/full/shippingexception', {
    fulfillment_nodes: [
      {
        fulfillment_node_id: 'we,st',
        shipping_exceptions: [
          { service_level: 'Standard', ...exception },
          { shipping_method: 'Freight', ...exception },
        ],
      },
      { fulfillment_node_id: 'east', shipping_exceptions: [{ service_level: 'Standard', ...exception }] },
    ],
  });
  await test.accepted('PUT', '/merchant-skus/full/returnsexception', { return_location_ids: ['dock "1"'] });
  await test.accepted('PUT', '/merchant-skus/full/variation', {
    relationship: 'Variation',
    variation_refinements: [119],
    children_skus: ['=1+1'],
    group_title: 'Pots',
  });
  await test.accepted('PUT', '/merchant-skus/archived/status/archive', { is_archived: true });
  return { ...merchant, skus };
}

describeApi('the report of whole offers', ({ accepts, refuses }) => {
  accepts(
    'REPORT-07',
    'offers with all parts, in both formats, which can be uploaded unchanged as a file of type Offers',
    async (api) => {
      const { test, live, skus } = await merchantWithOffers(api);
      const before = await wholes(test, skus);
      const csv = await report(test, '?format=CSV');
      const ndjson = await report(test);
      assert.deepEqual([csv.state.report_format, ndjson.state.report_format], ['CSV', 'NDJSON']);
      assert.match(String(csv.headers.get('content-disposition')), /filename="Offers-.*\.csv"$/);
      assert.match(String(ndjson.headers.get('content-disposition')), /filename="Offers-.*\.ndjson"$/);
      assert.equal(ndjson.headers.get('content-type'), 'application/x-ndjson; charset=utf-8');
      const lines = ndjson.text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      assert.deepEqual(
        lines.map(({ status, sub_status, ...parts }) => parts),
        before.map(({ parts }) => parts),
      );
      for (const content of [csv.text, ndjson.text]) {
        const record = await finished(test, await sendFile(test, 'Offers', content));
        assert.deepEqual(
          [record.status, record.rows_processed, record.error_excerpt],
          ['Processed successfully', skus.length, undefined],
        );
        assert.deepEqual(await wholes(test, skus), before, 'no part and no history has changed');
        const copied = await finished(live, await sendFile(live, 'Offers', content));
        assert.deepEqual([copied.rows_processed, copied.error_excerpt], [4, ['archived: SKU archived not found.']]);
        const tags = (await wholes(live, ['plain', 'full', '=1+1'])).map(({ tag }) => tag);
        assert.deepEqual(
          tags,
          before.slice(0, 3).map(({ tag }) => tag),
        );
      }
    },
  );
  accepts('REPORT-07', 'an account without offers', async (api) => {
    const { test } = await addMerchant(api);
    const [csv, ndjson] = [await report(test, '?format=CSV'), await report(test, '?format=NDJSON')];
    assert.deepEqual([csv.text, ndjson.text], ['sku\r\n', '']);
    for (const { text: content } of [csv, ndjson]) {
      const record = await finished(test, await sendFile(test, 'Offers', content || '{}'));
      assert.equal(record.status, 'Processed successfully');
    }
  });
  refuses('REPORT-07', 'another format', async (api) => {
    const problem = requestProblem('query_invalid', 'format: must be one of NDJSON, CSV.');
    for (const format of ['JSON', 'csv', 'XLSX']) {
      assertProblems(await api.send('POST', `/reports/Offers?format=${format}`), [problem]);
    }
  });
});
