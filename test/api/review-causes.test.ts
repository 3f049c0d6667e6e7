/**
 * Tests every cause of a new verdict. The SKU read derives its status from stored data, so these tests check that the review ran again,
 * which also updates the copy for lists and reports.
 */
import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after } from 'node:test';
import { readSettings } from '../../src/config/settings.ts';
import { DEMO_MERCHANT_ID } from '../../src/demo/demo-merchant.ts';
import { demoImage } from '../../src/demo/images/demo-image.ts';
import { readBodyValue } from '../../src/domain/body-text.ts';
import { Names, NEUTRAL_NAMES } from '../../src/domain/names.ts';
import type { Policy } from '../../src/domain/review/policies.ts';
import { createSetupChecks } from '../../src/domain/setup/all-setup.ts';
import { correctProduct } from '../../src/operations/review/correct-catalog.ts';
import { imageHashes } from '../../src/review/hash-of-image.ts';
import { testDecoders } from '../../src/review/images/testing/test-decoders.ts';
import { openSetupStore } from '../../src/store/open-store.ts';
import { type ApiClient, minimalSku, skuPath } from '../harness/api-client.ts';
import { offerbookHere } from '../harness/command-line.ts';
import { describeApi } from '../harness/contract-cases.ts';
import { scrape } from '../harness/metrics.ts';
import { withSetupStore } from '../harness/own-server.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { archive } from './fixtures/check-order.ts';
import { startImageHost } from './fixtures/image-host.ts';
import { accountIdOf, changeSetup, EAST, flatNode } from './fixtures/merchant-setup.ts';
import { isReviewAtRest } from './fixtures/review-at-rest.ts';
import type { Fields } from './fixtures/sku-bounds.ts';

const WAIT_MS = 60_000;
const AVAILABLE = ['Available For Purchase', []];

const host = await startImageHost();
after(() => host.close());
const decoders = testDecoders();

async function pricedSku(api: ApiClient, fields: Fields = {}): Promise<string> {
  const sku = await api.uploadedSku({ ...api.newProductCodes(), main_image_url: host.address('good'), ...fields });
  await api.accepted('PUT', `${sku}/price`, { price: 5 });
  assert.deepEqual(await statusOf(api, sku), AVAILABLE);
  return sku;
}

async function statusOf(api: ApiClient, sku: string) {
  const { status, sub_status } = await api.found(sku);
  return [status, sub_status];
}

/** Waits until nothing is due for review; returns the number of verdicts. */
async function reviewed(api: ApiClient): Promise<number> {
  const { place, metricsUrl } = api.server;
  await waitUntil('the review to be at rest', WAIT_MS, async () => (await isReviewAtRest(place)) || undefined);
  const samples = await scrape(metricsUrl);
  const verdicts = [...samples].filter(([series]) => series.startsWith('offerbook_review_verdicts_total'));
  return verdicts.reduce((sum, [, count]) => sum + count, 0);
}

/** Runs the change, and waits until at least this many offers were re-reviewed. */
async function reviewsAgain(api: ApiClient, cause: () => Promise<unknown>, offers = 1): Promise<void> {
  const before = await reviewed(api);
  await cause();
  await waitUntil(`${offers} further verdicts`, WAIT_MS, async () =>
    (await reviewed(api)) - before >= offers ? true : undefined,
  );
}

async function becomes(api: ApiClient, sku: string, expected: readonly unknown[]): Promise<void> {
  const isThere = async () => JSON.stringify(await statusOf(api, sku)) === JSON.stringify(expected);
  await waitUntil(JSON.stringify(expected), WAIT_MS, async () => ((await isThere()) ? true : undefined));
}

const policies = (api: ApiClient) => ({
  add: (policy: Policy) => changeSetup(api, (store) => store.policies.addPolicy(policy)),
  remove: (policy: Policy) => changeSetup(api, (store) => store.policies.removePolicy(policy)),
});

