/** The contract of the catalog: one product for each code and environment, whoever comes first; the operator's word wins. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KnownProduct } from '../../domain/review/catalog.ts';
import type { CatalogCode } from '../../domain/review/product-code.ts';
import type { Store } from '../port.ts';
import { StoreUnavailableError } from '../port.ts';
import type { OfferReference } from '../review-port.ts';
import { type CreateDatabase, DIFFICULT_IDS, newAccountId, openFor } from './subject.ts';

let lastCode = 0;

/** Tests keep out of each other's way by codes of their own. */
function newCode(): CatalogCode {
  return `gtin:${String(++lastCode).padStart(14, '0')}`;
}

function productOf(code: CatalogCode, brand = 'Acme'): KnownProduct {
  return { code, brand, title: `A thing of ${brand}`, categoryId: 1_000_001, origin: 'offer' };
}

const byCode = (products: readonly KnownProduct[]) => new Map(products.map((product) => [product.code, product]));

export function catalogContract(store: () => Store, createDatabase: CreateDatabase): void {
  describe('catalog', () => {
    test('knows what was added, and leaves out what was not', async () => {
      const [code, other, unknown] = [newCode(), newCode(), newCode()];
      const first: KnownProduct = { ...productOf(code, 'Ää "😀" \\'), categoryId: 9_223_372_036_854_775_807n };
      const second: KnownProduct = { ...productOf(other), categoryId: null };
      assert.deepEqual(byCode(await store().addProducts('live', [first, second])), byCode([first, second]));
      assert.deepEqual(
        byCode(await store().readProducts('live', [unknown, code, other, code])),
        byCode([first, second]),
      );
      assert.deepEqual(await store().readProducts('live', [unknown]), []);
      assert.deepEqual(await store().readProducts('live', []), []);
      assert.deepEqual(await store().addProducts('live', []), []);
    });

    test('keeps environments apart', async () => {
      const code = newCode();
      await store().addProducts('live', [productOf(code, 'Live')]);
      assert.deepEqual(await store().readProducts('test', [code]), []);
      await store().addProducts('test', [productOf(code, 'Test')]);
      assert.deepEqual(await store().readProducts('live', [code]), [productOf(code, 'Live')]);
      assert.deepEqual(await store().readProducts('test', [code]), [productOf(code, 'Test')]);
    });

    test('keeps the first product of a code, and gives it to whoever brings another', async () => {
      const [code, fresh] = [newCode(), newCode()];
      await store().addProducts('live', [productOf(code, 'First')]);
      const given = await store().addProducts('live', [productOf(code, 'Late'), productOf(fresh)]);
      assert.deepEqual(byCode(given), byCode([productOf(code, 'First'), productOf(fresh)]));
      const twice = newCode();
      const both = await store().addProducts('live', [productOf(twice, 'One'), productOf(twice, 'Two')]);
      assert.deepEqual(both, [productOf(twice, 'One')]);
    });

    test('takes more at once than travels together', async () => {
      const products = Array.from({ length: 1_001 }, () => productOf(newCode()));
      assert.equal((await store().addProducts('live', products)).length, 1_001);
      const known = await store().readProducts(
        'live',
        products.map(({ code }) => code),
      );
      assert.deepEqual(byCode(known), byCode(products));
    });

    test('has one product of a code also when two processes add it at once, and both are told the same', async (t) => {
      const database = await createDatabase();
      const stores = await Promise.all([openFor(t, database), openFor(t, database)]);
      const codes = Array.from({ length: 200 }, newCode);
      const given = await Promise.all(
        stores.flatMap((one, place) => [
          one.addProducts(
            'live',
            codes.map((code) => productOf(code, `Brand ${place}`)),
          ),
          one.addProducts(
            'live',
            codes.toReversed().map((code) => productOf(code, `Other ${place}`)),
          ),
        ]),
      );
      const known = byCode(await stores[0].readProducts('live', codes));
      assert.equal(known.size, codes.length);
      for (const products of given) assert.deepEqual(byCode(products), known);
    });

    test('is corrected by the operator, against what offers say before and after', async () => {
      const [code, fresh] = [newCode(), newCode()];
      const said = (brand: string, of = code): KnownProduct => ({ ...productOf(of, brand), origin: 'operator' });
      await store().addProducts('live', [productOf(code, 'Offer')]);
      await store().setProduct('live', said('Right'));
      assert.deepEqual(await store().readProducts('live', [code]), [said('Right')]);
      assert.deepEqual(await store().addProducts('live', [productOf(code, 'Offer')]), [said('Right')]);
      await store().setProduct('live', { ...said('Better'), categoryId: null });
      assert.deepEqual(await store().readProducts('live', [code]), [{ ...said('Better'), categoryId: null }]);
      assert.deepEqual(await store().readProducts('test', [code]), []);
      await store().setProduct('live', said('Known before any offer', fresh));
      assert.deepEqual(await store().addProducts('live', [productOf(fresh)]), [said('Known before any offer', fresh)]);
    });

    test('is still there when the store is opened again', async (t) => {
      const database = await createDatabase();
      const code = newCode();
      const before = await openFor(t, database);
      await before.addProducts('live', [productOf(code)]);
      await before.noteCatalogUsers('live', [{ code, accountId: 7, skuId: 'a' }]);
      await before.close();
      const after = await openFor(t, database);
      assert.deepEqual(await after.readProducts('live', [code]), [productOf(code)]);
      assert.deepEqual(await after.readCatalogUsers('live', code, undefined, 9), [{ accountId: 7, skuId: 'a' }]);
    });

    test('knows the offers that are judged by a code, each once, page by page', async () => {
      const [code, other] = [newCode(), newCode()];
      const [small, large] = [newAccountId(), newAccountId()];
      const offers: OfferReference[] = [
        ...DIFFICULT_IDS.map((skuId) => ({ accountId: large, skuId })),
        { accountId: small, skuId: 'z' },
      ];
      const users = offers.map((offer) => ({ ...offer, code }));
      await store().noteCatalogUsers('live', users);
      await store().noteCatalogUsers('live', [...users, { accountId: small, skuId: 'other', code: other }]);
      await store().noteCatalogUsers('test', [{ accountId: small, skuId: 'test', code }]);
      await store().noteCatalogUsers('live', []);

      const read: OfferReference[] = [];
      for (;;) {
        const page = await store().readCatalogUsers('live', code, read.at(-1), 5);
        if (page.length === 0) break;
        assert.ok(page.length <= 5);
        read.push(...page);
      }
      assert.deepEqual(read, inOrder(offers));
      assert.deepEqual(await store().readCatalogUsers('live', newCode(), undefined, 5), []);
    });

    test('knows which codes more than one offer is judged by', async () => {
      const [shared, single, apart, unknown] = [newCode(), newCode(), newCode(), newCode()];
      const [accountId, other] = [newAccountId(), newAccountId()];
      await store().noteCatalogUsers('live', [
        { accountId, skuId: 'a', code: shared },
        { accountId: other, skuId: 'a', code: shared },
        { accountId, skuId: 'a', code: single },
        { accountId, skuId: 'a', code: apart },
      ]);
      await store().noteCatalogUsers('live', [{ accountId, skuId: 'a', code: single }]);
      await store().noteCatalogUsers('test', [{ accountId, skuId: 'b', code: apart }]);
      const asked = [shared, single, single, apart, unknown, shared];
      assert.deepEqual(await store().readSharedCodes('live', asked), [shared]);
      assert.deepEqual(await store().readSharedCodes('test', asked), []);
      assert.deepEqual(await store().readSharedCodes('live', []), []);
    });

    test('is refused by a store that is closed', async (t) => {
      const closed = await openFor(t, await createDatabase());
      await closed.close();
      const code = newCode();
      const calls = [
        () => closed.readProducts('live', [code]),
        () => closed.addProducts('live', [productOf(code)]),
        () => closed.setProduct('live', productOf(code)),
        () => closed.noteCatalogUsers('live', [{ code, accountId: 1, skuId: 'a' }]),
        () => closed.readSharedCodes('live', [code]),
        () => closed.readCatalogUsers('live', code, undefined, 1),
      ];
      for (const call of calls) await assert.rejects(call, StoreUnavailableError, call.toString());
    });
  });
}

/** By account, then by the bytes of the SKU id. */
function inOrder(offers: readonly OfferReference[]): OfferReference[] {
  return offers.toSorted(
    (one, other) => one.accountId - other.accountId || Buffer.compare(Buffer.from(one.skuId), Buffer.from(other.skuId)),
  );
}
