/** Tests plans that archive or unarchive offers. */
import assert from 'node:assert/strict';
import { SCOPE } from '../../src/domain/setup/key-scopes.ts';
import { problemAt } from '../harness/api-client.ts';
import { describeApi } from '../harness/contract-cases.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { type FileRecord, finished } from './fixtures/bulk-files.ts';
import { EAST } from './fixtures/merchant-setup.ts';
import { applied, newOffers, planned, prices, refusal, withKey } from './fixtures/plan-calls.ts';

describeApi('plans of archive flags', ({ accepts, refuses }) => {
  accepts('PLAN-06', 'archive flags, which zero the stock, and an undo that restores both', async (api) => {
    const own = await api.inEnvironment('test');
    const [listed = '', newer = '', gone = ''] = await newOffers(own, 3);
    const stock = { fulfillment_nodes: [{ fulfillment_node_id: EAST, quantity: 4 }] };
    await own.accepted('PATCH', `/merchant-skus/${listed}/inventory`, stock);
    await own.accepted('PUT', `/merchant-skus/${gone}/status/archive`, { is_archived: true });
    const offers = [listed, newer, gone].map((merchant_sku) => ({ merchant_sku, is_archived: true }));
    const agent = await withKey(own, {
      scopes: SCOPE.read | SCOPE.listing,
      planLimits: { offersMax: 1, percentMax: null, hours: null },
    });
    const { needs_approval } = await planned(agent, { offers });
    assert.deepEqual(needs_approval, ['offers']);
    const plan = await planned(own, { offers });
    const { offers: changed, unchanged, archived } = plan.totals;
    assert.deepEqual([changed, unchanged, archived], [2, 1, 2]);
    assert.deepEqual(plan.offers[0]?.changes, [
      { pointer: '/archive/is_archived', before: false, after: true },
      { pointer: `/inventory/${EAST}`, before: 4, after: 0 },
    ]);
    for (const is_archived of [true, false]) {
      await own.accepted('PUT', `/merchant-skus/${newer}/status/archive`, { is_archived });
    }
    const { file, left_alone } = await applied(own, plan.id);
    assert.deepEqual([file?.file_type, left_alone], ['Archive', [{ merchant_sku: newer, part: 'archive' }]]);
    const flags = async () =>
      Promise.all([listed, newer].map(async (skuId) => (await own.found(`/merchant-skus/${skuId}`)).is_archived));
    assert.deepEqual(await flags(), [true, false]);
    const { body } = await own.send('POST', `/plans/${plan.id}/undo`);
    await finished(own, (body as { file: FileRecord }).file.marketplace_file_id);
    assert.deepEqual(await flags(), [false, false]);
    await waitUntil('the stock from before', 60_000, async () => {
      const { fulfillment_nodes: nodes } = await own.foundNow(`/merchant-skus/${listed}/inventory`);
      return (nodes as { quantity: number }[])[0]?.quantity === 4 || undefined;
    });
  });
  refuses('PLAN-06', 'archive flags together with other changes', async (api) => {
    const [skuId = ''] = await newOffers(api, 1);
    const flag = { merchant_sku: skuId, is_archived: true };
    const { id, offers } = await planned(api, { offers: [{ ...flag, offer: { price: { price: 5 } } }] });
    assert.deepEqual([id, offers[0]?.problems.map(({ code }) => code)], [null, ['not_allowed']]);
    const mixed = { offers: [flag, ...prices(5, 'other').offers] };
    const rule = 'is required, because another SKU of the plan has it';
    await api.refused('POST', '/plans', mixed, [problemAt('required', 'offers[1].is_archived', rule)], 400);
    const pricing = await withKey(api, { scopes: SCOPE.read | SCOPE.price });
    const missing = 'This call needs the scope listing, which the API key does not have.';
    await pricing.refused('POST', '/plans', { offers: [flag] }, refusal('scope_missing', missing), 403);
  });
});
