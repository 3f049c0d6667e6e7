/** Tests the products that operators browse in the portal, with their ranked offers; on both databases. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newEan, sell } from '../api/fixtures/shop.ts';
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

    it('are not found by an unknown code, or by words that have no letter or digit', async () => {
      assert.equal((await operator.send('GET', `/test/products/${newEan()}`)).status, 404);
      const refusal = [['query_invalid', '', 'q: must contain a letter or digit.']] as const;
      await operator.refused('GET', '/test/products?q=%25', undefined, refusal);
    });
  });
}
