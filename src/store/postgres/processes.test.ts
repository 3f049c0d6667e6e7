/** Tests races between processes on one database, and lost connections. Two stores represent two processes. */

import assert from 'node:assert/strict';
import { before, describe, type TestContext, test } from 'node:test';
import { timedIt } from '../../../test/harness/lost-time.ts';
import {
  patchInventory,
  putGroup,
  putPrice,
  putShippingExceptions,
  putSku,
  setArchived,
} from '../contract/put-parts.ts';
import { readGroup } from '../contract/read-parts.ts';
import { AUTHOR, documentOf, drawNumber, LATER_MS, NOW_MS, newAccountId } from '../contract/subject.ts';
import { StoreUnavailableError } from '../port/errors.ts';
import type { WriteKey } from '../port/offers.ts';
import type { Store } from '../port.ts';
import { type Database, openDatabase, statement } from './engine/engine.ts';
import { openPostgresStore, type PostgresStoreOptions } from './open.ts';
import { postgresSkipped } from './testing/availability.ts';
import { HOLD_ROW, threeSkus, untilWaiting, whileHeld } from './testing/held-rows.ts';
import { createReadyDatabase, PATIENCE } from './testing/test-database.ts';

const STOCK_OF_NUMBER = statement('test stock of number')`
  UPDATE offer SET inventory = $3, inventory_number = $4 WHERE account_id = $1 AND sku_id = $2`;
const KILL = statement('test end backend')`SELECT pg_terminate_backend($1::integer, 5000)`;
const KILL_OTHERS = statement('test end backends')`
  SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`;

const price = (amount: number) => ({ price: amount, nodes: [] });
const zeroed = (nodeId: string) => {
  return { nodes: [{ ...quantity(nodeId, 0), updatedMs: LATER_MS }], stampMs: null };
};
const quantity = (nodeId: string, amount: number) => ({ fulfillment_node_id: nodeId, quantity: amount });

