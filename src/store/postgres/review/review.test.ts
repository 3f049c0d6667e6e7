/** Tests that a review never clears the mark of a later write, whatever the order of commits. */

import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { dueIds, evidenceFor, reviewOf } from '../../contract/due-offers.ts';
import { patchInventory, putPrice, putSku } from '../../contract/put-parts.ts';
import { AUTHOR, documentOf, LATER_MS, NOW_MS } from '../../contract/subject.ts';
import { AccountUnavailableError, StoreUnavailableError } from '../../port/errors.ts';
import type { WriteKey } from '../../port/offers.ts';
import type { DueOffer } from '../../port/review.ts';
import type { Store } from '../../port.ts';
import { announceForgotten, readReviewFigures } from '../../shared/review/review-reads.ts';
import { type Database, openDatabase, type Statement, statement } from '../engine/engine.ts';
import { openPostgresStore } from '../open.ts';
import { postgresSkipped } from '../testing/availability.ts';
import { untilWaiting, whileHeld } from '../testing/held-rows.ts';
import { createReadyDatabase, PATIENCE } from '../testing/test-database.ts';

/** Imitates a process that drew its number earlier and commits later. */
const UPLOAD_LATE = statement<[]>('test upload late')`
  UPDATE offer SET document = '{"late":true}', review_mark = review_mark - 1, review_marked_again = NULL
  WHERE account_id = $1`;
const PRICE_LATE = statement<[]>('test price late')`
  UPDATE offer SET price = 1, review_marked_again = review_mark - 1 WHERE account_id = $1`;

const KEY: WriteKey = { accountId: 1, skuId: 'a', by: AUTHOR };
const PRICE = { price: 1, nodes: [] };
const STOCK = [{ fulfillment_node_id: 'n1', quantity: 1 }];

describe('accounts whose database node does not respond', () => {
  /** Accounts 1 to 3, each with one due offer; account 2 cannot be read. */
  function databaseWithout2(error: Error) {
    const announced: unknown[] = [];
    const read = async ({ name }: Statement, [accountId, announcedId]: readonly unknown[] = []): Promise<unknown[]> => {
      if (name === 'announce work') announced.push(announcedId);
      if (name === 'list account ids') return [[1], [2], [3]];
      if (name === 'find accounts in review') return isCounting ? [[1], [2], [3]] : [];
      if (accountId === 2) throw error;
      if (name === 'read review figures') return [[1, 5, 500]];
      return name === 'find due offer' ? [['sku']] : [];
    };
    let isCounting = false;
    const database = { run: read } as unknown as Database;
    return {
      announced,
      announce: () => announceForgotten(database),
      count: () => {
        isCounting = true;
        return readReviewFigures(database);
      },
    };
  }

  test('are excluded from the figures, and counted separately', async () => {
    const { count } = databaseWithout2(new AccountUnavailableError('The node does not respond.'));
    const { due, oldestDue_ms, accountsMissing } = await count();
    assert.deepEqual([due, accountsMissing], [2, 1]);
    assert.ok(oldestDue_ms > 0);
  });

  test('do not prevent announcements for other accounts', async () => {
    const { announce, announced } = databaseWithout2(new AccountUnavailableError('The node does not respond.'));
    await announce();
    assert.deepEqual(announced, [1, 3]);
  });

  test('a database that does not respond at all is an error', async () => {
    const { count, announce } = databaseWithout2(new StoreUnavailableError('The database does not respond.'));
    await assert.rejects(announce(), /The database does not respond/);
    await assert.rejects(count(), /The database does not respond/);
  });
});

