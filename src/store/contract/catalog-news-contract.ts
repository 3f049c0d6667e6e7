/** Contract tests for catalog news: offers of an added or corrected product are marked as due, even if a process dies. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KnownProduct } from '../../domain/review/catalog.ts';
import type { CatalogCode } from '../../domain/review/product-code.ts';
import { NEWS_ACCOUNT, NEWS_KIND } from '../port/catalog.ts';
import type { Store } from '../port.ts';
import type { ClearedStores } from './subject.ts';

const FIRST: CatalogCode = 'asin:B000000001';
const SECOND: CatalogCode = 'asin:B000000002';
const THIRD: CatalogCode = 'gtin:00000000000017';
const OFFER = { accountId: 7, skuId: 'é' };

function productOf(code: CatalogCode, origin: KnownProduct['origin'] = 'offer'): KnownProduct {
  return { code, brand: 'Acme', title: 'A thing', categoryId: null, origin };
}

export function catalogNewsContract(stores: ClearedStores): void {
  describe('news of the catalog', () => {
    test('are recorded for new products, and not for existing ones', async () => {
      const [store, other] = await stores.openTwo();
      assert.deepEqual(await store.catalog.readCatalogNews(9), []);
      await store.catalog.addProducts('live', [productOf(FIRST), productOf(SECOND)]);
      assert.deepEqual(await newsOf(other), ['live asin:B000000001', 'live asin:B000000002']);
      await store.catalog.settleCatalogNews('live', [FIRST, SECOND]);
      await store.catalog.addProducts('live', [productOf(FIRST), productOf(THIRD)]);
      await store.catalog.addProducts('test', [productOf(FIRST)]);
      assert.deepEqual(await newsOf(other), ['live gtin:00000000000017', 'test asin:B000000001']);
      assert.equal((await store.catalog.readCatalogNews(1)).length, 1);
      assert.equal(await isAnnounced(store), false, 'no announcement before the offers that use the product are known');
    });

    test('are dropped if only the offer that added the product uses it, and announced otherwise', async () => {
      const store = await stores.openOne();
      await store.catalog.noteCatalogUsers('live', [
        { ...OFFER, code: FIRST },
        { ...OFFER, code: SECOND },
        { ...OFFER, skuId: 'other', code: SECOND },
      ]);
      await store.catalog.noteCatalogUsers('test', [{ ...OFFER, accountId: 8, code: FIRST }]);
      await store.catalog.addProducts('live', [productOf(FIRST), productOf(THIRD)]);
      await store.catalog.settleCatalogNews('live', []);
      await store.catalog.settleCatalogNews('live', [FIRST, THIRD]);
      assert.deepEqual([await newsOf(store), await isAnnounced(store)], [[], false]);
      await store.catalog.addProducts('live', [productOf(SECOND)]);
      await store.catalog.settleCatalogNews('live', [SECOND]);
      assert.deepEqual([await newsOf(store), await isAnnounced(store)], [['live asin:B000000002'], true]);
    });

    test('news of a correction are announced, and stay when news from offers are settled', async () => {
      const store = await stores.openOne();
      await store.catalog.setProduct('live', productOf(FIRST, 'operator'));
      await store.catalog.addProducts('live', [productOf(FIRST)]);
      await store.catalog.settleCatalogNews('live', [FIRST]);
      assert.deepEqual([await newsOf(store), await isAnnounced(store)], [['live asin:B000000001'], true]);
    });

    test('record the last offer that was marked as due, and are dropped when all are marked', async () => {
      const [store, other] = await stores.openTwo();
      await store.catalog.addProducts('live', [productOf(FIRST), productOf(SECOND)]);
      const [news = assert.fail()] = await store.catalog.readCatalogNews(1);
      assert.deepEqual(news, { environment: 'live', code: FIRST, number: news.number, markedUpTo: null });
      await store.catalog.moveCatalogNews(news, OFFER);
      const [moved = assert.fail()] = await other.catalog.readCatalogNews(1);
      assert.deepEqual(moved, { ...news, markedUpTo: OFFER });
      await other.catalog.moveCatalogNews(moved, undefined);
      assert.deepEqual(await newsOf(store), ['live asin:B000000002']);
    });

    test('news that are newer restart from the first offer', async () => {
      const store = await stores.openOne();
      await store.catalog.addProducts('live', [productOf(FIRST)]);
      for (const end of [OFFER, undefined]) {
        const [news = assert.fail()] = await store.catalog.readCatalogNews(1);
        await store.catalog.moveCatalogNews(news, OFFER);
        await store.catalog.setProduct('live', productOf(FIRST, 'operator'));
        const [newer = assert.fail()] = await store.catalog.readCatalogNews(1);
        assert.notEqual(newer.number, news.number);
        assert.deepEqual(newer, { ...news, number: newer.number, markedUpTo: null });
        await store.catalog.moveCatalogNews(news, end);
        assert.deepEqual(
          await store.catalog.readCatalogNews(9),
          [newer],
          'earlier progress does not apply to newer news',
        );
      }
    });

    test('are found if the process died before it announced them', async () => {
      const store = await stores.openOne();
      await store.review.announceForgotten();
      assert.equal(await isAnnounced(store), false);
      await store.catalog.addProducts('live', [productOf(FIRST)]);
      await store.review.announceForgotten();
      assert.equal(await isAnnounced(store), true);
    });
  });
}

async function newsOf(store: Store): Promise<string[]> {
  return (await store.catalog.readCatalogNews(99)).map(({ environment, code }) => `${environment} ${code}`).sort();
}

async function isAnnounced(store: Store): Promise<boolean> {
  const lease = await store.work.takeWork(NEWS_KIND, 'test', 60_000);
  if (lease === undefined) return false;
  assert.equal(lease.accountId, NEWS_ACCOUNT);
  await store.work.finishWork(lease, undefined);
  return true;
}
