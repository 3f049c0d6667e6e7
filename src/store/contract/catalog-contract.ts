/** Contract tests for the catalog: one product per code and environment; the first offer creates it, and the operator's correction wins. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LIMITS } from '../../domain/limits.ts';
import type { KnownProduct } from '../../domain/review/catalog.ts';
import type { CatalogCode } from '../../domain/review/product-code.ts';
import { NEWS_ACCOUNT, NEWS_KIND } from '../port/catalog.ts';
import { StoreUnavailableError } from '../port/errors.ts';
import type { SkuKey } from '../port/offers.ts';
import { productTag } from '../port/part-tags.ts';
import type { ChangeNote } from '../port/settings.ts';
import type { Store } from '../port.ts';
import { reviewOf } from './due-offers.ts';
import { putSku } from './put-parts.ts';
import {
  AUTHOR,
  type ClearedStores,
  type CreateDatabase,
  DIFFICULT_IDS,
  documentOf,
  NOW_MS,
  newAccountId,
  openFor,
} from './subject.ts';

let lastCode = 0;

/** Each test uses its own codes. */
function newCode(): CatalogCode {
  return `gtin:${String(++lastCode).padStart(14, '0')}`;
}

function productOf(code: CatalogCode, brand = 'Acme'): KnownProduct {
  return { code, brand, title: `A thing of ${brand}`, categoryId: 1_000_001, origin: 'offer' };
}

const NOTE: ChangeNote = { atMs: NOW_MS, by: 'test', act: 'putProduct', subject: 'test', impact: null };

const byCode = (products: readonly KnownProduct[]) => new Map(products.map((product) => [product.code, product]));

