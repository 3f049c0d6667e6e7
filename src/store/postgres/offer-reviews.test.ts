/** That a judgement is not taken for that of another write, whatever the order in which processes commit. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reviewOf } from '../contract/due-offers.ts';
import { documentOf, NOW_MS } from '../contract/subject.ts';
import { openDatabase, statement } from './engine.ts';
import { openPostgresStore } from './open.ts';
import { postgresSkipped } from './testing/availability.ts';
import { createReadyDatabase } from './testing/test-database.ts';

/** As a process does that drew its number earlier, and commits later. */
const WRITE_LATE = statement<[]>(
  'test write late',
  `UPDATE offer SET document = '{"late":true}', review_mark = review_mark - 1 WHERE account_id = $1`,
);

test('a write with a lower number that is committed later leaves the offer due', {
  skip: postgresSkipped(),
}, async (t) => {
  const { url } = await createReadyDatabase();
  const store = await openPostgresStore({ url });
  const database = openDatabase({ url });
  t.after(() => Promise.all([store.close(), database.close()]));
  const key = { accountId: 1, skuId: 'a' };
  await store.putSku(key, documentOf(), NOW_MS);
  const [judged] = await store.readDueOffers(1, 1);
  assert.ok(judged);
  await database.run(WRITE_LATE, [1]);
  await store.storeReviews(1, [reviewOf(judged)], NOW_MS);
  const [late] = await store.readDueOffers(1, 1);
  assert.equal(late?.document, '{"late":true}');
  assert.equal((await store.readOffer(key))?.evidence, null);
  await store.storeReviews(1, [reviewOf(late ?? assert.fail())], NOW_MS);
  assert.deepEqual(await store.readDueOffers(1, 1), []);
});