describe('processes on one PostgreSQL', { skip: postgresSkipped() }, () => {
  let url: string;

  before(async () => {
    ({ url } = await createReadyDatabase());
  });

  async function openFor(t: TestContext, options: Partial<PostgresStoreOptions> = {}): Promise<Store> {
    const store = await openPostgresStore({ url, ...PATIENCE, ...options });
    t.after(() => store.close());
    return store;
  }

  async function openTwo(t: TestContext): Promise<[Store, Store, Database]> {
    const database = openDatabase({ url, ...PATIENCE });
    t.after(() => database.close());
    return [await openFor(t), await openFor(t), database];
  }

  test('a price that waits behind an archive is refused, and one that came before it stays', async (t) => {
    const [first, second, database] = await openTwo(t);
    const key = { accountId: newAccountId(), skuId: 'shirt', by: AUTHOR };
    await putSku(first.offers, key, documentOf(), NOW_MS);
    await putPrice(first.offers, key, price(1), NOW_MS);
    const outcomes: Promise<string>[] = [];
    await whileHeld(database, key, async () => {
      outcomes.push(setArchived(first.offers, key, true, LATER_MS));
      await untilWaiting(database, 1);
      outcomes.push(putPrice(second.offers, key, price(2), LATER_MS));
      await untilWaiting(database, 2);
    });
    assert.deepEqual(await Promise.all(outcomes), ['stored', 'archived']);
    assert.deepEqual(await second.offers.readPrice(key), { ...price(1), updatedMs: NOW_MS });
  });

  test('no price is stored after an archive was confirmed, in any race', async (t) => {
    const [first, second] = await openTwo(t);
    const accountId = newAccountId();
    for (let round = 0; round < 30; round++) {
      const key = { accountId, skuId: `sku-${round}`, by: AUTHOR };
      await putSku(first.offers, key, documentOf(), NOW_MS);
      let archived = false;
      const archiving = setArchived(first.offers, key, true, LATER_MS).then(() => {
        archived = true;
      });
      const pricing = (async () => {
        for (let amount = 1; ; amount++) {
          const sentAfter: boolean = archived;
          const outcome = await putPrice(second.offers, key, price(amount), LATER_MS);
          if (outcome === 'archived') return amount - 1;
          assert.equal(outcome, 'stored');
          assert.equal(sentAfter, false, 'A price was stored after a confirmed archive.');
        }
      })();
      const [last] = await Promise.all([pricing, archiving]);
      const stored = await first.offers.readPrice(key);
      assert.deepEqual(stored, last === 0 ? 'unset' : { ...price(last), updatedMs: LATER_MS });
    }
  });

  test('two patches of one SKU on different nodes are both kept', async (t) => {
    const [first, second, database] = await openTwo(t);
    const key = { accountId: newAccountId(), skuId: 'shirt', by: AUTHOR };
    await putSku(first.offers, key, documentOf(), NOW_MS);
    const outcomes: Promise<string>[] = [];
    await whileHeld(database, key, async () => {
      outcomes.push(patchInventory(first.offers, key, [quantity('a', 1)], NOW_MS));
      outcomes.push(patchInventory(second.offers, key, [quantity('b', 2)], NOW_MS));
      await untilWaiting(database, 2);
    });
    assert.deepEqual(await Promise.all(outcomes), ['stored', 'stored']);
    assert.deepEqual((await first.offers.readInventory(key))?.nodes, [
      { ...quantity('a', 1), updatedMs: NOW_MS },
      { ...quantity('b', 2), updatedMs: NOW_MS },
    ]);
  });

  test('stock that is stored while an archive waits is zeroed by it', async (t) => {
    const [first, second, database] = await openTwo(t);
    const key = { accountId: newAccountId(), skuId: 'shirt', by: AUTHOR };
    await putSku(first.offers, key, documentOf(), NOW_MS);
    const outcomes: Promise<string>[] = [];
    await whileHeld(database, key, async () => {
      outcomes.push(patchInventory(first.offers, key, [quantity('a', 1)], NOW_MS));
      await untilWaiting(database, 1);
      outcomes.push(setArchived(second.offers, key, true, LATER_MS));
      await untilWaiting(database, 2);
    });
    assert.deepEqual(await Promise.all(outcomes), ['stored', 'stored']);
    assert.deepEqual(await first.offers.readInventory(key), zeroed('a'));
  });

  test('an archive zeroes stock with a higher number that was stored before it', async (t) => {
    const [first, , database] = await openTwo(t);
    const key = { accountId: newAccountId(), skuId: 'shirt', by: AUTHOR };
    await putSku(first.offers, key, documentOf(), NOW_MS);
    await database.run(STOCK_OF_NUMBER, [key.accountId, key.skuId, '{"a": [1, 1, 1000000]}', 1_000_000]);
    assert.equal(await setArchived(first.offers, key, true, LATER_MS), 'stored');
    assert.deepEqual(await first.offers.readInventory(key), zeroed('a'));
  });

  test('stock that finds newer stock, or a zeroing, is stored after it, with a higher number', async (t) => {
    const [first, second, database] = await openTwo(t);
    const [a, b, c] = await threeSkus(first);
    const outcomes: Promise<string>[] = [];
    let newest = 0;
    await whileHeld(database, a, async () => {
      // These writes share one statement, which has drawn its number and waits for the lock on its first row.
      outcomes.push(...[a, b, c].map((key) => patchInventory(first.offers, key, [quantity('n', 1)], LATER_MS)));
      await untilWaiting(database, 1);
      assert.equal(await patchInventory(second.offers, b, [quantity('n', 2), quantity('m', 2)], NOW_MS), 'stored');
      for (const archived of [true, false]) await setArchived(second.offers, c, archived, NOW_MS);
      newest = await drawNumber(second);
    });
    assert.deepEqual(await Promise.all(outcomes), ['stored', 'stored', 'stored']);
    const stored = { ...quantity('n', 1), updatedMs: LATER_MS };
    assert.deepEqual((await first.offers.readInventory(b))?.nodes, [
      { ...quantity('m', 2), updatedMs: NOW_MS },
      stored,
    ]);
    assert.deepEqual((await first.offers.readInventory(c))?.nodes, [stored]);
    for (const key of [b, c]) assert.ok(((await first.offers.readNumbers(key))?.nodes.get('n') ?? 0) > newest);
  });

  test('a price that finds a newer one counts as earlier', async (t) => {
    const [first, second, database] = await openTwo(t);
    const [a, b] = await threeSkus(first);
    const outcomes: Promise<string>[] = [];
    await whileHeld(database, a, async () => {
      outcomes.push(...[a, b].map((key) => putPrice(first.offers, key, price(1), NOW_MS)));
      await untilWaiting(database, 1);
      assert.equal(await putPrice(second.offers, b, price(2), LATER_MS), 'stored');
    });
    assert.deepEqual(await Promise.all(outcomes), ['stored', 'stored']);
    assert.deepEqual(await first.offers.readPrice(a), { ...price(1), updatedMs: NOW_MS });
    assert.deepEqual(await first.offers.readPrice(b), { ...price(2), updatedMs: LATER_MS });
  });

  test('groups that share a member are numbered in the order in which they are stored', async (t) => {
    const [first, second, database] = await openTwo(t);
    const [a, b, c] = await threeSkus(first);
    const group = { refinements: '[119]', title: null, childrenSkus: [c.skuId] };
    const outcomes: Promise<unknown>[] = [];
    await whileHeld(database, a, async () => {
      outcomes.push(putGroup(first.offers, a, group, NOW_MS));
      await untilWaiting(database, 1);
      assert.equal(await putGroup(second.offers, b, group, NOW_MS), 'stored');
    });
    assert.deepEqual(await Promise.all(outcomes), ['stored']);
    assert.deepEqual(await readGroup(first.offers, a), group);
    const numbers = await Promise.all([b, a].map(async (key) => (await first.offers.readNumbers(key))?.variation ?? 0));
    assert.ok((numbers[0] ?? 0) < (numbers[1] ?? 0), numbers.join());
  });

  test('a child that is archived while its group is sent is either in the group or refused', async (t) => {
    const [first, second, database] = await openTwo(t);
    const accountId = newAccountId();
    const at = (skuId: string) => ({ accountId, skuId, by: AUTHOR });
    for (const skuId of ['p', 'c1', 'c2']) await putSku(first.offers, at(skuId), documentOf(), NOW_MS);
    const group = { refinements: '[119]', title: null, childrenSkus: ['c1', 'c2'] };

    const archivedFirst: Promise<unknown>[] = [];
    await whileHeld(database, at('c2'), async () => {
      archivedFirst.push(setArchived(second.offers, at('c2'), true, NOW_MS));
      await untilWaiting(database, 1);
      archivedFirst.push(putGroup(first.offers, at('p'), group, NOW_MS));
      await untilWaiting(database, 2);
    });
    assert.deepEqual(await Promise.all(archivedFirst), ['stored', { refused: [{ skuId: 'c2', state: 'archived' }] }]);
    assert.equal(await readGroup(first.offers, at('p')), 'unset');

    await setArchived(second.offers, at('c2'), false, NOW_MS);
    const groupedFirst: Promise<unknown>[] = [];
    await whileHeld(database, at('c2'), async () => {
      groupedFirst.push(putGroup(first.offers, at('p'), group, NOW_MS));
      await untilWaiting(database, 1);
      groupedFirst.push(setArchived(second.offers, at('c2'), true, NOW_MS));
      await untilWaiting(database, 2);
    });
    assert.deepEqual(await Promise.all(groupedFirst), ['stored', 'stored']);
    assert.deepEqual(await readGroup(second.offers, at('p')), group);
  });

  test('two groups that claim one child at once: it is in one of them', async (t) => {
    const [first, second] = await openTwo(t);
    const accountId = newAccountId();
    const at = (skuId: string) => ({ accountId, skuId, by: AUTHOR });
    for (const skuId of ['p', 'q', 'c']) await putSku(first.offers, at(skuId), documentOf(), NOW_MS);
    const group = { refinements: '[119]', title: null, childrenSkus: ['c'] };
    for (let round = 0; round < 10; round++) {
      await Promise.all([
        putGroup(first.offers, at('p'), group, NOW_MS),
        putGroup(second.offers, at('q'), group, NOW_MS),
      ]);
      const groups = await Promise.all([readGroup(first.offers, at('p')), readGroup(first.offers, at('q'))]);
      const children = groups.flatMap((read) => (typeof read === 'string' ? [] : read.childrenSkus));
      assert.deepEqual(children, ['c']);
    }
  });

  test('overlapping batches of many kinds in different orders are all stored', async (t) => {
    const [first, second] = await openTwo(t);
    const accountId = newAccountId();
    const keys = Array.from({ length: 60 }, (_, number) => ({ accountId, skuId: `sku-${number}`, by: AUTHOR }));
    await Promise.all(keys.map((key) => putSku(first.offers, key, documentOf(), NOW_MS)));
    const writeAll = (store: Store, order: readonly WriteKey[], turn: number) =>
      order.flatMap((key, index) => [
        index % 2 === 0
          ? putPrice(store.offers, key, price(turn), NOW_MS)
          : patchInventory(store.offers, key, [quantity('a', turn)], NOW_MS),
        index % 3 === 0
          ? putShippingExceptions(store.offers, key, '[]', NOW_MS)
          : putSku(store.offers, key, documentOf(), NOW_MS),
      ]);
    for (let turn = 0; turn < 20; turn++) {
      const outcomes = await Promise.all([
        ...writeAll(first, keys, turn),
        ...writeAll(second, keys.toReversed(), turn),
      ]);
      assert.deepEqual(new Set(outcomes), new Set(['stored']));
    }
  });

  test('a new SKU that two processes upload at once is stored once', async (t) => {
    const [first, second] = await openTwo(t);
    const accountId = newAccountId();
    const keys = Array.from({ length: 50 }, (_, number) => ({ accountId, skuId: `sku-${number}`, by: AUTHOR }));
    const uploads = [...keys.map((key) => putSku(first.offers, key, documentOf(), NOW_MS))];
    uploads.push(...keys.toReversed().map((key) => putSku(second.offers, key, documentOf(), NOW_MS)));
    assert.deepEqual(new Set(await Promise.all(uploads)), new Set(['stored']));
    const page = await first.offers.listSkus(accountId, { after: undefined, offset: 0, limit: 100 });
    assert.ok(page !== 'after_unknown');
    assert.deepEqual(new Set(page.skuIds), new Set(keys.map(({ skuId }) => skuId)));
    assert.equal(page.skuIds.length, keys.length);
  });

  test('a batch whose connection is ended fails as unavailable, and none of its writes is stored', async (t) => {
    const [first, , database] = await openTwo(t);
    const accountId = newAccountId();
    const at = (skuId: string) => ({ accountId, skuId, by: AUTHOR });
    for (const skuId of ['a', 'b']) await putSku(first.offers, at(skuId), documentOf(), NOW_MS);
    const outcomes: Promise<PromiseSettledResult<string>[]>[] = [];
    await whileHeld(database, at('b'), async () => {
      const writes = [
        putPrice(first.offers, at('a'), price(1), NOW_MS),
        patchInventory(first.offers, at('a'), [quantity('n', 1)], NOW_MS),
        putPrice(first.offers, at('b'), price(1), NOW_MS),
      ];
      outcomes.push(Promise.allSettled(writes));
      const [waiting] = await untilWaiting(database, 1);
      await database.run(KILL, [waiting?.[0]]);
    });
    for (const outcome of (await outcomes[0]) ?? []) {
      assert.ok(outcome.status === 'rejected' && outcome.reason instanceof StoreUnavailableError);
    }
    for (const skuId of ['a', 'b']) assert.equal(await first.offers.readPrice(at(skuId)), 'unset');
    assert.deepEqual(await first.offers.readInventory(at('a')), { nodes: [], stampMs: NOW_MS });
    assert.equal(await putPrice(first.offers, at('a'), price(2), NOW_MS), 'stored');
  });

  timedIt('a write that waits too long for its row fails in time, and so does the next one', async (t) => {
    const [, , database] = await openTwo(t);
    const store = await openFor(t, { call_ms_max: 3_000 });
    const key = { accountId: newAccountId(), skuId: 'shirt', by: AUTHOR };
    await putSku(store.offers, key, documentOf(), NOW_MS);
    await whileHeld(database, key, async () => {
      const first = assert.rejects(putPrice(store.offers, key, price(1), NOW_MS), StoreUnavailableError);
      await untilWaiting(database, 1);
      const startMs = performance.now();
      // The next batch of the account waits behind it, but must not wait twice as long.
      const second = assert.rejects(putPrice(store.offers, key, price(2), NOW_MS), StoreUnavailableError);
      await Promise.all([first, second]);
      assert.ok(performance.now() - startMs < 5_000);
    });
    assert.equal(await putPrice(store.offers, key, price(3), NOW_MS), 'stored');
    assert.deepEqual(await store.offers.readPrice(key), { ...price(3), updatedMs: NOW_MS });
  });

  timedIt('while writes of many accounts wait for rows, rate counters, leases and lists still work', async (t) => {
    const [, , database] = await openTwo(t);
    // Leaves two connections for writes, even on Citus with two workers, where reads share three.
    const store = await openFor(t, { connections_max: 7 });
    const keys = Array.from({ length: 8 }, () => ({ accountId: newAccountId(), skuId: 'shirt', by: AUTHOR }));
    const [held] = keys as [WriteKey];
    for (const key of keys) await putSku(store.offers, key, documentOf(), NOW_MS);
    const waiting: Promise<string>[] = [];
    await database.inTransaction(async (connection) => {
      for (const { accountId, skuId } of keys) await connection.run(HOLD_ROW, [accountId, skuId]);
      waiting.push(...keys.map((key) => putPrice(store.offers, key, price(1), NOW_MS)));
      await untilWaiting(database, 2);
      const startMs = performance.now();
      await store.settings.readSetupVersion();
      await store.ping();
      await store.rateCounters?.swapRateCounter(held.accountId, 0, '{}');
      await store.offers.listSkus(held.accountId, { after: undefined, offset: 0, limit: 1 });
      assert.ok(performance.now() - startMs < 9_000, 'they must not wait');
    });
    assert.deepEqual(new Set(await Promise.all(waiting)), new Set(['stored']));
  });

  test('when the server ends all connections, the store reconnects by itself', async (t) => {
    const [first, second, database] = await openTwo(t);
    const key = { accountId: newAccountId(), skuId: 'shirt', by: AUTHOR };
    await putSku(first.offers, key, documentOf(), NOW_MS);
    await Promise.all([first.offers.readPrice(key), second.offers.readPrice(key), first.ping()]);
    await database.run(KILL_OTHERS);
    for (const store of [first, second]) {
      // Calls may fail only until the store notices that the connection has ended.
      await store.ping().catch((error: unknown) => assert.ok(error instanceof StoreUnavailableError));
      await store.ping();
      assert.equal(await putPrice(store.offers, key, price(1), NOW_MS), 'stored');
      assert.equal(await store.offers.readSkuState(key), 'open');
    }
  });
});
