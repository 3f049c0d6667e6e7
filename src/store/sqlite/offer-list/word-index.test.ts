/** Tests the word index: what it finds while changes wait, and what erasing offers leaves in the database file. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { LIST_LIMITS, NO_FILTER } from '../../../domain/offers/offer-list.ts';
import { reviewOf, wordsIndexed } from '../../contract/due-offers.ts';
import { putSku } from '../../contract/put-parts.ts';
import { AUTHOR, NOW_MS } from '../../contract/subject.ts';
import type { Store } from '../../port.ts';
import { openSqliteMoves, openSqliteStore } from '../open.ts';
import { temporaryDir } from '../testing/temporary-dir.ts';

/** More than a step indexes. */
const OFFERS = 600;

async function upload(store: Store, accountId: number, offers: number): Promise<void> {
  const skuIds = Array.from({ length: offers }, (_, position) => `s${position}`);
  await Promise.all(skuIds.map((skuId) => putSku(store.offers, { accountId, skuId, by: AUTHOR }, '{}', NOW_MS)));
}

/** Uploads the offers again and reviews them, with these words. */
async function reviewAll(store: Store, accountId: number, offers: number, words: readonly string[]): Promise<void> {
  await upload(store, accountId, offers);
  const due = await store.review.readDueOffers(accountId, offers);
  const listing = { titleKey: '', categoryId: null, words };
  await store.review.storeReviews(
    accountId,
    due.map((offer) => ({ ...reviewOf(offer), evidence: {}, listing })),
    NOW_MS,
  );
}

async function found(store: Store, accountId: number, word: string): Promise<number> {
  // Walks few offers, so that the page comes from the index.
  const limits = { ...LIST_LIMITS, first_examined_max: 1 };
  const request = { ...NO_FILTER, words: [word], sort: 'oldest', after: undefined, limit: OFFERS, limits } as const;
  return (await store.offerList.listOffers(accountId, request)).offers.length;
}

async function openStore(t: { after(end: () => Promise<void>): void }, dataDir = temporaryDir()) {
  const store = await openSqliteStore({ dataDir, onFatal: (error) => assert.fail(error) });
  t.after(() => store.close());
  return store;
}

test('a search finds no offer by a word that it no longer has, and the new word once it is indexed', async (t) => {
  const store = await openStore(t);
  await reviewAll(store, 1, OFFERS, ['common', 'yellow']);
  await reviewAll(store, 2, 3, ['common']);
  assert.equal(await found(store, 1, 'yellow'), 0, 'nothing is indexed yet');
  await wordsIndexed(store);
  assert.equal(await found(store, 1, 'yel'), OFFERS);
  await reviewAll(store, 1, OFFERS, ['common', 'green']);
  assert.equal(await found(store, 1, 'yellow'), 0, 'the index still has it');
  assert.equal(await found(store, 1, 'common'), OFFERS);
  await wordsIndexed(store);
  assert.deepEqual(await Promise.all(['yellow', 'green', 'common'].map((word) => found(store, 1, word))), [
    0,
    OFFERS,
    OFFERS,
  ]);
  assert.equal(await found(store, 2, 'common'), 3);
});

test('changes of one offer that are indexed together add up', async (t) => {
  const store = await openStore(t);
  for (const words of [['one', 'two'], ['two', 'three'], [], ['one', 'four'], ['four']])
    await reviewAll(store, 1, 1, words);
  await reviewAll(store, 1, 2, ['four']);
  await wordsIndexed(store);
  assert.deepEqual(
    await Promise.all(['one', 'two', 'three', 'four'].map((word) => found(store, 1, word))),
    [0, 0, 0, 2],
  );
});

test('words that a closed store left are indexed by the next one', async (t) => {
  const dataDir = temporaryDir();
  const first = await openSqliteStore({ dataDir, onFatal: (error) => assert.fail(error) });
  await reviewAll(first, 1, 20, ['left']);
  await first.close();
  const store = await openStore(t, dataDir);
  await wordsIndexed(store);
  assert.equal(await found(store, 1, 'left'), 20);
});

test('words that erased offers have or had are no longer in the database file', async () => {
  const dataDir = temporaryDir();
  const fileHas = (text: string) => readFileSync(join(dataDir, 'offerbook.db')).includes(text);
  const store = await openSqliteStore({ dataDir, onFatal: (error) => assert.fail(error) });
  await reviewAll(store, 2, OFFERS, ['staying']);
  // Enough segments that some are merged, which frees pages.
  for (const words of [['marimba'], ['xylophone', 'drum'], ['xylophone'], ['zither', 'xylophone'], ['xylophone']]) {
    await reviewAll(store, 1, OFFERS, words);
    await wordsIndexed(store);
  }
  await reviewAll(store, 1, 10, ['vibraphone']);
  await store.close();
  assert.ok(fileHas('xylophone'));
  const moves = await openSqliteMoves({ dataDir });
  while ((await moves.eraseOffers(1, Number.MAX_SAFE_INTEGER, 60_000)).more);
  await moves.close();
  for (const word of ['marimba', 'xylophone', 'zither', 'vibraphone']) assert.equal(fileHas(word), false, word);
  assert.ok(fileHas('staying'));
  const after = await openSqliteStore({ dataDir, onFatal: (error) => assert.fail(error) });
  assert.equal(await found(after, 2, 'staying'), OFFERS);
  await after.close();
});
