/** Tests files of type Offers: rows with several parts, each stored whole or not at all. */
import assert from 'node:assert/strict';
import { type ApiClient, minimalSku } from '../harness/api-client.ts';
import { describeSharedApi } from '../harness/contract-cases.ts';
import { type FileRecord, finished, follow, sendFile } from './fixtures/bulk-files.ts';
import { EAST, WEST } from './fixtures/merchant-setup.ts';

type Errors = Record<string, { details: { code: string; field: string; column_name?: string }[]; line: number }>;

async function sent(api: ApiClient, rows: object | string): Promise<FileRecord> {
  return finished(api, await sendFile(api, 'Offers', rows as string));
}

async function errorsOf(api: ApiClient, record: FileRecord) {
  const { body } = await follow(api, String(record.error_url));
  return Object.entries(body as Errors).map(([skuId, { details, line }]) => ({ skuId, details, line }));
}

/** Returns the response of `GET …/offer`. */
async function offerOf(api: ApiClient, skuId: string): Promise<Record<string, unknown>> {
  const { status, body, text } = await api.get(`/merchant-skus/${skuId}/offer`);
  assert.equal(status, 200, text);
  return body as Record<string, unknown>;
}

const stock = (quantity: number) => ({ fulfillment_nodes: [{ fulfillment_node_id: EAST, quantity }] });

describeSharedApi('files of whole offers', ({ accepts, refuses }) => {
  accepts('FILE-28', 'product, price and stock of new and known SKUs in one file, in every format', async (api) => {
    const [json, ndjson, csv] = [api.newSkuId(), api.newSkuId(), api.newSkuId()] as const;
    const { product_title, ...sku } = minimalSku();
    const body = { sku: { product_title, ...sku }, price: { price: 5 }, inventory: stock(3) };
    await sent(api, { [json]: body });
    await sent(api, `${JSON.stringify({ merchant_sku: ndjson, ...body })}\n`);
    await sent(api, { [csv]: { sku: { product_title, ...sku } } });
    const record = await sent(
      api,
      `sku,price,stock_1_node_id,stock_1_quantity,stock_2_node_id,stock_2_quantity\n${csv},5,${EAST},3,${WEST},1\n`,
    );
    assert.deepEqual([record.status, record.file_type, record.format], ['Processed successfully', 'Offers', 'CSV']);
    const offers = await Promise.all([json, ndjson, csv].map((skuId) => offerOf(api, skuId)));
    for (const offer of offers) {
      assert.deepEqual(
        [(offer.sku as { brand: string }).brand, offer.price],
        [sku.brand, { price: 5, fulfillment_nodes: [] }],
      );
    }
    assert.deepEqual(offers[0]?.inventory, stock(3));
    assert.deepEqual(offers[2]?.inventory, {
      fulfillment_nodes: [...stock(3).fulfillment_nodes, { fulfillment_node_id: WEST, quantity: 1 }],
    });
  });
  accepts('FILE-28', 'the response of GET …/offer as a line, and leaves an archived SKU as it is', async (api) => {
    const [open, archived] = [api.newSkuId(), api.newSkuId()] as const;
    await sent(api, { [open]: { sku: minimalSku(), price: { price: 5 } }, [archived]: { sku: minimalSku() } });
    await api.accepted('PUT', `/merchant-skus/${archived}/status/archive`, { is_archived: true });
    const read = () => Promise.all([open, archived].map((skuId) => offerOf(api, skuId)));
    const before = await read();
    const record = await sent(api, before.map((offer) => `${JSON.stringify(offer)}\n`).join(''));
    assert.deepEqual([record.status, record.rows_processed], ['Processed successfully', 2]);
    assert.deepEqual(
      (await read()).map(({ sku, price, is_archived }) => ({ sku, price, is_archived })),
      before.map(({ sku, price, is_archived }) => ({ sku, price, is_archived })),
    );
  });
  refuses('FILE-28', 'a row with one bad part whole, and names its field or column', async (api) => {
    const [bad, good, unknown] = [api.newSkuId(), api.newSkuId(), api.newSkuId()] as const;
    await api.uploadedSku({}, bad);
    await api.uploadedSku({}, good);
    const json = await sent(api, {
      [bad]: { price: { price: 5 }, inventory: stock(-1) },
      [good]: { price: { price: 6 }, inventory: stock(2) },
      [unknown]: { price: { price: 5 } },
    });
    assert.deepEqual([json.rows_processed, json.rows_failed], [3, 2]);
    assert.deepEqual(
      (await errorsOf(api, json)).map(({ skuId, details }) => [skuId, details.map(({ code, field }) => [code, field])]),
      [
        [bad, [['too_small', '/inventory/fulfillment_nodes/0/quantity']]],
        [unknown, [['sku_unknown', '']]],
      ],
    );
    const csv = await sent(api, `sku,price,stock_1_node_id,stock_1_quantity\n${bad},0,${EAST},1\n`);
    assert.deepEqual(
      (await errorsOf(api, csv)).map(({ skuId, details, line }) => [
        skuId,
        details.map((one) => one.column_name),
        line,
      ]),
      [[bad, ['price'], 2]],
    );
    assert.equal((await api.get(`/merchant-skus/${bad}/price`)).status, 404);
    assert.deepEqual((await offerOf(api, bad)).inventory, { fulfillment_nodes: [] });
    assert.equal((await api.found(`/merchant-skus/${good}/price`)).price, 6);
    assert.equal((await api.get(`/merchant-skus/${unknown}`)).status, 404);
  });
});