describe('marks of due offers on PostgreSQL', { skip: postgresSkipped() }, () => {
  async function openBoth(t: TestContext): Promise<{ store: Store; database: Database }> {
    const { url } = await createReadyDatabase();
    const store = await openPostgresStore({ url, ...PATIENCE });
    const database = openDatabase({ url, ...PATIENCE });
    t.after(() => Promise.all([store.close(), database.close()]));
    await putSku(store.offers, KEY, documentOf(), NOW_MS);
    return { store, database };
  }

  async function firstDue(store: Store): Promise<DueOffer> {
    return (await store.review.readDueOffers(1, 1))[0] ?? assert.fail('Nothing is due.');
  }

  test('a write with a lower number that is committed later leaves the offer due', async (t) => {
    const { store, database } = await openBoth(t);
    const reviewed = await firstDue(store);
    await database.run(UPLOAD_LATE, [1]);
    await store.review.storeReviews(1, [reviewOf(reviewed)], NOW_MS);
    const late = await firstDue(store);
    assert.equal(late.document, '{"late":true}');
    assert.deepEqual((await store.offers.readOffer(KEY))?.evidence, {});
    await store.review.storeReviews(1, [reviewOf(late)], NOW_MS);
    assert.deepEqual(await store.review.readDueOffers(1, 1), []);
  });

  test('a late write that kept the place of the offer in the queue leaves it due, too', async (t) => {
    const { store, database } = await openBoth(t);
    const reviewed = await firstDue(store);
    await database.run(PRICE_LATE, [1]);
    await store.review.storeReviews(1, [reviewOf(reviewed)], NOW_MS);
    const late = await firstDue(store);
    assert.ok(late.priced && late.evidence.images === undefined);
    await store.review.storeReviews(1, [reviewOf(late)], NOW_MS);
    assert.deepEqual(await store.review.readDueOffers(1, 1), []);
  });

  test('the first price and the first stock keep the place of a due offer', async (t) => {
    const { store } = await openBoth(t);
    for (const skuId of ['b', 'c'])
      await putSku(store.offers, { accountId: 1, skuId, by: AUTHOR }, documentOf(), NOW_MS);
    await putPrice(store.offers, KEY, PRICE, LATER_MS);
    await patchInventory(store.offers, { accountId: 1, skuId: 'b', by: AUTHOR }, STOCK, LATER_MS);
    assert.deepEqual(await dueIds(store, 1), ['a', 'b', 'c']);
    await putSku(store.offers, KEY, documentOf('New'), LATER_MS);
    assert.deepEqual(await dueIds(store, 1), ['b', 'c', 'a'], 'an upload moves it behind the others');
  });

  test('a review and a price that race for the row: the price is reviewed, in either order', async (t) => {
    const { store, database } = await openBoth(t);
    for (const first of ['verdict', 'price'] as const) {
      await putSku(store.offers, KEY, documentOf(first), NOW_MS);
      const reviewed = await firstDue(store);
      assert.equal(reviewed.priced, first === 'price', 'in the second round the offer has a price');
      const calls = {
        verdict: () => store.review.storeReviews(1, [reviewOf(reviewed)], NOW_MS),
        price: () =>
          first === 'price'
            ? patchInventory(store.offers, KEY, STOCK, NOW_MS)
            : putPrice(store.offers, KEY, PRICE, NOW_MS),
      };
      const second = first === 'price' ? 'verdict' : 'price';
      let running: Promise<unknown>[] = [];
      await whileHeld(database, KEY, async () => {
        running = [calls[first]()];
        await untilWaiting(database, 1);
        running.push(calls[second]());
        await untilWaiting(database, 2);
      });
      await Promise.all(running);
      const left = await firstDue(store);
      assert.notEqual(left.mark, reviewed.mark);
      assert.deepEqual(
        left.evidence,
        evidenceFor(reviewed.document),
        `the verdict of the earlier state is kept, ${first} first`,
      );
      assert.deepEqual([left.priced, left.stockNodeIds], [true, first === 'price' ? ['n1'] : []]);
      await store.review.storeReviews(1, [reviewOf(left)], NOW_MS);
      assert.deepEqual(await dueIds(store, 1), []);
    }
  });
});
