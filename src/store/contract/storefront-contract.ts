/** Contract tests for the storefront: only differences are stored and logged, in one order, whichever process stores them. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KnownProduct } from '../../domain/review/catalog.ts';
import type { CatalogCode } from '../../domain/review/product-code.ts';
import type { ProductCode, StorefrontOffer, StorefrontProduct } from '../../domain/storefront/product.ts';
import { TERM } from '../../domain/storefront/terms.ts';
import type { ProjectedOffer, ShopAccount, ShopProductQuery } from '../port/storefront.ts';
import type { Store } from '../port.ts';
import { reviewOf } from './due-offers.ts';
import { patchInventory, putGroup, putPrice, putShippingExceptions, putSku } from './put-parts.ts';
import { AUTHOR, type ClearedStores, LATER_MS, NOW_MS, newAccountId, newMerchant, uploadedSkus } from './subject.ts';

const CODE: CatalogCode = 'gtin:00012345678905';
const OTHER: CatalogCode = 'gtin:09780306406157';

/** Leaves out fields that the store does not read. */
function productText(code: ProductCode, fields: Partial<StorefrontProduct> = {}): string {
  const product: Partial<StorefrontProduct> = {
    code,
    codes: [],
    title: 'A red pot',
    brand: 'Potter',
    category: { id: 2, path: [{ id: 1, name: 'Home' }] },
    group: null,
    ...fields,
  };
  return JSON.stringify(product);
}

function shown(
  skuId: string,
  {
    code = CODE,
    price = 1,
    quantity = 1,
    pack = 1,
    ...fields
  }: Partial<StorefrontProduct> & { price?: number; quantity?: number; pack?: number } = {},
) {
  const offer: Partial<StorefrontOffer> = {
    merchant_id: 'm',
    merchant_sku: skuId,
    price,
    quantity,
    multipack_quantity: pack,
  };
  const product = productText(code, fields);
  const parent = fields.group?.id ?? null;
  return {
    skuId,
    shown: { code, parent, total: price * 10_000, offer: JSON.stringify(offer), product },
  } satisfies ProjectedOffer;
}

const hidden = (skuId: string): ProjectedOffer => ({ skuId, shown: null });

async function newAccount(store: Store, environment: ShopAccount['environment'] = 'live'): Promise<ShopAccount> {
  const account: ShopAccount = {
    ...{ accountId: newAccountId(), environment, basis: 'b', tag: 't' },
    position: { number: 1, count: 0 },
    walk: null,
  };
  await store.storefront.beginShopWalk(account);
  return account;
}

function project(store: Store, account: ShopAccount, offers: readonly ProjectedOffer[], nowMs = NOW_MS) {
  return store.storefront.projectOffers(account, account, offers, nowMs);
}

async function events(store: Store): Promise<[number: number, code: string, body: unknown][]> {
  const all = await store.storefront.readShopEvents('live', 0, 1000);
  return all.map(({ number, code, body }) => [number, code, JSON.parse(body)]);
}

async function offersOf(store: Store, code: ProductCode = CODE): Promise<string[] | undefined> {
  return (await store.storefront.readShopProduct('live', code, 100))?.offers.map(({ skuId }) => skuId);
}

async function listed(store: Store, query: Partial<ShopProductQuery>): Promise<string[]> {
  const all = { terms: [TERM.any], updatedSinceMs: undefined, after: undefined, limit: 100, offers_max: 9 };
  const page = await store.storefront.listShopProducts('live', { ...all, ...query });
  return page.products.map(({ code }) => code);
}