export function catalogContract(store: () => Store, emptied: ClearedStores, createDatabase: CreateDatabase): void {
  clientContract(emptied, createDatabase);
  describe('catalog', () => {
    const allNews = () => store().catalog.readCatalogNews(1000);

    test('pages through all products in order of code', async () => {
      const codes = [newCode(), newCode(), newCode()].sort();
      await store().catalog.addProducts(
        'live',
        codes.map((code) => productOf(code)),
      );
      const [first, second, third] = codes as [CatalogCode, CatalogCode, CatalogCode];
      assert.deepEqual(await store().catalog.readProductPage('live', first, 2), [productOf(second), productOf(third)]);
      assert.deepEqual(await store().catalog.readProductPage('live', first, 1), [productOf(second)]);
    });

    test('returns the products that were added, and nothing for other codes', async () => {
      const [code, other, unknown] = [newCode(), newCode(), newCode()];
      const first: KnownProduct = { ...productOf(code, 'Ää "😀" \\'), categoryId: 9_223_372_036_854_775_807n };
      const second: KnownProduct = { ...productOf(other), categoryId: null };
      assert.deepEqual(byCode(await store().catalog.addProducts('live', [first, second])), byCode([first, second]));
      assert.deepEqual(
        byCode(await store().catalog.readProducts('live', [unknown, code, other, code])),
        byCode([first, second]),
      );
      assert.deepEqual(await store().catalog.readProducts('live', [unknown]), []);
      assert.deepEqual(await store().catalog.readProducts('live', []), []);
      assert.deepEqual(await store().catalog.addProducts('live', []), []);
    });

    test('separates test from live', async () => {
      const code = newCode();
      await store().catalog.addProducts('live', [productOf(code, 'Live')]);
      assert.deepEqual(await store().catalog.readProducts('test', [code]), []);
      await store().catalog.addProducts('test', [productOf(code, 'Test')]);
      assert.deepEqual(await store().catalog.readProducts('live', [code]), [productOf(code, 'Live')]);
      assert.deepEqual(await store().catalog.readProducts('test', [code]), [productOf(code, 'Test')]);
    });

    test('keeps the first product of a code, and returns it to callers that add another', async () => {
      const [code, fresh] = [newCode(), newCode()];
      await store().catalog.addProducts('live', [productOf(code, 'First')]);
      const given = await store().catalog.addProducts('live', [productOf(code, 'Late'), productOf(fresh)]);
      assert.deepEqual(byCode(given), byCode([productOf(code, 'First'), productOf(fresh)]));
      const twice = newCode();
      const both = await store().catalog.addProducts('live', [productOf(twice, 'One'), productOf(twice, 'Two')]);
      assert.deepEqual(both, [productOf(twice, 'One')]);
    });

    test('accepts more products than one statement takes', async () => {
      const products = Array.from({ length: 1_001 }, () => productOf(newCode()));
      assert.equal((await store().catalog.addProducts('live', products)).length, 1_001);
      const known = await store().catalog.readProducts(
        'live',
        products.map(({ code }) => code),
      );
      assert.deepEqual(byCode(known), byCode(products));
    });

    test('stores one product per code when two processes add it at once, and returns it to both', async () => {
      const stores = await emptied.openTwo();
      const codes = Array.from({ length: 200 }, newCode);
      const given = await Promise.all(
        stores.flatMap((one, place) => [
          one.catalog.addProducts(
            'live',
            codes.map((code) => productOf(code, `Brand ${place}`)),
          ),
          one.catalog.addProducts(
            'live',
            codes.toReversed().map((code) => productOf(code, `Other ${place}`)),
          ),
        ]),
      );
      const known = byCode(await stores[0].catalog.readProducts('live', codes));
      assert.equal(known.size, codes.length);
      for (const products of given) assert.deepEqual(byCode(products), known);
    });

    test('lets only the single user of a code replace its product', async () => {
      const [own, shared, unused] = [newCode(), newCode(), newCode()];
      const accountId = newAccountId();
      const users = [
        { accountId, skuId: 'a', code: own },
        { accountId, skuId: 'a', code: shared },
        { accountId: newAccountId(), skuId: 'b', code: shared },
      ];
      await store().catalog.noteCatalogUsers('live', users);
      await store().catalog.noteCatalogUsers('test', [{ accountId: newAccountId(), skuId: 'c', code: own }]);
      const all = [own, shared, unused];
      await store().catalog.addProducts(
        'live',
        all.map((code) => productOf(code, 'Pottr')),
      );
      await store().catalog.addProducts('test', [productOf(own, 'Test')]);
      await store().catalog.settleCatalogNews('live', all);
      const given = await store().catalog.addProducts(
        'live',
        all.map((code) => productOf(code, 'Potter')),
      );
      const expected = [productOf(own, 'Potter'), productOf(shared, 'Pottr'), productOf(unused, 'Pottr')];
      assert.deepEqual(byCode(given), byCode(expected));
      assert.deepEqual(byCode(await store().catalog.readProducts('live', all)), byCode(expected));
      assert.deepEqual(await store().catalog.readProducts('test', [own]), [productOf(own, 'Test')]);
      const news = (await store().catalog.readCatalogNews(10_000)).filter(({ environment }) => environment === 'live');
      assert.ok(news.some(({ code }) => code === own));
    });

    test("prefers the operator's correction to earlier and later offers", async () => {
      const [code, fresh] = [newCode(), newCode()];
      const said = (brand: string, of = code): KnownProduct => ({ ...productOf(of, brand), origin: 'operator' });
      await store().catalog.addProducts('live', [productOf(code, 'Offer')]);
      await store().catalog.setProduct('live', said('Right'));
      assert.deepEqual(await store().catalog.readProducts('live', [code]), [said('Right')]);
      assert.deepEqual(await store().catalog.addProducts('live', [productOf(code, 'Offer')]), [said('Right')]);
      await store().catalog.setProduct('live', { ...said('Better'), categoryId: null });
      assert.deepEqual(await store().catalog.readProducts('live', [code]), [{ ...said('Better'), categoryId: null }]);
      assert.deepEqual(await store().catalog.readProducts('test', [code]), []);
      await store().catalog.setProduct('live', said('Known before any offer', fresh));
      assert.deepEqual(await store().catalog.addProducts('live', [productOf(fresh)]), [
        said('Known before any offer', fresh),
      ]);
    });

    test('is corrected only if the precondition holds', async () => {
      const code = newCode();
      const { addProducts, setProduct, readProducts } = store().catalog;
      const right: KnownProduct = { ...productOf(code, 'Right'), origin: 'operator' };
      assert.deepEqual(await setProduct('live', right, undefined, { ifMatch: '*' }), { currentTag: null });
      await addProducts('live', [productOf(code, 'Offer')]);
      const currentTag = productTag(productOf(code, 'Offer'));
      for (const refused of [{ ifNoneMatch: '*' }, { ifMatch: [productTag(right)] }] as const) {
        assert.deepEqual(await setProduct('live', right, undefined, refused), { currentTag });
      }
      assert.deepEqual(await readProducts('live', [code]), [productOf(code, 'Offer')]);
      assert.equal(await setProduct('live', right, undefined, { ifMatch: [currentTag] }), 'stored');
      assert.deepEqual(await readProducts('live', [code]), [right]);
    });

    test('survives a restart', async (t) => {
      const database = await createDatabase();
      const code = newCode();
      const before = await openFor(t, database);
      await before.catalog.addProducts('live', [productOf(code)]);
      await before.catalog.noteCatalogUsers('live', [{ code, accountId: 7, skuId: 'a' }]);
      await before.close();
      const after = await openFor(t, database);
      assert.deepEqual(await after.catalog.readProducts('live', [code]), [productOf(code)]);
      assert.deepEqual(await after.catalog.readCatalogUsers('live', code, null, 9), [{ accountId: 7, skuId: 'a' }]);
    });

    test('lists the offers that use a code, each once, page by page', async () => {
      const [code, other] = [newCode(), newCode()];
      const [small, large] = [newAccountId(), newAccountId()];
      const offers: SkuKey[] = [
        ...DIFFICULT_IDS.map((skuId) => ({ accountId: large, skuId })),
        { accountId: small, skuId: 'z' },
      ];
      const users = offers.map((offer) => ({ ...offer, code }));
      await store().catalog.noteCatalogUsers('live', users);
      await store().catalog.noteCatalogUsers('live', [...users, { accountId: small, skuId: 'other', code: other }]);
      await store().catalog.noteCatalogUsers('test', [{ accountId: small, skuId: 'test', code }]);
      await store().catalog.noteCatalogUsers('live', []);

      const read: SkuKey[] = [];
      for (;;) {
        const page = await store().catalog.readCatalogUsers('live', code, read.at(-1) ?? null, 5);
        if (page.length === 0) break;
        assert.ok(page.length <= 5);
        read.push(...page);
      }
      assert.deepEqual(read, inOrder(offers));
      assert.deepEqual(await store().catalog.readCatalogUsers('live', newCode(), null, 5), []);
    });

    test('gives a merged product the data of the other one, until the merge is undone', async () => {
      const [code, into] = [newCode(), newCode()];
      const { addProducts, countCatalogUsers, listMergedProducts, noteCatalogUsers, readProducts, setProduct } =
        store().catalog;
      await addProducts('live', [productOf(code, 'Old'), productOf(into, 'New')]);
      await addProducts('test', [productOf(code, 'Test')]);
      const accountId = newAccountId();
      await noteCatalogUsers('live', [{ accountId, skuId: 'a', code }]);
      assert.equal(await countCatalogUsers('live', code), 1);
      const own: KnownProduct = { ...productOf(code, 'Old'), origin: 'operator' };
      assert.equal(await setProduct('live', { ...own, sameAs: into }, NOTE), 'stored');
      const [{ changeId } = assert.fail()] = await store().policies.listRuleChanges(1);
      const merged = { ...productOf(into, 'New'), code, origin: 'operator', sameAs: into };
      assert.deepEqual(await readProducts('live', [code]), [merged]);
      assert.deepEqual(await readProducts('live', [code], 'unmerged'), [{ ...own, sameAs: into }]);
      assert.deepEqual(await readProducts('live', [code], 'offers'), [productOf(code, 'Old')]);
      assert.deepEqual(await readProducts('test', [code]), [productOf(code, 'Test')]);
      assert.deepEqual(await listMergedProducts('live', into), [code]);
      assert.deepEqual(await listMergedProducts('test', into), []);
      const isCorrected = async () =>
        (await store().storefront.readShopCorrections(undefined, 1000)).some((one) => one.code === into);
      assert.equal(await isCorrected(), false);
      await noteCatalogUsers('live', [{ accountId, skuId: 'b', code: into }]);
      await addProducts('live', [productOf(into, 'Newer')]);
      assert.equal(await isCorrected(), true, 'the offers of both are shown with the data of an offer');
      for (let news = await allNews(); news.length > 0; news = await allNews()) {
        for (const one of news) await store().catalog.moveCatalogNews(one, undefined);
      }
      const right: KnownProduct = { ...productOf(into, 'Right'), origin: 'operator' };
      await setProduct('live', right);
      assert.deepEqual(await readProducts('live', [code]), [{ ...right, code, sameAs: into }]);
      const news = (await allNews()).map((one) => one.code);
      assert.deepEqual(news.sort(), [code, into].sort(), 'offers of both are re-reviewed');
      assert.equal(await store().policies.undoRuleChange(changeId, NOTE), 'stored');
      assert.deepEqual(await readProducts('live', [code]), [productOf(code, 'Old')]);
      assert.deepEqual(await listMergedProducts('live', into), []);
    });

    test('refuses merges that lead to another merge, and too many', async () => {
      const { listMergedProducts, setProduct } = store().catalog;
      const [first, second, third] = [newCode(), newCode(), newCode()];
      const merge = (code: CatalogCode, sameAs: CatalogCode) =>
        setProduct('live', { ...productOf(code), origin: 'operator', sameAs }, NOTE);
      assert.equal(await merge(first, second), 'stored');
      const [{ changeId } = assert.fail()] = await store().policies.listRuleChanges(1);
      assert.equal(await merge(first, second), 'stored', 'again');
      assert.equal(await merge(second, first), 'merge_refused', 'a cycle');
      assert.equal(await merge(third, first), 'merge_refused', 'into a merged product');
      assert.equal(await merge(second, third), 'merge_refused', 'what others are merged into');
      assert.deepEqual(await listMergedProducts('live', second), [first]);
      await setProduct('live', { ...productOf(first), origin: 'operator' }, NOTE);
      const [{ changeId: separation } = assert.fail()] = await store().policies.listRuleChanges(1);
      assert.equal(await merge(second, third), 'stored');
      assert.equal(await store().policies.undoRuleChange(separation, NOTE), 'overtaken');
      assert.equal(await store().policies.undoRuleChange(changeId, NOTE), 'overtaken');
      for (let count = 1; count < LIMITS.merged_products_max; count++) {
        assert.equal(await merge(newCode(), third), 'stored');
      }
      assert.equal(await merge(newCode(), third), 'merge_refused');
      assert.equal(await merge(second, third), 'stored', 'it already is');
    });

    test('removes the offers that no longer use a code, and no others', async () => {
      const [code, other] = [newCode(), newCode()];
      const accountId = newAccountId();
      const users = ['a', 'b', 'é'].flatMap((skuId) => [code, other].map((of) => ({ accountId, skuId, code: of })));
      await store().catalog.noteCatalogUsers('live', users);
      await store().catalog.forgetCatalogUsers([]);
      await store().catalog.forgetCatalogUsers([
        { accountId, skuId: 'a', code },
        { accountId, skuId: 'é', code: other },
        { accountId: newAccountId(), skuId: 'b', code },
        { accountId, skuId: 'never noted', code },
      ]);
      const left = async (of: CatalogCode) =>
        (await store().catalog.readCatalogUsers('live', of, null, 9)).map(({ skuId }) => skuId);
      assert.deepEqual(
        [await left(code), await left(other)],
        [
          ['b', 'é'],
          ['a', 'b'],
        ],
      );
    });

    test('removes erased offers from the codes that they used', async (t) => {
      const opened = await emptied.openOne();
      const moves = await emptied.openMoves(t);
      const [code, other] = [newCode(), newCode()];
      const [accountId, kept] = [newAccountId(), newAccountId()];
      for (const id of [accountId, kept]) {
        const [reviewed, unreviewed] = ['reviewed', 'not reviewed'];
        for (const skuId of [reviewed, unreviewed])
          await putSku(opened.offers, { accountId: id, skuId, by: AUTHOR }, documentOf(), NOW_MS);
        await opened.catalog.noteCatalogUsers('live', [
          { accountId: id, skuId: reviewed, code },
          { accountId: id, skuId: reviewed, code: other },
        ]);
        const offer =
          (await opened.review.readDueOffers(id, 9)).find(({ skuId }) => skuId === reviewed) ?? assert.fail();
        const evidence = { catalog: { codes: [code, other], products: [] } };
        await opened.review.storeReviews(id, [{ ...reviewOf(offer), evidence }], NOW_MS);
      }
      assert.equal((await moves.eraseOffers(accountId, Number.MAX_SAFE_INTEGER, 60_000)).skus, 2);
      for (const each of [code, other]) {
        const users = await opened.catalog.readCatalogUsers('live', each, null, 9);
        assert.deepEqual(users, [{ accountId: kept, skuId: 'reviewed' }]);
      }
    });

    test('is refused by a closed store', async () => {
      const closed = await emptied.openClosed();
      const code = newCode();
      const calls = [
        () => closed.catalog.readProducts('live', [code]),
        () => closed.catalog.listMergedProducts('live', code),
        () => closed.catalog.addProducts('live', [productOf(code)]),
        () => closed.catalog.setProduct('live', productOf(code)),
        () => closed.catalog.noteCatalogUsers('live', [{ code, accountId: 1, skuId: 'a' }]),
        () => closed.catalog.forgetCatalogUsers([{ code, accountId: 1, skuId: 'a' }]),
        () => closed.catalog.settleCatalogNews('live', [code]),
        () => closed.catalog.readCatalogNews(1),
        () => closed.catalog.moveCatalogNews({ environment: 'live', code, number: 0, markedUpTo: null }, undefined),
        () => closed.catalog.countCatalogUsers('live', code),
        () => closed.catalog.readCatalogUsers('live', code, null, 1),
      ];
      for (const call of calls) await assert.rejects(call, StoreUnavailableError, call.toString());
    });
  });
}

