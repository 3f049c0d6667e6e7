/** That words of offers that were erased are nowhere in the file, and that a sweep lists old offers. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { reviewOf } from '../contract/due-offers.ts';
import { AUTHOR, NOW_MS } from '../contract/subject.ts';
import { LIST_LIMITS, NO_FILTER, type OfferListRequest } from '../port/offer-list.ts';
import { SWEEP_KIND } from '../port/review.ts';
import type { Store } from '../port.ts';
import { openForWriting } from './engine.ts';
import { MIGRATIONS } from './migration-list.ts';
import { migrate } from './migrations.ts';
import { openSqliteMoves, openSqliteStore } from './open.ts';
import { openStoreFor } from './testing/open-for.ts';
import { temporaryDir } from './testing/temporary-dir.ts';

async function judgeAll(store: Store, accountId: number, words: readonly string[]): Promise<void> {
  const due = await store.review.readDueOffers(accountId, 1000);
  const listing = { titleKey: '', categoryId: null, words };
  await store.review.storeReviews(
    accountId,
    due.map((offer) => ({ ...reviewOf(offer), evidence: '{}', listing })),
    NOW_MS,
  );
}

function byWords(words: readonly string[]): OfferListRequest {
  return { ...NO_FILTER, words, sort: 'newest', after: undefined, limit: 5, limits: LIST_LIMITS };
}

test('words of offers that were erased leave no trace in the file', async () => {
  const dataDir = temporaryDir();
  const fileHas = (text: string) => readFileSync(join(dataDir, 'offerbook.db')).includes(text);
  const store = await openSqliteStore({ dataDir, onFatal: (error) => assert.fail(error) });
  for (let place = 0; place < 300; place++) {
    await store.offers.putSku({ accountId: 1, skuId: `s${place}`, by: AUTHOR }, '{}', NOW_MS);
  }
  await judgeAll(store, 1, ['xylophone', 'common']);
  await store.close();
  assert.ok(fileHas('xylophone'));
  const moves = await openSqliteMoves({ dataDir });
  await moves.eraseOffers(1, await moves.readLastOffer(1), 60_000);
  await moves.close();
  assert.equal(fileHas('xylophone'), false);
});

test('offers of a store that is older than the list are listed by a sweep', async (t) => {
  const dataDir = temporaryDir();
  const old = openForWriting(join(dataDir, 'offerbook.db'));
  const listing = MIGRATIONS.findIndex((text) => text.includes('CREATE TABLE offer_listing'));
  migrate(old, MIGRATIONS.slice(0, listing));
  old.exec(`
    INSERT INTO merchant VALUES ('m', 'M', 1, 0, 14, '[]');
    INSERT INTO account VALUES (7, 'm', 'live');
    INSERT INTO sku (id, account_id, sku_id, first_upload_ms, inventory_stamp_ms) VALUES (9, 7, 'old', 1, 1);
    INSERT INTO sku_document (sku, document, updated_ms) VALUES (9, '{}', 1);
    INSERT INTO review (sku, account_id, status, sub_statuses, judged_ms, evidence) VALUES (9, 7, 'available', '[]', 1, '{}');
  `);
  old.close();
  const store = await openStoreFor(t, { dataDir });
  const found = async () => (await store.offerList.listOffers(7, byWords(['red']))).offers.map(({ skuId }) => skuId);
  assert.deepEqual(await found(), []);
  assert.equal((await store.work.takeWork(SWEEP_KIND, 'a test', 60_000))?.accountId, 7);
  assert.equal(await store.review.sweep(7, 10), 'done');
  await judgeAll(store, 7, ['red']);
  assert.deepEqual(await found(), ['old']);
  assert.deepEqual([...(await store.offerList.readOfferCounts(7)).byStatus], [['missing', 1]]);
});
