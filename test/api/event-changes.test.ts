/** Tests events with their changes. The store contract tests every part on both databases, and the limits. */
import assert from 'node:assert/strict';
import { type ApiClient, minimalSku, requestProblem } from '../harness/api-client.ts';
import { describeApi } from '../harness/contract-cases.ts';
import { withOwnServer } from '../harness/own-server.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { addMerchant } from './fixtures/merchant-setup.ts';

const PATIENCE_MS = 60_000;

type Event = Readonly<Record<string, unknown>>;

async function read(api: ApiClient, query = ''): Promise<readonly Event[]> {
  return (await api.foundNow(`/events?include=changes&${query}`)).events as readonly Event[];
}

describeApi('events with changes', ({ accepts, refuses }) => {
  accepts('EVENT-07', 'the fields of each part that changed, with the values before and after', async (api) => {
    const { test } = await addMerchant(api);
    const path = await test.uploadedSku({}, 'pot');
    const sku = minimalSku();
    const changed = { ...sku, product_title: 'A pot', bullets: ['One'] };
    await test.accepted('PUT', path, changed);
    await test.accepted('PUT', `${path}/price`, { price: 1 });
    await test.accepted('PUT', `${path}/price`, { price: 2 });
    await test.accepted('PUT', `${path}/status/archive`, { is_archived: true });
    const events = await read(test, 'types=offer.updated');
    assert.deepEqual(
      events.map(({ part, changes }) => [part, changes]),
      [
        ['sku', [{ pointer: '/sku', before: null, after: { ...sku, prop_65: false } }]],
        [
          'sku',
          [
            { pointer: '/sku/product_title', before: sku.product_title, after: 'A pot' },
            { pointer: '/sku/bullets', before: null, after: ['One'] },
          ],
        ],
        ['price', [{ pointer: '/price', before: null, after: { price: 1, fulfillment_nodes: [] } }]],
        ['price', [{ pointer: '/price/price', before: 1, after: 2 }]],
        ['archive', [{ pointer: '/archive/is_archived', before: false, after: true }]],
      ],
    );
    assert.ok(events.every((event) => !('changes_omitted' in event)));
    const plain = (await test.foundNow('/events')).events as readonly Event[];
    assert.ok(plain.every((event) => !('changes' in event)));
  });

  accepts('EVENT-07', 'the status and the issues before and after a review', async (api) => {
    const { test } = await addMerchant(api);
    const path = await test.uploadedSku(test.newProductCodes(), 'pot');
    const reviewed = (count: number) =>
      waitUntil('the review', PATIENCE_MS, async () => {
        const events = await read(test, 'types=offer.status_changed');
        return events.length === count ? events.map(({ changes }) => changes) : undefined;
      });
    const missing = 'Missing Listing Data';
    const first = [
      { pointer: '/status', before: null, after: missing },
      { pointer: '/sub_status', before: [], after: ['Missing price'] },
    ];
    assert.deepEqual(await reviewed(1), [first]);
    await test.accepted('PUT', `${path}/status/archive`, { is_archived: true });
    const archived = [
      { pointer: '/status', before: missing, after: 'Archived' },
      { pointer: '/sub_status', before: ['Missing price'], after: [] },
    ];
    assert.deepEqual(await reviewed(2), [first, archived]);
  });

  accepts('EVENT-07', 'the reason instead of the changes if no history is kept', async (api) => {
    await withOwnServer(api.variant, { HISTORY_DAYS: '0' }, async (own) => {
      const { test } = await addMerchant(own);
      await test.uploadedSku({}, 'pot');
      const [event] = await read(test, 'types=offer.updated');
      assert.deepEqual([event?.changes, event?.changes_omitted], [null, 'not_recorded']);
    });
  });

  refuses('EVENT-07', 'unknown values of `include`', async (api) => {
    const text = 'include: must be one or more of changes, separated by commas.';
    for (const include of ['values', 'changes,values']) {
      await api.refused('GET', `/events?include=${include}`, undefined, [requestProblem('query_invalid', text)]);
    }
  });
});