/** Tests the catalog in a store that the command line opens alongside a server. */
function clientContract(emptied: ClearedStores, createDatabase: CreateDatabase): void {
  describe('catalog client', () => {
    test('corrects products and records news, and a running server sees it immediately', async (t) => {
      const code = newCode();
      const accountId = newAccountId();
      const server = await emptied.openOne();
      const setup = await emptied.openSetup(t);
      await server.catalog.addProducts('live', [productOf(code, 'Offer')]);
      await server.catalog.noteCatalogUsers('live', [{ accountId, skuId: 'user', code }]);

      assert.deepEqual(await setup.catalog.readProducts('live', [code]), [productOf(code, 'Offer')]);
      const right: KnownProduct = { ...productOf(code, 'Right'), origin: 'operator' };
      await setup.catalog.setProduct('live', right);
      assert.deepEqual(await server.catalog.readProducts('live', [code]), [right]);
      assert.deepEqual(
        [await setup.catalog.countCatalogUsers('live', code), await setup.catalog.countCatalogUsers('test', code)],
        [1, 0],
      );
      const news = await server.catalog.readCatalogNews(9);
      assert.deepEqual(
        news.map((one) => [one.environment, one.code, one.markedUpTo]),
        [['live', code, null]],
      );
      assert.equal((await server.work.takeWork(NEWS_KIND, 'test', 60_000))?.accountId, NEWS_ACCOUNT);
    });

    test('works on a database without a server, and is refused after close', async () => {
      const setup = await (await createDatabase()).openSetup();
      const code = newCode();
      assert.deepEqual(await setup.catalog.readProducts('live', [code]), []);
      await setup.close();
      const calls = [
        () => setup.catalog.readProducts('live', [code]),
        () => setup.catalog.setProduct('live', productOf(code)),
        () => setup.catalog.countCatalogUsers('live', code),
      ];
      for (const call of calls) await assert.rejects(call, StoreUnavailableError, call.toString());
    });
  });
}

/** Sorts by account, then by the bytes of the SKU id. */
function inOrder(offers: readonly SkuKey[]): SkuKey[] {
  return offers.toSorted(
    (one, other) => one.accountId - other.accountId || Buffer.compare(Buffer.from(one.skuId), Buffer.from(other.skuId)),
  );
}
