/** Tests positions.ts with a product that has more offers than are ranked, and with a node that is down. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Account } from '../../domain/account.ts';
import { LIMITS } from '../../domain/limits.ts';
import { DEFAULT_ORDER } from '../../domain/vocabulary/rank-parts.ts';
import { StoreUnavailableError } from '../../store/port/errors.ts';
import type { Store } from '../../store/port.ts';
import { readPosition, readRanks } from './positions.ts';
import type { StorefrontContext } from './read-products.ts';

const ACCOUNT = { accountId: 1, merchantId: 'acme', environment: 'live' } as Account;

/** A store with a product of other accounts only, which has one offer more than are ranked. */
function storeWith(sold: string): Pick<Store, 'catalog' | 'offers' | 'storefront'> {
  const shown = JSON.stringify({ merchant_id: 'm', merchant_sku: 's', multipack_quantity: 1, price: 1, total: 1 });
  const offers = Array.from({ length: LIMITS.storefront_offers_max }, (_, n) => {
    return { accountId: 2, skuId: `${n}`, sinceMs: n, shown, rank: null };
  });
  const storefront: Partial<Store['storefront']> = {
    async readShopProduct(_, code) {
      return { code, updatedMs: 1, number: 1, product: '{}', offers, offerCount: offers.length + 1 };
    },
    async hasShopOffer(_, code, { accountId, skuId }) {
      return code === 'asin:B000000001' && accountId === 1 && skuId === sold;
    },
  };
  const own = {
    async readReviewedOffer() {
      return { document: '{"ASIN":"B000000001"}' };
    },
  };
  return { storefront, offers: own, catalog: { readProducts: async () => [] } } as unknown as Pick<
    Store,
    'catalog' | 'offers' | 'storefront'
  >;
}

describe('the position of an offer', () => {
  for (const isShown of [true, false]) {
    it(`has no rank after the offers that are ranked, and ${isShown ? 'is' : 'is not'} shown`, async () => {
      const store = storeWith(isShown ? 'dear' : 'other');
      const context = {
        store,
        isOn: true,
        hasUrl: true,
        order: () => DEFAULT_ORDER,
        showsBestPrice: true,
        waits: {},
      } as unknown as StorefrontContext;
      assert.deepEqual(await readPosition(context, ACCOUNT, 'dear'), {
        ok: true,
        value: { code: 'asin:B000000001', isShown, rank: null, bestTotal: null },
        ignored: [],
      });
    });
  }
});

describe('the ranks of a page of offers', () => {
  const readFailing = (error: Error) => {
    const store = { storefront: { readStoredRanks: () => Promise.reject(error) } };
    return readRanks({ store, isOn: true } as unknown as StorefrontContext, ACCOUNT, ['dear']);
  };

  it('are left out while a node is down', async () => {
    assert.deepEqual(await readFailing(new StoreUnavailableError('down')), new Map());
  });

  it('are not left out after another failure', async () => {
    await assert.rejects(readFailing(new TypeError('a bug')), TypeError);
  });
});
