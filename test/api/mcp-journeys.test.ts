/** Tests what agents do for merchants: each journey with at most 25 calls, and no change outside its plans. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { issueCredential } from '../../src/access/tokens/secrets.ts';
import { ALL_RIGHTS } from '../../src/domain/setup/key-scopes.ts';
import { ApiClient, minimalSku } from '../harness/api-client.ts';
import { VARIANTS_BY_SCOPE } from '../harness/variants.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { Agent, changesOf } from './fixtures/agent.ts';
import { newEan, product, sell, shopOf } from './fixtures/shop.ts';
import { askToken, changeSetup, tokenOf } from './fixtures/token-calls.ts';

const CALLS_MAX = 25;
const PATIENCE_MS = 60_000;
const DAY_MS = 86_400_000;
const TELEVISIONS = 1_021_510;
const SCREEN_SIZE = 169;

interface Listed {
  readonly sku: string;
  readonly title: string;
  readonly status: string;
}

interface Planned {
  readonly id: string;
  readonly state: string;
  readonly totals: Readonly<Record<string, number | null>>;
  readonly offers: readonly {
    readonly merchant_sku: string;
    readonly status?: string;
    readonly position?: { rank: number };
  }[];
}

for (const variant of VARIANTS_BY_SCOPE) {
  describe(`journeys of agents (${variant.title})`, { skip: variant.skip }, () => {
    let api: ApiClient;
    before(async () => {
      api = await ApiClient.open(variant, { MCP: 'on', STOREFRONT_BEST_PRICE: 'on' });
    });
    after(() => api.server.close());

    /** The index for search follows a moment after the review. */
    const whenFound = (words: string, offers: number) =>
      waitUntil(`${offers} offers of ${words}`, PATIENCE_MS, async () => {
        const { sku_urls } = await api.foundNow(`/merchant-skus?q=${encodeURIComponent(words)}`);
        return (sku_urls as readonly string[]).length === offers ? true : undefined;
      });

    /** Runs a journey as an agent with the client's key, and checks that only its plans changed offers. */
    async function journey(client: ApiClient, run: (agent: Agent) => Promise<unknown>): Promise<void> {
      const before = await changesOf(api);
      await using agent = await Agent.open(client);
      await run(agent);
      assert.ok(agent.calls <= CALLS_MAX, `${agent.calls} calls`);
      const changed = Object.entries(await changesOf(api)).flatMap(([url, changes]) =>
        changes.slice(0, changes.length - (before[url]?.length ?? 0)),
      );
      assert.ok(changed.length > 0);
      for (const { by } of changed) assert.ok(by.kind === 'file' && agent.plans.includes(by.name), JSON.stringify(by));
    }

    it('finds offers with wrong data, and fixes them', async () => {
      const faulty = {
        ...{ product_title: 'Broken television, 55 inch, pack of 2', multipack_quantity: 1 },
        marketplace_browse_node_id: TELEVISIONS,
        attributes_node_specific: [{ attribute_id: SCREEN_SIZE, attribute_value: '55 inches' }],
      };
      const paths = [await api.uploadedSku({ ...api.newProductCodes(), ...faulty })];
      paths.push(await api.uploadedSku({ ...api.newProductCodes(), ...faulty }));
      for (const path of paths) await api.found(path);
      await whenFound('broken television', 2);
      await journey(api, async (agent) => {
        const { offers } = await agent.call<{ offers: readonly Listed[] }>('find_offers', { q: 'broken television' });
        assert.equal(offers.length, 2);
        const merchant_skus = offers.map(({ sku }) => sku);
        const { planned } = await agent.call<{ planned: readonly object[] }>('suggest_fixes', { merchant_skus });
        const plan = await agent.call<Planned>('make_plan', { offers: planned });
        assert.deepEqual([plan.state, plan.totals.offers, plan.totals.refused], ['planned', 2, 0]);
        await agent.apply(plan.id);
        const after = await agent.call<{ offers: readonly { fixes: readonly object[] }[] }>('suggest_fixes', {
          merchant_skus,
        });
        assert.deepEqual(
          after.offers.map(({ fixes }) => fixes),
          [[], []],
        );
      });
    });

    it('raises prices within the guard rails of its key, and takes it back', async () => {
      const skuIds = ['raise-1', 'raise-2', 'raise-3'];
      for (const skuId of skuIds) {
        const sku = { ...minimalSku(), brand: 'Raised' };
        await api.accepted('PUT', `/merchant-skus/${skuId}/offer`, { sku, price: { price: 100 } });
        await api.found(`/merchant-skus/${skuId}`);
      }
      await whenFound('raised', 3);
      const { user, secret, stored } = issueCredential('test');
      await changeSetup(api, async ({ settings }, { test }) => {
        const rights = { ...ALL_RIGHTS, planLimits: { offersMax: 10, percentMax: 5, hours: null }, name: 'repricer' };
        await settings.addCredential(test, { ...stored, ...rights }, Date.now(), 99);
      });
      const bound = new ApiClient(api.server, api.variant, tokenOf(await askToken(api, user, secret)));
      await journey(bound, async (agent) => {
        const large = await agent.call<Planned>('make_plan', { price_change: { percent: 20, brand: 'Raised' } });
        assert.equal(large.state, 'awaiting_approval');
        assert.deepEqual(await agent.refused('apply_plan', { plan_id: large.id }), ['plan_needs_approval']);
        const small = await agent.call<Planned>('make_plan', {
          price_change: { percent: 5, brand: 'Raised', price_max: 104 },
        });
        assert.deepEqual([small.state, small.totals.offers, small.totals.price_min], ['planned', 3, 104]);
        await agent.apply(small.id);
        const { file } = await agent.call<{ file: { marketplace_file_id: string } }>('undo_plan', {
          plan_id: small.id,
        });
        const { marketplace_file_id: file_id } = file;
        agent.plans.push(file_id);
        await agent.until('follow_file', { file_id }, ({ status }) => status === 'Processed successfully');
      });
      assert.equal((await api.foundNow('/merchant-skus/raise-1/price')).price, 100);
    });

    it('lists a sheet after its rows were checked', async () => {
      const rows = [1, 2, 3].map((number) => {
        const { product_title: _, ...sku } = { ...minimalSku(), ...api.newProductCodes() } as Record<string, unknown>;
        return { sku: `sheet-${number}`, ...(number === 2 ? {} : { product_title: `Mug ${number}` }), ...sku };
      });
      const sheet = (all: readonly object[]) => all.map((row) => JSON.stringify(row)).join('\n');
      await journey(api, async (agent) => {
        const checked = async (content: string) => {
          const asked = { file_type: 'MerchantSKUs', file_name: 'mugs.ndjson', content };
          const { marketplace_file_id: file_id } = await agent.call('check_file', asked);
          return agent.until('follow_file', { file_id }, ({ status }) => String(status).startsWith('Processed'));
        };
        const wrong = await checked(sheet(rows));
        assert.deepEqual([wrong.validate_only, wrong.rows_failed, wrong.error_count], [true, 1, 1]);
        assert.match(String(wrong.error_excerpt), /product_title/);
        const { nodes } = await agent.call<{ nodes: readonly { id: number }[] }>('find_category', {
          q: 'mugs',
          limit: 3,
        });
        assert.ok(nodes.length > 0);
        const right = rows.map((row) => ({ product_title: 'Mug 2', ...row }));
        assert.equal((await checked(sheet(right))).rows_failed, 0);
        const offers = right.map(({ sku: merchant_sku, ...sku }) => ({
          merchant_sku,
          offer: { sku, price: { price: 7 } },
        }));
        const plan = await agent.call<Planned>('make_plan', { offers });
        assert.deepEqual([plan.totals.offers, plan.totals.refused], [3, 0]);
        await agent.apply(plan.id);
      });
      assert.equal((await api.foundNow('/merchant-skus/sheet-2')).product_title, 'Mug 2');
    });

    it('prepares offers for an announced rule', async () => {
      const brand = 'Soon Excluded';
      const path = await api.uploadedSku({ ...api.newProductCodes(), brand });
      await api.accepted('PUT', `${path}/price`, { price: 5 });
      await api.found(path);
      const note = { by: 'ann', act: 'addPolicy', subject: 'for operators', impact: null };
      const enforcedFromMs = Date.now() + 10 * DAY_MS;
      await changeSetup(api, ({ policies }) =>
        policies.addPolicy({ kind: 'excluded_brand', brand }, { ...note, atMs: Date.now(), enforcedFromMs }),
      );
      await waitUntil('the count', PATIENCE_MS, async () => {
        const { changes } = (await api.foundNow('/requirements/upcoming')) as {
          changes: readonly { offers: number }[];
        };
        return changes[0]?.offers === 1 ? true : undefined;
      });
      await journey(api, async (agent) => {
        const { changes } = await agent.call<{ changes: readonly { id: number }[] }>('upcoming_requirements');
        const upcoming = String(changes[0]?.id);
        const { offers } = await agent.call<{ offers: readonly Listed[] }>('find_offers', { upcoming });
        assert.equal(offers.length, 1);
        const merchant_sku = offers[0]?.sku ?? '';
        const { review, offer } = await agent.call<{ review: { upcoming: readonly object[] }; offer: { sku: object } }>(
          'explain_offer',
          { merchant_sku },
        );
        assert.equal(review.upcoming.length, 1);
        const sku = { ...offer.sku, brand: 'Allowed Brand' };
        const plan = await agent.call<Planned>('make_plan', { offers: [{ merchant_sku, offer: { sku } }] });
        await agent.apply(plan.id);
        const after = await agent.call<{ review: { upcoming: readonly object[] } }>('explain_offer', { merchant_sku });
        assert.deepEqual(after.review.upcoming, []);
      });
    });

    it('explains why an offer lost the best place, and wins it back', async () => {
      const shop = await shopOf(api);
      const ean = newEan();
      await sell(api, 'place-a', ean, { price: 10 });
      await sell(api, 'place-b', ean, { price: 12 });
      await product(shop, ean, 2);
      await journey(api, async (agent) => {
        const position = await agent.call('position', { merchant_sku: 'place-b' });
        assert.deepEqual([position.rank, position.best_total, position.why], [2, 10, '2.00 above the best offer']);
        const price = { price: 9.5 };
        const plan = await agent.call<Planned>('make_plan', {
          offers: [{ merchant_sku: 'place-b', offer: { price } }],
        });
        assert.equal(plan.offers[0]?.position?.rank, 1);
        await agent.apply(plan.id);
        await agent.until('position', { merchant_sku: 'place-b' }, ({ rank }) => rank === 1);
      });
    });
  });
}
