/** Tests exports.ts: lines equal single reads, changes after the cursor lead to the present state, and what is refused. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Account, Merchant } from '../../domain/account.ts';
import type { StorefrontOffer, StorefrontProduct } from '../../domain/storefront/product.ts';
import { DEFAULT_ORDER } from '../../domain/vocabulary/rank-parts.ts';
import type { ProjectedOffer, ShopAccount, StorefrontStore } from '../../store/port/storefront.ts';
import { openSqliteStore } from '../../store/sqlite/open.ts';
import { temporaryDir } from '../../store/sqlite/testing/temporary-dir.ts';
import { exportTexts, requestExport } from './exports.ts';
import { readProduct, type StorefrontContext } from './read-products.ts';

const NOW_MS = Date.UTC(2026, 10, 1);
const ACCOUNT: ShopAccount = {
  ...{ accountId: 1, environment: 'live', basis: 'b', tag: 't' },
  position: { number: 1, count: 0 },
  walk: null,
};

function offer(skuId: string, product: number, price: number, group: string | null = null): ProjectedOffer {
  const code = `asin:B${String(product).padStart(9, '0')}` as const;
  const shown: Partial<StorefrontOffer> = {
    ...{ merchant_id: 'm', merchant_sku: skuId, multipack_quantity: 1, price, total: price, quantity: 1 },
    ...{ shipping_at_least: 0, price_policy: '101' },
  };
  const text: Partial<StorefrontProduct> = {
    ...{ code, codes: [], title: `Pot ${product}`, brand: 'Potter', category: null, images: [], attributes: [] },
    group: group === null ? null : { id: group, title: null, attribute_ids: [] as never },
  };
  const texts = { offer: JSON.stringify(shown), product: JSON.stringify(text) };
  return { skuId, shown: { code, parent: group, total: price * 10_000, ...texts } };
}

async function openShop(t: TestContext) {
  const store = await openSqliteStore({
    dataDir: await temporaryDir(),
    onFatal(error) {
      throw error;
    },
  });
  t.after(() => store.close());
  await store.storefront.beginShopWalk(ACCOUNT);
  const project = async (offers: readonly ProjectedOffer[]) => {
    for (let start = 0; start < offers.length; start += 100)
      await store.storefront.projectOffers(ACCOUNT, ACCOUNT, offers.slice(start, start + 100), NOW_MS);
  };
  return { store, project };
}

type Exported = Parameters<typeof exportTexts>[0];

async function exported(store: Exported): Promise<string[]> {
  const texts = await Array.fromAsync(exportTexts(store, 'live', DEFAULT_ORDER));
  return texts.join('').split('\n').slice(0, -1);
}

/** What a shop keeps of products: their titles, and the prices of their offers. */
class Copy {
  readonly products = new Map<string, { title: string; prices: Record<string, number> }>();

  add(line: string): void {
    const { code, title, offers } = JSON.parse(line);
    this.products.set(code, { title, prices: {} });
    this.#price(code, offers);
  }

  apply(code: string, body: string): void {
    const { product, offers_changed, offers_removed } = JSON.parse(body);
    if (product === null) return void this.products.delete(code);
    if (product !== undefined) {
      this.products.set(code, { title: product.title, prices: this.products.get(code)?.prices ?? {} });
    }
    this.#price(code, offers_changed);
    for (const { merchant_sku } of offers_removed) delete this.products.get(code)?.prices[merchant_sku];
  }

  #price(code: string, offers: readonly StorefrontOffer[]): void {
    for (const { merchant_sku, price } of offers) {
      const known = this.products.get(code) ?? assert.fail(`no product ${code}`);
      known.prices[merchant_sku] = price;
    }
  }
}

