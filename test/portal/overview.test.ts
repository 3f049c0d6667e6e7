/** Tests the portal's overview: offers by status, active uploads, requests by minute and hour; on both databases. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { readSettings } from '../../src/config/settings.ts';
import { DEMO_CREDENTIALS } from '../../src/demo/demo-merchant.ts';
import { openStore } from '../../src/store/open-store.ts';
import { ApiClient, minimalSku, requestToken, skuPath } from '../harness/api-client.ts';
import { withOfferbook } from '../harness/own-server.ts';
import { PortalBrowser, waitToSee } from '../harness/portal-browser.ts';
import { PortalClient } from '../harness/portal-client.ts';
import { withPlace } from '../harness/store-place.ts';
import { VARIANTS_BY_SCOPE } from '../harness/variants.ts';

interface Span {
  readonly at: string;
  readonly requests: number;
  readonly errors: number;
  readonly refused: number;
}

interface Overview {
  readonly offers: {
    readonly total: number;
    readonly for_sale: number;
    readonly out_of_stock: number;
    readonly stock_is_estimated: boolean;
    readonly with_issues: number;
    readonly in_review: number;
    readonly archived: number;
    readonly by_status: readonly { readonly status: string; readonly offers: number }[];
    readonly by_sub_status: readonly { readonly sub_status: string; readonly offers: number }[];
  };
  readonly waiting_for_review: number;
  readonly waiting_is_more: boolean;
  readonly first_steps: Readonly<Record<string, boolean>>;
  readonly files: readonly { readonly file_name: string; readonly status: string }[];
  readonly requests: {
    readonly limit_per_minute: number;
    readonly minutes: readonly Span[];
    readonly hours: readonly Span[];
  };
}

const STATUSES = [
  'Available For Purchase',
  'Missing Listing Data',
  'Under Jet Review',
  'Unauthorized',
  'Excluded',
  'Archived',
];

const NO_OFFERS = {
  for_sale: 0,
  out_of_stock: 0,
  stock_is_estimated: false,
  with_issues: 0,
  in_review: 0,
  archived: 0,
};

for (const variant of VARIANTS_BY_SCOPE) {
  describe(`portal: overview (${variant.store})`, { skip: variant.skip }, () => {
    let api: ApiClient;
    let viewer: PortalClient;

    before(async () => {
      api = await ApiClient.open(variant, { REQUESTS_PER_MINUTE: '5000' });
      viewer = await PortalClient.signIn(api.server, 'merchant-viewer');
    });
    after(() => api.server.close());

    const overview = () => viewer.found<Overview>('GET', '/test/overview');

    it('of an empty account is all zeros', async () => {
      const { offers, requests, ...rest } = await viewer.found<Overview>('GET', '/live/overview');
      const first_steps = { keys: false, location: true, offer: false, price: false, stock: false, live: false };
      assert.deepEqual(rest, { waiting_for_review: 0, waiting_is_more: false, first_steps, files: [] });
      assert.deepEqual(offers, {
        total: 0,
        ...NO_OFFERS,
        by_status: STATUSES.map((status) => ({ status, offers: 0 })),
        by_sub_status: [],
      });
      assert.equal(requests.limit_per_minute, 5000);
      assert.deepEqual([requests.minutes.length, requests.hours.length], [60, 24]);
      const ats = requests.minutes.map(({ at }) => Date.parse(at));
      assert.ok(ats.every((at, place) => at % 60_000 === 0 && at - (ats[0] ?? 0) === place * 60_000));
      const hours = requests.hours.map(({ at }) => Date.parse(at));
      assert.ok(hours.every((at, place) => at % 3_600_000 === 0 && at - (hours[0] ?? 0) === place * 3_600_000));
      assert.ok(Date.now() - (hours.at(-1) ?? 0) < 3_660_000);
    });

    it('counts offers by status and by issue, largest first', async () => {
      for (const skuId of ['a', 'b', 'c']) await api.uploadedSku(api.newProductCodes(), skuId);
      await api.accepted('PUT', `${skuPath('a')}/price`, { price: 5 });
      const { marketplace_browse_node_id: _none, ...nameless } = minimalSku();
      await api.accepted('PUT', skuPath('d'), { ...nameless, ...api.newProductCodes() });
      const found = await waitToSee('the counts', async () => {
        const now = await overview();
        return now.waiting_for_review === 0 ? now : undefined;
      });
      assert.deepEqual(found.offers, {
        total: 4,
        ...NO_OFFERS,
        out_of_stock: 1,
        with_issues: 3,
        by_status: STATUSES.map((status, place) => ({ status, offers: [1, 3][place] ?? 0 })),
        by_sub_status: [
          { sub_status: 'Missing price', offers: 3 },
          { sub_status: 'Missing category', offers: 1 },
        ],
      });
      await api.accepted('PUT', `${skuPath('b')}/status/archive`, { is_archived: true });
      const archived = await waitToSee('the archived one', async () => {
        const now = await overview();
        return now.offers.by_status.at(-1)?.offers === 1 ? now : undefined;
      });
      assert.equal(archived.offers.total, 4);
      assert.equal(archived.offers.by_status[1]?.offers, 2);
      const { out_of_stock, with_issues, archived: count, by_sub_status } = archived.offers;
      assert.deepEqual({ out_of_stock, with_issues, count }, { out_of_stock: 1, with_issues: 2, count: 1 });
      assert.deepEqual(by_sub_status[0], { sub_status: 'Missing price', offers: 2 });
      const node = { fulfillment_node_id: 'demo-node-east', quantity: 3 };
      await api.accepted('PATCH', `${skuPath('a')}/inventory`, { fulfillment_nodes: [node] });
      const { for_sale, out_of_stock: none } = (await overview()).offers;
      assert.deepEqual({ for_sale, none }, { for_sale: 1, none: 0 });
    });

    it('says how many units each issue holds back, and their list value', async () => {
      await api.accepted('PUT', `${skuPath('d')}/price`, { price: 4.05 });
      for (const [skuId, quantity] of [
        ['c', 2],
        ['d', 3],
      ] as const) {
        const node = { fulfillment_node_id: 'demo-node-east', quantity };
        await api.accepted('PATCH', `${skuPath(skuId)}/inventory`, { fulfillment_nodes: [node] });
      }
      await waitToSee('the review', async () => (await overview()).waiting_for_review === 0 || undefined);
      assert.deepEqual(await viewer.found('GET', '/test/overview/held-back'), {
        by_status: [{ status: 'Missing Listing Data', units: 5, list_value: 12.15 }],
        by_sub_status: [
          { sub_status: 'Missing category', units: 3, list_value: 12.15 },
          { sub_status: 'Missing price', units: 2, list_value: 0 },
        ],
        is_more: false,
      });
    });

    it('shows files in progress, and none that have finished', async () => {
      const { url } = await api.foundNow('/files/uploadToken');
      await fetch(String(url), { method: 'PUT', body: '{"in-a-file": {}}' });
      const body = { url, file_type: 'MerchantSKUs', file_name: 'autumn.json' };
      assert.equal((await api.send('POST', '/files/uploaded', body)).status, 200);
      await waitToSee('the end of the file', async () => (await overview()).files.length === 0 || undefined);
    });

    it('ticks off the first steps of a merchant as they are done', async () => {
      const { keys: _used, ...done } = (await overview()).first_steps;
      assert.deepEqual(done, { location: true, offer: true, price: true, stock: true, live: false });
      const live = await api.inEnvironment('live');
      const steps = async () => (await viewer.found<Overview>('GET', '/live/overview')).first_steps;
      await live.uploadedSku(live.newProductCodes(), 'first');
      const { offer, price } = await steps();
      assert.deepEqual({ offer, price }, { offer: true, price: false });
      await live.accepted('PUT', `${skuPath('first')}/price`, { price: 5 });
      await waitToSee(
        'the live offer',
        async () => ((await steps()).price && (await overview()).first_steps.live) || undefined,
      );
      assert.equal((await steps()).stock, false);
      const stock = { fulfillment_nodes: [{ fulfillment_node_id: 'demo-node-east', quantity: 2 }] };
      await live.accepted('PATCH', `${skuPath('first')}/inventory`, stock);
      assert.equal((await steps()).stock, true);
    });
  });
}

for (const { store: kind, skip } of VARIANTS_BY_SCOPE) {
  describe(`request counts (${kind})`, { skip }, () => {
    it('are stored when the server stops, with the last use of the key, and exclude portal calls', async () => {
      await withPlace(kind, async (place) => {
        const startedMs = Date.now();
        const options = { demo: true, settings: { REQUESTS_PER_MINUTE: '7' } };
        await withOfferbook(place, options, async (url) => {
          const authorization = `Bearer ${await requestToken(url, 'test')}`;
          const statuses: number[] = [];
          for (const path of [
            '/authcheck',
            '/authcheck',
            '/merchant-skus/none',
            '/merchant-skus/%zz',
            '/none',
            '/files',
          ]) {
            const response = await fetch(`${url}${path}`, { headers: { authorization } });
            await response.text();
            statuses.push(response.status);
          }
          assert.deepEqual(statuses, [200, 200, 404, 400, 404, 200]);
          // The token request counts and unknown paths do not, so one request is left before the limit.
          const codes = await Promise.all(
            [1, 2, 3].map(async () => {
              const response = await fetch(`${url}/authcheck`, { headers: { authorization } });
              await response.text();
              return response.status;
            }),
          );
          assert.deepEqual(codes.toSorted(), [200, 429, 429]);
          const browser = await PortalBrowser.merchantOf(url);
          await browser.found('/test/merchant-skus');
          await browser.found('/test/overview');
        });
        const store = await openStore(readSettings(place), (error) => assert.fail(error));
        try {
          const accountId = (await store.settings.readMerchant('demo'))?.accounts.test ?? assert.fail();
          const counted = await store.traffic.readRequestCounts(accountId, 0);
          const sum = (of: 'requests' | 'errors' | 'refused') => counted.reduce((total, row) => total + row[of], 0);
          assert.deepEqual([sum('requests'), sum('errors'), sum('refused')], [9, 2, 2]);
          const [key, ...others] = await store.settings.listCredentials(accountId, Date.now());
          assert.deepEqual(others, []);
          assert.equal(key?.user, DEMO_CREDENTIALS.test.user);
          assert.ok((key?.lastUsedMs ?? 0) >= startedMs && (key?.lastUsedMs ?? 0) <= Date.now());
        } finally {
          await store.close();
        }
        await withOfferbook(place, options, async (url) => {
          const browser = await PortalBrowser.merchantOf(url);
          const { requests } = await browser.found<Overview>('/test/overview');
          for (const spans of [requests.minutes, requests.hours]) {
            assert.equal(
              spans.reduce((total, { requests: count }) => total + count, 0),
              9,
            );
          }
        });
      });
    });
  });
}
