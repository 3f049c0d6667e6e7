/** Tests that erasing offers also removes their search words from the database file. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { reviewOf } from '../../contract/due-offers.ts';
import { putSku } from '../../contract/put-parts.ts';
import { AUTHOR, NOW_MS } from '../../contract/subject.ts';
import type { Store } from '../../port.ts';
import { openSqliteMoves, openSqliteStore } from '../open.ts';
import { temporaryDir } from '../testing/temporary-dir.ts';

async function reviewAll(store: Store, accountId: number, words: readonly string[]): Promise<void> {
  const due = await store.review.readDueOffers(accountId, 1000);
  const listing = { titleKey: '', categoryId: null, words };
  await store.review.storeReviews(
    accountId,
    due.map((offer) => ({ ...reviewOf(offer), evidence: '{}', listing })),
    NOW_MS,
  );
}

test('search words of erased offers are no longer in the database file', async () => {
  const dataDir = temporaryDir();
  const fileHas = (text: string) => readFileSync(join(dataDir, 'offerbook.db')).includes(text);
  const store = await openSqliteStore({ dataDir, onFatal: (error) => assert.fail(error) });
  for (let place = 0; place < 300; place++) {
    await putSku(store.offers, { accountId: 1, skuId: `s${place}`, by: AUTHOR }, '{}', NOW_MS);
  }
  await reviewAll(store, 1, ['xylophone', 'common']);
  await store.close();
  assert.ok(fileHas('xylophone'));
  const moves = await openSqliteMoves({ dataDir });
  await moves.eraseOffers(1, await moves.readLastOffer(1), 60_000);
  await moves.close();
  assert.equal(fileHas('xylophone'), false);
});
