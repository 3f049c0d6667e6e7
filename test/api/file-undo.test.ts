/** Tests the undo of bulk files: earlier values come back, and offers that have changed since are skipped and named. */
import assert from 'node:assert/strict';
import { type ApiClient, minimalSku, requestProblem } from '../harness/api-client.ts';
import { describeSharedApi } from '../harness/contract-cases.ts';
import { type FileRecord, finished, NO_FILE, sendFile, UNKNOWN_ID, uploaded } from './fixtures/bulk-files.ts';
import { EAST } from './fixtures/merchant-setup.ts';

const NOT_UNDOABLE = requestProblem(
  'change_not_undoable',
  'This file cannot be undone: it is unfinished, was not applied, or has the type Variation.',
);

const stock = (quantity: number) => ({ fulfillment_nodes: [{ fulfillment_node_id: EAST, quantity }] });

/** Sends a file, and returns its id once it is processed. */
async function applied(api: ApiClient, type: string, rows: object | string): Promise<string> {
  const fileId = await sendFile(api, type, rows as string);
  await finished(api, fileId);
  return fileId;
}

async function undone(api: ApiClient, fileId: string) {
  const { status, body, text } = await api.send('POST', `/files/${fileId}/undo`);
  assert.equal(status, 200, text);
  const { file, ...rest } = body as { file?: FileRecord };
  return { ...rest, file: file && (await finished(api, file.marketplace_file_id)) };
}

/** Returns the parts of an offer, as bodies of their calls. */
async function partsOf(api: ApiClient, skuId: string): Promise<Record<string, unknown>> {
  const { body } = await api.get(`/merchant-skus/${skuId}/offer`);
  const { sku, price, inventory, returns_exception, is_archived } = body as Record<string, unknown>;
  return { sku, price, inventory, returns_exception, is_archived };
}

async function newOffers(api: ApiClient, count: number): Promise<string[]> {
  const skuIds = Array.from({ length: count }, () => api.newSkuId());
  await applied(
    api,
    'Offers',
    Object.fromEntries(skuIds.map((skuId) => [skuId, { sku: minimalSku(), price: { price: 1 }, inventory: stock(1) }])),
  );
  return skuIds;
}

describeSharedApi('the undo of bulk files', ({ accepts, refuses }) => {
  accepts('FILE-29', 'a file of whole offers, and restores all parts with one file', async (api) => {
    const [known = '', changed = '', gone = ''] = await newOffers(api, 3);
    const before = await partsOf(api, known);
    const added = api.newSkuId();
    const row = {
      sku: { ...minimalSku(), brand: 'Other' },
      price: { price: 2 },
      inventory: stock(2),
      returns_exception: { return_location_ids: ['demo-returns-east'] },
    };
    const bad = api.newSkuId();
    const fileId = await applied(api, 'Offers', {
      [known]: row,
      [added]: row,
      [changed]: row,
      [gone]: { price: { price: 2 } },
      [bad]: { price: { price: 5 } },
    });
    await api.accepted('PUT', `/merchant-skus/${changed}/price`, { price: 3 });
    await api.accepted('PUT', `/merchant-skus/${gone}/price`, { price: 4 });
    const { file, ...rest } = await undone(api, fileId);
    assert.deepEqual(rest, {
      offers: 2,
      skipped: 3,
      skipped_skus: [
        { sku: added, reason: 'offer_added' },
        { sku: changed, reason: 'changed_since', parts: ['price'] },
        { sku: gone, reason: 'changed_since' },
      ],
    });
    assert.deepEqual(
      [file?.status, file?.file_type, file?.file_name, file?.rows_processed],
      ['Processed successfully', 'Offers', 'Undo: rows.json', 2],
    );
    assert.deepEqual(await partsOf(api, known), before);
    const { price, ...others } = await partsOf(api, changed);
    assert.equal((price as { price: number }).price, 3);
    const { price: _, ...first } = before;
    assert.deepEqual({ ...others, sku: null }, { ...first, sku: null });
    const redone = await undone(api, String(file?.marketplace_file_id));
    assert.equal(redone.file?.status, 'Processed successfully');
    assert.deepEqual((await partsOf(api, known)).price, { price: 2, fulfillment_nodes: [] });
  });
  accepts('FILE-29', 'files of single parts in every format, and restores archived stock', async (api) => {
    const [skuId = ''] = await newOffers(api, 1);
    const before = await partsOf(api, skuId);
    const files: readonly [type: string, rows: object | string][] = [
      ['Price', `sku,price\n${skuId},9\n`],
      ['Inventory', `{"sku": "${skuId}", "fulfillment_nodes": ${JSON.stringify(stock(9).fulfillment_nodes)}}\n`],
      ['ReturnsException', { [skuId]: { return_location_ids: ['demo-returns-east'] } }],
      ['MerchantSKUs', { [skuId]: { ...minimalSku(), brand: 'Other' } }],
      ['Archive', { [skuId]: { is_archived: true } }],
    ];
    for (const [type, rows] of files) {
      const fileId = await applied(api, type, rows);
      assert.notDeepEqual(await partsOf(api, skuId), before, type);
      const { file, ...rest } = await undone(api, fileId);
      assert.deepEqual(
        [file?.status, rest],
        ['Processed successfully', { offers: 1, skipped: 0, skipped_skus: [] }],
        type,
      );
      if (type === 'Archive') {
        const [, stockFile] = (await api.foundNow('/files?limit=2')).files as FileRecord[];
        const restored = (await api.foundNow('/files?limit=2')).files as FileRecord[];
        assert.equal(
          restored.some(({ file_type }) => file_type === 'Inventory'),
          true,
          String(stockFile?.file_type),
        );
        for (const { marketplace_file_id } of restored) await finished(api, marketplace_file_id);
      }
      assert.deepEqual(await partsOf(api, skuId), before, type);
    }
  });
  accepts('FILE-29', 'a file that changed nothing, without a new file', async (api) => {
    const fileId = await applied(api, 'Price', { [api.newSkuId()]: { price: 1 } });
    assert.deepEqual(await undone(api, fileId), { offers: 0, skipped: 0, skipped_skus: [], file: undefined });
  });
  refuses('FILE-29', 'files that do not exist, are not finished, were only validated, or have groups', async (api) => {
    await api.refused('POST', `/files/${UNKNOWN_ID}/undo`, undefined, [NO_FILE], 404);
    const { url, fileId: validated } = await uploaded(api, '{}');
    const submitted = { url, file_type: 'Price', file_name: 'rows.json' };
    assert.equal((await api.send('POST', '/files/uploaded?validate_only=true', submitted)).status, 200);
    await finished(api, validated);
    for (const fileId of [validated, await applied(api, 'Variation', {})]) {
      await api.refused('POST', `/files/${fileId}/undo`, undefined, [NOT_UNDOABLE]);
    }
  });
});