describeApi(
  'causes of a new verdict',
  ({ accepts }) => {
    accepts('CAUSE-01', 'an upload, the first price, the first stock record at a node', async (api) => {
      const sku = skuPath(api.newSkuId());
      const body = { ...minimalSku(), ...api.newProductCodes(), main_image_url: host.address('good') };
      await reviewsAgain(api, () => api.accepted('PUT', sku, body));
      await reviewsAgain(api, () => api.accepted('PUT', `${sku}/price`, { price: 5 }));
      const stock = (quantity: number) => ({ fulfillment_nodes: [{ fulfillment_node_id: EAST, quantity }] });
      await reviewsAgain(api, () => api.accepted('PATCH', `${sku}/inventory`, stock(3)));
      await reviewsAgain(api, () => api.accepted('PUT', sku, body));
      const before = await reviewed(api);
      await api.accepted('PUT', `${sku}/price`, { price: 6 });
      await api.accepted('PATCH', `${sku}/inventory`, stock(4));
      assert.equal(await reviewed(api), before, 'later prices and quantities change no verdict');
    });

    accepts('CAUSE-01', 'a change to the archive flag, and to a group for all its members', async (api) => {
      const sku = await pricedSku(api);
      await reviewsAgain(api, () => archive(api, sku));
      await reviewsAgain(api, () => api.accepted('PUT', `${sku}/status/archive`, { is_archived: false }));
      const size = (attribute_value: string) => ({
        attributes_node_specific: [{ attribute_id: 120, attribute_value }],
      });
      const [parent, child] = [await pricedSku(api, size('S')), await pricedSku(api, size('M'))];
      const group = { relationship: 'Variation', variation_refinements: [120] };
      const children_skus = [child.split('/').at(-1)];
      await reviewsAgain(api, () => api.accepted('PUT', `${parent}/variation`, { ...group, children_skus }), 2);
      const other = await pricedSku(api, size('L'));
      const instead = { ...group, children_skus: [other.split('/').at(-1)] };
      await reviewsAgain(api, () => api.accepted('PUT', `${parent}/variation`, instead), 3);
    });

    accepts('CAUSE-02', 'a change of node settings', async (api) => {
      const sku = await pricedSku(api);
      const stock = { fulfillment_nodes: [{ fulfillment_node_id: EAST, quantity: 1 }] };
      await api.accepted('PATCH', `${sku}/inventory`, stock);
      const put = (rateKind: 'flat' | 'per_pound') =>
        changeSetup(api, async (store) => {
          const account = await accountIdOf(store, 'test');
          await store.settings.putNode(account, flatNode(EAST, { rateKind }));
        });
      await reviewsAgain(api, () => put('per_pound'));
      await becomes(api, sku, ['Missing Listing Data', ['Missing shipping weight']]);
      await reviewsAgain(api, () => put('flat'));
      await becomes(api, sku, AVAILABLE);
    });

    accepts('CAUSE-03', 'a policy, and its removal: excluded and unauthorized without a new upload', async (api) => {
      const codes = api.newProductCodes();
      const sku = await pricedSku(api, { ...codes, brand: 'Policy & Co' });
      const [{ standard_product_code: upc }] = codes.standard_product_codes as [{ standard_product_code: string }];
      const excluded: readonly Policy[] = [
        { kind: 'excluded_brand', brand: 'policy co' },
        { kind: 'excluded_category', nodeId: 1_010_000 },
        { kind: 'excluded_code', code: `gtin:00${upc}` },
      ];
      for (const policy of excluded) {
        await reviewsAgain(api, () => policies(api).add(policy));
        await becomes(api, sku, ['Excluded', []]);
        await reviewsAgain(api, () => policies(api).remove(policy));
        await becomes(api, sku, AVAILABLE);
      }
      const restricted = { kind: 'restricted_brand', brand: 'Policy & Co', merchantIds: [] } as const;
      const granted = { ...restricted, merchantIds: [DEMO_MERCHANT_ID] };
      await reviewsAgain(api, () => policies(api).add(restricted));
      await becomes(api, sku, ['Unauthorized', []]);
      await reviewsAgain(api, () => policies(api).add(granted));
      await becomes(api, sku, AVAILABLE);
      await reviewsAgain(api, () => policies(api).remove(granted));
      await becomes(api, sku, ['Unauthorized', []]);
      await reviewsAgain(api, () => policies(api).remove(restricted));
      await becomes(api, sku, AVAILABLE);
    });

    accepts('CAUSE-04', 'a correction of the catalog, for the offers of the product alone', async (api) => {
      const codes = api.newProductCodes();
      const sku = await pricedSku(api, codes);
      const [{ standard_product_code: upc }] = codes.standard_product_codes as [{ standard_product_code: string }];
      const set = async (brand: string) => {
        const store = await openSetupStore(readSettings(api.server.place));
        try {
          const checks = createSetupChecks(new Names(NEUTRAL_NAMES));
          const body = readBodyValue({ environment: 'test', code: upc, brand });
          const outcome = await correctProduct({ store: store.catalog, checks }, body);
          assert.ok(outcome.ok);
          assert.equal(outcome.value.offers, 1);
        } finally {
          await store.close();
        }
      };
      const before = await reviewed(api);
      await reviewsAgain(api, () => set('Other brand'));
      assert.equal((await reviewed(api)) - before, 1);
      await becomes(api, sku, ['Missing Listing Data', ['Additional SKU ID needed']]);
      await reviewsAgain(api, () => set('POTTER & SONS'));
      await becomes(api, sku, AVAILABLE);
    });

    accepts('CAUSE-05', 'a placeholder that is added, and removed, without another fetch', async (api) => {
      const main_image_url = host.address('good');
      const sku = await pricedSku(api, { main_image_url });
      const hash = await imageHashes(decoders).hashOfImage(await demoImage('mug'));
      assert.ok(typeof hash === 'string');
      await reviewsAgain(api, () =>
        withSetupStore(api.server.place, (store) => store.policies.addPlaceholder({ hash, note: 'mug', sample: null })),
      );
      await becomes(api, sku, ['Missing Listing Data', ['Missing image']]);
      await reviewsAgain(api, () =>
        withSetupStore(api.server.place, (store) => store.policies.removePlaceholder(hash)),
      );
      await becomes(api, sku, AVAILABLE);
      assert.equal(host.asked(main_image_url), 1);
    });

    accepts('CAUSE-06', 'another taxonomy, and the one before', async (api) => {
      const sku = await pricedSku(api);
      const file = path.join(tmpdir(), `offerbook-causes-${process.pid}-${api.newSkuId()}.ndjson`);
      await writeFile(file, '{"offerbook_taxonomy": 1}\n{"node": 1, "name": "Everything"}\n');
      try {
        await reviewsAgain(api, () => offerbookHere(api.server.place, 'taxonomy', 'import', file, '--yes'));
        await becomes(api, sku, ['Missing Listing Data', ['Invalid category']]);
        await reviewsAgain(api, () => offerbookHere(api.server.place, 'taxonomy', 'reset', '--yes'));
        await becomes(api, sku, AVAILABLE);
      } finally {
        await rm(file, { force: true });
      }
    });
  },
  { IMAGE_CHECK: 'on', IMAGE_ALLOWED_HOSTS: host.host, METRICS_PORT: '0' },
);