describe('an export of the storefront', () => {
  it('has each product as a single read returns it, with its group and many offers', async (t) => {
    const { store, project } = await openShop(t);
    const many = Array.from({ length: 51 }, (_, index) => offer(`many-${index}`, 1, 10 + index));
    await project([...many, offer('red', 2, 5, 'parent'), offer('blue', 3, 6, 'parent'), offer('one', 4, 7)]);
    const lines = await exported(store.storefront);
    assert.equal(lines.length, 4);
    for (const line of lines) {
      const { code, offer_count, variations } = JSON.parse(line);
      const read = await readProduct(
        { store, isOn: true, order: () => DEFAULT_ORDER } as unknown as StorefrontContext,
        'live',
        code,
      );
      assert.equal(line, read.ok && read.value.json());
      assert.equal(offer_count, code.endsWith('1') ? 51 : 1);
      assert.equal(variations.length, /[23]$/.test(code) ? 1 : 0);
    }
  });

  it('while offers change leads, with the changes after its cursor, to the state of a new export', async (t) => {
    const { store, project } = await openShop(t);
    const { storefront } = store;
    // More than a page of 1,000.
    await project(Array.from({ length: 1100 }, (_, index) => offer(`sku-${index}`, index + 1, 10)));
    const before = await storefront.readShopFeed('live');
    await project([offer('sku-5', 6, 11), { skuId: 'sku-6', shown: null }]);
    let pages = 0;
    const changing: Exported = {
      listShopGroup: storefront.listShopGroup.bind(storefront),
      readShopProduct: storefront.readShopProduct.bind(storefront),
      async listShopProducts(...query) {
        const page = await storefront.listShopProducts(...query);
        if (++pages === 1) {
          const moved = offer('sku-1', 1099, 8);
          const back = offer('sku-6', 7, 6);
          await project([offer('sku-0', 1, 9), moved, back, { skuId: 'sku-1050', shown: null }]);
          await project([offer('new', 0, 3), offer('sku-0', 1, 12), { skuId: 'sku-5', shown: null }]);
        }
        return page;
      },
    };
    const copy = new Copy();
    for (const line of await exported(changing)) copy.add(line);
    assert.equal(pages, 2);
    const events = await storefront.readShopEvents('live', before?.last ?? 0, 1000);
    for (const { code, body } of events) copy.apply(code, body);
    const fresh = new Copy();
    for (const line of await exported(storefront)) fresh.add(line);
    const sorted = ({ products }: Copy) => [...products].toSorted(([a], [b]) => a.localeCompare(b));
    assert.deepEqual(sorted(copy), sorted(fresh));
    assert.equal(fresh.products.size, 1098);
  });

  const MERCHANT = { suspended: false, accounts: { test: 2, live: 1 } } as unknown as Merchant;
  const requestFor = (accounts: readonly ShopAccount[], merchants = [MERCHANT]) => {
    const storefront = {
      listShopAccounts: async () => accounts,
      readShopFeed: async () => ({ tag: '0123456789ab', last: 7, dropped: 0 }),
    } satisfies Partial<StorefrontStore>;
    const store = { settings: { listMerchants: async () => merchants }, storefront };
    const context = { store, isOn: true, hasUrl: true } as unknown as StorefrontContext;
    const reports = { addReport: async () => 'stored' };
    const files = { store: { reports }, nowMs: () => NOW_MS, onFileReceived: () => {} };
    const account = { accountId: 9, environment: 'live' } as Account;
    return requestExport(context, files as never, account, 'NDJSON', 'id');
  };

  it('is requested when all offers are projected, with the end of the log', async () => {
    const requested = { ok: true, value: { reportId: 'id', feedCursor: '0123456789ab-7-0' }, ignored: [] };
    assert.deepEqual(await requestFor([ACCOUNT]), requested);
    assert.deepEqual(await requestFor([{ ...ACCOUNT, walk: { stage: 'shown', after: null } }]), requested);
    assert.deepEqual(await requestFor([], [{ ...MERCHANT, suspended: true }]), requested);
  });

  it('is refused while the offers of a merchant are read', async () => {
    const unread: readonly (readonly ShopAccount[])[] = [
      [],
      [{ ...ACCOUNT, walk: { stage: 'offers', after: 'x' } }],
      [{ ...ACCOUNT, basis: '' }],
      [{ ...ACCOUNT, accountId: 2 }],
    ];
    for (const accounts of unread) {
      const outcome = await requestFor(accounts);
      assert.deepEqual(outcome.ok ? [] : outcome.problems.map(({ code }) => code), ['storefront_incomplete']);
    }
  });
});