export function storefrontContract(stores: ClearedStores): void {
  describe('the storefront', () => {
    test('stores and logs differences, and nothing for offers that are as they were', async () => {
      const store = await stores.openOne();
      const account = await newAccount(store);
      const product = JSON.parse(productText(CODE));
      assert.equal(await project(store, account, [shown('a'), shown('b', { price: 2 }), hidden('c')]), 'stored');
      await project(store, account, [shown('b', { price: 2 }), hidden('c')], LATER_MS);
      await project(store, account, [shown('b', { price: 3 })], LATER_MS);
      await project(store, account, [hidden('b')], LATER_MS);
      const offer = (skuId: string, price: number) => ({
        merchant_id: 'm',
        merchant_sku: skuId,
        price,
        quantity: 1,
        multipack_quantity: 1,
      });
      assert.deepEqual(await events(store), [
        [1, CODE, { product, offers_changed: [offer('a', 1), offer('b', 2)], offers_removed: [] }],
        [2, CODE, { offers_changed: [offer('b', 3)], offers_removed: [] }],
        [3, CODE, { offers_changed: [], offers_removed: [{ merchant_id: 'm', merchant_sku: 'b' }] }],
      ]);
      assert.deepEqual(await store.storefront.readShopProduct('live', CODE, 9), {
        code: CODE,
        updatedMs: LATER_MS,
        number: 3,
        product: productText(CODE),
        offers: [
          { accountId: account.accountId, skuId: 'a', sinceMs: NOW_MS, shown: shown('a').shown.offer, rank: null },
        ],
        offerCount: 1,
      });
      assert.equal(await store.storefront.readShopProduct('test', CODE, 9), undefined);
    });

    test('stores nothing for an account that another process has moved', async () => {
      const [store, other] = await stores.openTwo();
      const account = await newAccount(store);
      const moved: ShopAccount = {
        ...account,
        position: { number: 5, count: 2 },
        walk: { stage: 'shown', after: 'x' },
      };
      assert.equal(await other.storefront.projectOffers(account, moved, [shown('a')], NOW_MS), 'stored');
      assert.equal(await store.storefront.projectOffers(account, moved, [shown('b')], NOW_MS), 'overtaken');
      assert.deepEqual(await offersOf(store), ['a']);
      assert.deepEqual(await store.storefront.listShopAccounts(), [moved]);
      assert.equal(await store.storefront.projectOffers(moved, account, [hidden('a')], NOW_MS), 'stored');
      await store.storefront.dropShopAccount(account.accountId);
      assert.equal(await project(store, account, [shown('a')]), 'overtaken');
    });

    test('describes a product as the offer that has been on sale longest, and forgets it with its last offer', async () => {
      const store = await stores.openOne();
      const [one, two] = [await newAccount(store), await newAccount(store)];
      await project(store, two, [shown('b', { title: 'Of b' })], NOW_MS);
      await project(store, one, [shown('a', { title: 'Of a', codes: [CODE, OTHER] })], LATER_MS);
      const title = async () =>
        JSON.parse((await store.storefront.readShopProduct('live', CODE, 9))?.product ?? '{}').title;
      assert.equal(await title(), 'Of b');
      await project(store, two, [shown('b', { title: 'Of b', code: OTHER })], LATER_MS);
      assert.equal(await title(), 'Of a');
      assert.deepEqual(await offersOf(store, OTHER), ['b'], 'an own code comes before another code of a product');
      await project(store, two, [hidden('b')], LATER_MS);
      assert.deepEqual(await offersOf(store, OTHER), ['a']);
      await project(store, one, [hidden('a')], LATER_MS);
      assert.equal(await offersOf(store), undefined);
      assert.equal(await offersOf(store, OTHER), undefined);
      assert.deepEqual(await listed(store, {}), []);
      assert.deepEqual(await listed(store, { terms: [TERM.word('pot')] }), []);
      const last = (await events(store)).at(-1);
      assert.deepEqual(last?.[2], {
        product: null,
        offers_changed: [],
        offers_removed: [{ merchant_id: 'm', merchant_sku: 'a' }],
      });
    });

    test('finds a product by the codes of all of its offers', async () => {
      const store = await stores.openOne();
      const [one, two] = [await newAccount(store), await newAccount(store)];
      const [third, fourth] = ['asin:B000000003', 'asin:B000000004'] as const;
      const codes = async () => JSON.parse((await store.storefront.readShopProduct('live', CODE, 9))?.product ?? '{}');
      await project(store, one, [shown('a', { title: 'Of a', codes: [CODE, OTHER] })], NOW_MS);
      await project(store, two, [shown('b', { title: 'Of b', codes: [CODE, third, OTHER] })], LATER_MS);
      assert.deepEqual(await codes(), JSON.parse(productText(CODE, { title: 'Of a', codes: [CODE, OTHER, third] })));
      assert.deepEqual((await offersOf(store, third))?.toSorted(), ['a', 'b']);
      const [, , last] = (await events(store)).at(-1) ?? [];
      assert.deepEqual((last as { product: unknown }).product, await codes(), 'the event has the new code');
      await project(store, two, [shown('b', { title: 'Of b', codes: [CODE, fourth] })], LATER_MS);
      assert.equal(await offersOf(store, third), undefined);
      assert.deepEqual((await offersOf(store, fourth))?.toSorted(), ['a', 'b']);
      await project(store, two, [hidden('b')], LATER_MS);
      assert.equal(await offersOf(store, fourth), undefined);
      assert.deepEqual(await offersOf(store, OTHER), ['a']);
    });

    test('numbers changes without gaps, even if several processes store them at the same time', async () => {
      const both = await stores.openTwo();
      const accounts = await Promise.all(Array.from({ length: 8 }, () => newAccount(both[0])));
      await Promise.all(
        accounts.map(async (account, index) => {
          const store = both[index % 2] as Store;
          for (let price = 1; price <= 5; price++) await project(store, account, [shown(`s${index}`, { price })]);
        }),
      );
      const numbers = (await events(both[0])).map(([number]) => number);
      assert.deepEqual(
        numbers,
        Array.from({ length: 40 }, (_, index) => index + 1),
      );
      assert.equal((await offersOf(both[1]))?.length, 8);
      assert.equal((await both[0].storefront.readShopFeed('live'))?.last, 40);
      assert.equal(await both[0].storefront.readShopFeed('test'), undefined);
    });

    test('reads the offers with the lowest totals, then the largest stocks, and counts all', async () => {
      const store = await stores.openOne();
      const account = await newAccount(store);
      const prices = { a: 3, b: 1.5, c: 2, d: 2 };
      const offers = Object.entries(prices).map(([skuId, price]) => shown(skuId, { price, quantity: 7 }));
      await project(store, account, offers);
      await project(store, account, [shown('d', { price: 2, quantity: 10 })], LATER_MS);
      const product = await store.storefront.readShopProduct('live', CODE, 2);
      assert.deepEqual([product?.offers.map(({ skuId }) => skuId), product?.offerCount], [['b', 'd'], 4]);
      const { accountId } = account;
      const has = (skuId: string) => store.storefront.hasShopOffer('live', CODE, { accountId, skuId });
      assert.deepEqual([await has('a'), await has('e')], [true, false]);
      await project(store, account, [shown('f', { code: OTHER, price: 9 }), shown('g', { code: OTHER, price: 8 })]);
      const query = { terms: [TERM.any], updatedSinceMs: undefined, after: undefined, limit: 9, offers_max: 2 };
      const { products } = await store.storefront.listShopProducts('live', query);
      assert.deepEqual(
        products.map((each) => each.offers.map(({ skuId }) => skuId)),
        [
          ['b', 'd'],
          ['g', 'f'],
        ],
      );
      assert.deepEqual(products[0]?.offers, product?.offers);
    });

    test('reads the stored ranks of SKUs, with the number of offers of the same multipack quantity', async () => {
      const store = await stores.openOne();
      const [one, two] = [await newAccount(store), await newAccount(store)];
      await project(store, one, [shown('a'), shown('pair', { pack: 2 }), shown('new', { code: OTHER })]);
      await project(store, two, [shown('b', { price: 2 })]);
      const [from] = await store.storefront.findUnranked('total');
      assert.ok(from);
      const ranked = ({ accountId }: ShopAccount, skuId: string, rank: number) => {
        return { accountId, skuId, code: CODE, before: null, rank, rankOf: 2 };
      };
      const changes = [ranked(one, 'a', 1), ranked(one, 'pair', 1), ranked(two, 'b', 2)];
      assert.equal(await store.storefront.storeRanks(from, from, changes, NOW_MS), 'stored');
      const ranks = async (account: ShopAccount, skuIds: string[], offers_max = 9) => {
        const found = await store.storefront.readStoredRanks(account, skuIds, offers_max);
        return Object.fromEntries(found);
      };
      const expected = { a: { rank: 1, rankOf: 2 }, pair: { rank: 1, rankOf: 1 } };
      assert.deepEqual(await ranks(one, ['a', 'pair', 'new', 'unknown']), expected);
      assert.deepEqual(await ranks(two, ['b', 'a']), { b: { rank: 2, rankOf: 2 } });
      assert.deepEqual(await ranks(two, ['b'], 1), { b: { rank: 2, rankOf: 1 } }, 'counts up to the limit');
      assert.deepEqual(await ranks({ ...two, environment: 'test' }, ['b']), {});
    });

    test('lists products by all terms, in pages', async () => {
      const store = await stores.openOne();
      const account = await newAccount(store);
      const codes = Array.from({ length: 7 }, (_, index) => `asin:B00000000${index}` as const);
      const group = { id: 'm:parent', title: null, attribute_ids: [] };
      await project(
        store,
        account,
        codes.map((code, index) => {
          const title = index % 2 === 0 ? 'A red pot' : 'A blue pot';
          return shown(`s${index}`, { code, title, group: index < 2 ? group : null });
        }),
      );
      const even = codes.filter((_, index) => index % 2 === 0);
      assert.deepEqual(await listed(store, {}), codes);
      assert.deepEqual(await listed(store, { terms: [TERM.word('red'), TERM.word('pot')] }), even);
      assert.deepEqual(await listed(store, { terms: [TERM.category(1), TERM.word('red')] }), even);
      assert.deepEqual(await listed(store, { terms: [TERM.brand('POTTER')] }), codes);
      assert.deepEqual(await listed(store, { terms: [TERM.word('red'), TERM.word('blue')] }), []);
      const ofGroup = await store.storefront.listShopGroup('live', 'm:parent', 9);
      assert.deepEqual(
        ofGroup.map(({ code }) => code),
        codes.slice(0, 2),
      );
      const query = { terms: [TERM.word('pot')], updatedSinceMs: undefined, limit: 3, offers_max: 1 };
      const first = await store.storefront.listShopProducts('live', { ...query, after: undefined });
      assert.deepEqual(
        first.products.map(({ code, offers }) => [code, offers.length]),
        codes.slice(0, 3).map((code) => [code, 1]),
      );
      const second = await store.storefront.listShopProducts('live', { ...query, after: first.next });
      const third = await store.storefront.listShopProducts('live', { ...query, after: second.next });
      assert.deepEqual(
        third.products.map(({ code }) => code),
        codes.slice(6),
      );
      assert.equal(third.next, undefined);
    });

    test('lists products in order of their last change, from a time on', async () => {
      const store = await stores.openOne();
      const account = await newAccount(store);
      const [first, second] = ['asin:B000000001', 'asin:B000000002'] as const;
      await project(store, account, [shown('a', { code: first }), shown('b', { code: second })], NOW_MS);
      await project(store, account, [shown('a', { code: first, price: 2 })], LATER_MS);
      assert.deepEqual(await listed(store, { updatedSinceMs: NOW_MS }), [second, first]);
      assert.deepEqual(await listed(store, { updatedSinceMs: NOW_MS + 1 }), [first]);
      assert.deepEqual(await listed(store, { updatedSinceMs: LATER_MS + 1 }), []);
      assert.deepEqual(await listed(store, { updatedSinceMs: NOW_MS, terms: [TERM.word('red')], limit: 1 }), [second]);
      assert.deepEqual(await listed(store, { updatedSinceMs: NOW_MS, after: 2 }), [first]);
    });

    test('drops old events, and keeps the numbers of later ones', async () => {
      const store = await stores.openOne();
      const account = await newAccount(store);
      await project(store, account, [shown('a')], NOW_MS);
      await project(store, account, [shown('a', { price: 2 })], LATER_MS);
      assert.equal(await store.storefront.tidyShopFeed('live', NOW_MS), 'done');
      assert.equal((await events(store)).length, 2);
      assert.equal(await store.storefront.tidyShopFeed('live', LATER_MS), 'done');
      assert.deepEqual(
        (await events(store)).map(([number]) => number),
        [2],
      );
      const state = await store.storefront.readShopFeed('live');
      assert.deepEqual([state?.last, state?.dropped], [2, 1]);
      await store.storefront.tidyShopFeed('live', LATER_MS + 1);
      await project(store, account, [shown('a')], LATER_MS);
      assert.deepEqual(
        (await events(store)).map(([number]) => number),
        [3],
      );
    });
  });

  describe('work for the storefront', () => {
    test('is found for accounts with new events of offers, and those that are walked', async () => {
      const store = await stores.openOne();
      const at = await uploadedSkus(store, ['a']);
      const { accountId } = at('');
      const found = async () => (await store.storefront.findShopWork()).map((account) => account.accountId);
      assert.deepEqual(await found(), [], 'the account is not projected');
      const { tag, next: position } = await store.feed.readEvents(accountId, { after: undefined, types: [], limit: 1 });
      const account = { ...({ accountId, environment: 'live', basis: 'b', tag } as const), position, walk: null };
      await store.storefront.beginShopWalk(account);
      assert.deepEqual(await found(), []);
      await putPrice(store.offers, at('a'), { price: 1, nodes: [] }, LATER_MS);
      const isNumbered = (await store.storefront.findUnnumbered()).length === 0;
      assert.deepEqual(await found(), isNumbered ? [accountId] : [], 'PostgreSQL numbers events when they are read');
      const page = await store.feed.readEvents(accountId, { after: position, types: ['offer.updated'], limit: 9 });
      assert.deepEqual(await found(), [accountId]);
      const moved = { ...account, position: page.next };
      await store.storefront.projectOffers(account, moved, [], NOW_MS);
      assert.deepEqual(await found(), []);
      await store.storefront.beginShopWalk({ ...moved, walk: { stage: 'offers', after: null } });
      assert.deepEqual(await found(), [accountId]);
      await store.storefront.beginShopWalk({ ...moved, basis: '' });
      assert.deepEqual(await found(), [accountId]);
    });

    test('has the offers with their last verdict, also while they are due', async () => {
      const store = await stores.openOne();
      const { offers } = store;
      const at = await uploadedSkus(store, ['a', 'b', 'c']);
      const { accountId } = at('');
      const due = await store.review.readDueOffers(accountId, 9);
      const reviews = due.map((offer) => {
        const review = reviewOf(offer);
        return { ...review, status: 'available' as const, listing: { ...review.listing, categoryId: '7' } };
      });
      await store.review.storeReviews(accountId, reviews, NOW_MS);
      await putSku(offers, at('a'), '{"product_title":"New"}', LATER_MS);
      await putPrice(offers, at('a'), { price: 2, nodes: [] }, LATER_MS);
      await patchInventory(offers, at('a'), [{ fulfillment_node_id: 'n', quantity: 3 }], LATER_MS);
      await putShippingExceptions(offers, at('a'), '[1]', LATER_MS);
      await putGroup(offers, at('b'), { refinements: '[5]', title: 'T', childrenSkus: ['a'] }, LATER_MS);
      const sources = await store.storefront.readOfferSources(accountId, ['a', 'c', 'unknown']);
      const group = { parentSkuId: 'b', title: 'T', refinements: '[5]' };
      const [a, c] = sources.toSorted((one, other) => (one.skuId < other.skuId ? -1 : 1));
      assert.deepEqual(a, {
        ...{ skuId: 'a', document: '{"product_title":"New"}', archived: false, status: 'available', categoryId: '7' },
        price: { price: 2, nodes: [], updatedMs: LATER_MS },
        stock: [{ fulfillment_node_id: 'n', quantity: 3, updatedMs: LATER_MS }],
        shippingExceptions: '[1]',
        group,
      });
      assert.deepEqual([c?.price, c?.stock, c?.shippingExceptions, c?.group], [null, [], null, null]);
      assert.equal(sources.length, 2);
    });

    test('has the members of groups, as they are and as they are shown', async () => {
      const store = await stores.openOne();
      const at = await uploadedSkus(store, ['p', 'child', 'former']);
      const { accountId } = at('');
      const account = { ...(await newAccount(store)), accountId };
      await store.storefront.beginShopWalk(account);
      const group = { id: 'p', title: null, attribute_ids: [] };
      await project(store, account, [shown('former', { group }), shown('other')]);
      await putGroup(store.offers, at('p'), { refinements: '[5]', title: null, childrenSkus: ['child'] }, LATER_MS);
      const skuIds = await store.storefront.readGroupSkus(accountId, ['p']);
      assert.deepEqual(skuIds.toSorted(), ['child', 'former', 'p']);
      assert.deepEqual(await store.storefront.listShownSkus(accountId, null, 9), ['former', 'other']);
      assert.deepEqual(await store.storefront.listShownSkus(accountId, 'former', 9), ['other']);
    });

    test('has the products that the operator corrected, until the last correction is projected', async () => {
      const [store, other] = await stores.openTwo();
      const [one, two] = [await newAccount(store), await newAccount(store)];
      await project(store, one, [shown('a'), shown('b')]);
      await project(store, two, [shown('a')]);
      const product: KnownProduct = { code: CODE, brand: 'B', title: 'T', categoryId: null, origin: 'operator' };
      await store.catalog.setProduct('live', product);
      const [first] = await store.storefront.readShopCorrections(undefined, 9);
      assert.ok(first);
      assert.deepEqual([first.environment, first.code], ['live', CODE]);
      await other.catalog.setProduct('live', { ...product, title: 'T2' });
      await store.storefront.dropShopCorrection(first);
      const [second] = await store.storefront.readShopCorrections(undefined, 9);
      assert.ok(second);
      assert.deepEqual(await store.storefront.readShopCorrections(second, 9), []);
      const before = { ...second, code: CODE.slice(0, -1) as typeof second.code };
      assert.deepEqual(await store.storefront.readShopCorrections(before, 9), [second]);
      await store.storefront.dropShopCorrection(second);
      assert.deepEqual(await store.storefront.readShopCorrections(undefined, 9), []);
      const keys = await store.storefront.listShopOffers('live', CODE, undefined, 2);
      assert.deepEqual(
        keys,
        ['a', 'b'].map((skuId) => ({ accountId: one.accountId, skuId })),
      );
      assert.deepEqual(await store.storefront.listShopOffers('live', CODE, keys[1], 2), [
        { accountId: two.accountId, skuId: 'a' },
      ]);
    });

    test('has the nodes of all accounts', async () => {
      const store = await stores.openOne();
      const merchant = newMerchant();
      await store.settings.addMerchant(merchant, NOW_MS);
      const accountId = (await store.settings.readMerchant(merchant.merchantId))?.accounts.live ?? 0;
      const node = { id: 'n', rateKind: 'flat', methods: ['Freight'], levels: ['Standard'] } as const;
      await store.settings.putNode(accountId, node);
      assert.deepEqual(await store.storefront.listShopNodes(), [{ accountId, ...node }]);
    });

    test('is all offers again after some were erased', async (t) => {
      const store = await stores.openOne();
      const moves = await stores.openMoves(t);
      const merchant = newMerchant();
      await store.settings.addMerchant(merchant, NOW_MS);
      const accountId = (await store.settings.readMerchant(merchant.merchantId))?.accounts.test ?? 0;
      await putSku(store.offers, { accountId, skuId: 'a', by: AUTHOR }, '{}', NOW_MS);
      const account = { ...(await newAccount(store, 'test')), accountId };
      await store.storefront.beginShopWalk(account);
      await moves.eraseOffers(accountId, await moves.readLastOffer(accountId), 1000);
      const after = (await store.storefront.findShopWork()).find((found) => found.accountId === accountId);
      assert.equal(after?.basis, '');
    });
  });
}
