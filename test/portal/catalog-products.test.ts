/** Tests the products that operators browse in the portal, with their ranked offers; on both databases. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newEan, sell, shopOf } from '../api/fixtures/shop.ts';
import { ApiClient } from '../harness/api-client.ts';
import { waitToSee } from '../harness/portal-browser.ts';
import { PortalClient } from '../harness/portal-client.ts';
import { VARIANTS_BY_SCOPE } from '../harness/variants.ts';

interface Offer {
  readonly merchant_sku: string;
  readonly rank: number;
  readonly rank_of: number;
  readonly why: string;
}

interface Merged {
  readonly merge: unknown;
  readonly impact: { readonly off_sale: number };
  readonly same_as: string | null;
  readonly title: string;
  readonly merged: readonly string[];
}

interface ShopEvent {
  readonly code: string;
  readonly change: {
    readonly product?: unknown;
    readonly offers_changed: readonly unknown[];
    readonly offers_removed: readonly unknown[];
  };
}

interface Listed {
  readonly products: readonly { readonly code: string; readonly best_offers: readonly Offer[] }[];
  readonly next: string | null;
}

for (const variant of VARIANTS_BY_SCOPE) {
  describe(`portal: products of the catalog (${variant.title})`, { skip: variant.skip }, () => {
    let api: ApiClient;
    let operator: PortalClient;
    before(async () => {
      api = await ApiClient.open(variant);
      operator = await PortalClient.signIn(api.server, 'operator');
    });
    after(() => api.server.close());

    it('are listed by words, page by page, with the best offer and why', async () => {
      const eans = [newEan(), newEan()].sort();
      const brand = `Brand ${newEan()}`;
      for (const [index, ean] of eans.entries()) {
        await sell(api, `dear-${index}`, ean, { price: 11.2, fields: { brand } });
        await sell(api, `cheap-${index}`, ean, { price: 10, fields: { brand } });
      }
      const query = `/test/products?q=${encodeURIComponent(brand)}&limit=1`;
      const codes: string[] = [];
      for (const ean of eans) {
        const offers = await waitToSee('both offers', async () => {
          const { body } = await operator.send('GET', `/test/products/${ean}`);
          const found = (body as { offers?: readonly Offer[] } | undefined)?.offers;
          return found?.length === 2 ? found : undefined;
        });
        assert.deepEqual(
          offers.map(({ merchant_sku, rank, why }) => [merchant_sku.split('-')[0], rank, why]),
          [
            ['cheap', 1, 'The best offer'],
            ['dear', 2, '1.20 above the best offer'],
          ],
        );
      }
      for (let next: string | null = ''; next !== null; ) {
        const page: Listed = await operator.found('GET', `${query}${next && `&cursor=${encodeURIComponent(next)}`}`);
        for (const { code, best_offers: best } of page.products) {
          codes.push(code);
          assert.deepEqual(
            best.map(({ rank_of, why }) => [rank_of, why]),
            [[2, 'The best offer']],
          );
        }
        next = page.next;
      }
      assert.deepEqual(
        codes,
        eans.map((ean) => `gtin:0${ean}`),
      );
    });

    it('are merged after a preview, with events of both, and separated by an undo', async () => {
      const [ean, other] = [newEan(), newEan()];
      const brand = `Brand ${newEan()}`;
      await sell(api, `merged-${ean}`, ean, { price: 12, fields: { brand } });
      await sell(api, `merged-${other}`, other, { price: 9, fields: { brand } });
      const offersOf = (code: string, count: number) =>
        waitToSee(`${count} offers of ${code}`, async () => {
          const { body } = await operator.send('GET', `/test/products/${code}`);
          const found = body as { code: string; offers?: readonly Offer[] } | undefined;
          return found?.offers?.length === count ? found : undefined;
        });
      await offersOf(ean, 1);
      await offersOf(other, 1);
      const shop = await shopOf(api);
      const { next } = await shop.foundNow('/storefront/events?after=latest');
      const merge = { environment: 'test', code: other, same_as: ean };
      const preview = await operator.found<Merged>('PUT', '/catalog?preview=true', merge);
      assert.deepEqual(preview.merge, {
        codes: [`gtin:0${ean}`, `gtin:0${other}`],
        offers: 2,
        best_offers: [
          { product_code: `gtin:0${other}`, merchant_name: 'Demo merchant', multipack_quantity: 1, total: 9 },
        ],
      });
      assert.equal(preview.impact.off_sale, 0);
      assert.equal((await offersOf(other, 1)).code, `gtin:0${other}`, 'a preview changes nothing');
      const { same_as, title, merge: stored } = await operator.found<Merged>('PUT', '/catalog', merge);
      assert.deepEqual([same_as, title, stored], [`gtin:0${ean}`, `Pot ${ean}`, null]);
      const { status } = await operator.send('GET', `/test/products/${other}`);
      assert.equal(status, 200, 'it is shown before and after its offers moved');
      const both = await offersOf(ean, 2);
      assert.deepEqual(
        both.offers?.map(({ merchant_sku, rank }) => [merchant_sku, rank]),
        [
          [`merged-${other}`, 1],
          [`merged-${ean}`, 2],
        ],
      );
      assert.equal((await offersOf(other, 2)).code, `gtin:0${ean}`, 'both codes find it');
      const { body } = await api.get(`/merchant-skus/merged-${other}/position`);
      const position = body as Offer & { readonly product_code: string };
      assert.deepEqual([position.product_code, position.rank, position.rank_of], [`gtin:0${ean}`, 1, 2]);
      const events = await waitToSee('both events', async () => {
        const page = await shop.foundNow(`/storefront/events?after=${next}`);
        const own = (page.events as readonly ShopEvent[]).filter(
          ({ code }) => code.endsWith(ean) || code.endsWith(other),
        );
        return own.length >= 2 ? own : undefined;
      });
      const [left, joined] = [other, ean].map((code) => events.find(({ code: of }) => of === `gtin:0${code}`)?.change);
      assert.deepEqual([left?.product, left?.offers_removed.length, left?.offers_changed.length], [null, 1, 0]);
      assert.deepEqual([joined?.offers_removed.length, joined?.offers_changed.length], [0, 1]);
      assert.deepEqual((await operator.found<Merged>('GET', `/catalog?environment=test&code=${ean}`)).merged, [
        `gtin:0${other}`,
      ]);
      const cycle = { environment: 'test', code: ean, same_as: other };
      const text = `gtin:0${other} was merged into this product. Separate it first, or merge the other way round.`;
      await operator.refused('PUT', '/catalog', cycle, [['product_merged', '', text]]);
      const { changes } = await operator.found<{ changes: { id: number; subject: string }[] }>('GET', '/rule-changes');
      assert.equal(changes[0]?.subject, `gtin:0${other} (test), merged into gtin:0${ean}`);
      await operator.found('POST', `/rule-changes/${changes[0]?.id}/undo`);
      assert.equal((await offersOf(other, 1)).code, `gtin:0${other}`);
      assert.equal((await offersOf(ean, 1)).code, `gtin:0${ean}`);
    });

    it('are not found by an unknown code, or by words that have no letter or digit', async () => {
      assert.equal((await operator.send('GET', `/test/products/${newEan()}`)).status, 404);
      const refusal = [['query_invalid', '', 'q: must contain a letter or digit.']] as const;
      await operator.refused('GET', '/test/products?q=%25', undefined, refusal);
    });
  });
}
