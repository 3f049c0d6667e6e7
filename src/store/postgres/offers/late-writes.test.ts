/**
 * Tests that the statement of an abandoned call, which PostgreSQL may run much later, does not overwrite data that was stored in
 * between with a higher sequence number.
 */

import assert from 'node:assert/strict';
import { before, describe, type TestContext, test } from 'node:test';
import {
  patchInventory,
  putPrice,
  putReturnLocations,
  putShippingExceptions,
  putSku,
  setArchived,
} from '../../contract/put-parts.ts';
import { readReturnLocations, readShippingExceptions } from '../../contract/read-parts.ts';
import { documentOf, LATER_MS, NOW_MS } from '../../contract/subject.ts';
import type { WriteKey } from '../../port/offers.ts';
import type { Store } from '../../port.ts';
import { type Database, openDatabase, statement } from '../engine/engine.ts';
import { openPostgresStore, type PostgresStoreOptions } from '../open.ts';
import { postgresSkipped } from '../testing/availability.ts';
import { threeSkus, WAITING, whileHeld } from '../testing/held-rows.ts';
import { createReadyDatabase, PATIENCE } from '../testing/test-database.ts';

const IS_THERE = statement('test is there')`SELECT 1 FROM pg_stat_activity WHERE pid = $1`;

interface LateWrite {
  write(store: Store, key: WriteKey, turn: string): Promise<unknown>;
  read(store: Store, key: WriteKey): unknown;
}

const price = (amount: number) => ({ price: amount, nodes: [] });
const quantity = (nodeId: string, amount: number) => ({ fulfillment_node_id: nodeId, quantity: amount });

const LATE: Readonly<Record<string, LateWrite>> = {
  document: {
    write: (store, key, turn) => putSku(store.offers, key, documentOf(turn), NOW_MS),
    read: async (store, key) => (await store.offers.readOffer(key))?.document,
  },
  price: {
    write: (store, key, turn) => putPrice(store.offers, key, price(turn.length), NOW_MS),
    read: (store, key) => store.offers.readPrice(key),
  },
  stock: {
    write: (store, key, turn) => patchInventory(store.offers, key, [quantity('n', turn.length)], NOW_MS),
    read: (store, key) => store.offers.readInventory(key),
  },
  'shipping exceptions': {
    write: (store, key, turn) => putShippingExceptions(store.offers, key, JSON.stringify([turn]), NOW_MS),
    read: (store, key) => readShippingExceptions(store.offers, key),
  },
  'return locations': {
    write: (store, key, turn) => putReturnLocations(store.offers, key, [turn], NOW_MS),
    read: (store, key) => readReturnLocations(store.offers, key),
  },
};

describe('a write that timed out and that PostgreSQL continues later', { skip: postgresSkipped() }, () => {
  let url: string;

  before(async () => {
    ({ url } = await createReadyDatabase());
  });

  async function openFor(t: TestContext, options: Partial<PostgresStoreOptions> = {}): Promise<Store> {
    const store = await openPostgresStore({ url, ...PATIENCE, ...options });
    t.after(() => store.close());
    return store;
  }

  async function openBoth(t: TestContext): Promise<[Store, Database]> {
    const database = openDatabase({ url, ...PATIENCE });
    t.after(() => database.close());
    return [await openFor(t), database];
  }

  for (const [part, { write, read }] of Object.entries(LATE)) {
    test(`${part}: data stored in between stays`, async (t) => {
      const [first, database] = await openBoth(t);
      const [a, b] = await threeSkus(first);
      await givenUp(
        t,
        database,
        [a, b],
        (store, key) => write(store, key, 'late'),
        async () => {
          assert.equal(await write(first, b, 'newer'), 'stored');
        },
      );
      assert.equal(await write(first, a, 'newer'), 'stored');
      assert.deepEqual(await read(first, b), await read(first, a));
    });
  }

  test('stock: a zeroing stored in between stays', async (t) => {
    const [first, database] = await openBoth(t);
    const [a, b] = await threeSkus(first);
    const patch = (store: Store, key: WriteKey) => patchInventory(store.offers, key, [quantity('n', 5)], NOW_MS);
    assert.equal(await patch(first, b), 'stored');
    await givenUp(t, database, [a, b], patch, async () => {
      for (const archived of [true, false]) await setArchived(first.offers, b, archived, LATER_MS);
    });
    const nodes = [{ ...quantity('n', 0), updatedMs: LATER_MS }];
    assert.deepEqual(await first.offers.readInventory(b), { nodes, stampMs: null });
  });

  test('archive: data written to the open offer in between stays, and it stays open', async (t) => {
    const [first, database] = await openBoth(t);
    const [a, b] = await threeSkus(first);
    await givenUp(
      t,
      database,
      [a, b],
      (store, key) => setArchived(store.offers, key, true, NOW_MS),
      async () => {
        assert.equal(await patchInventory(first.offers, b, [quantity('n', 5)], LATER_MS), 'stored');
        assert.equal(await setArchived(first.offers, b, false, LATER_MS), 'stored');
      },
    );
    assert.equal(await first.offers.readSkuState(b), 'open');
    assert.deepEqual((await first.offers.readInventory(b))?.nodes, [{ ...quantity('n', 5), updatedMs: LATER_MS }]);
  });

  /** Runs `write` for both offers in one batch, and holds it at the first until `meanwhile` is done. */
  async function givenUp(
    t: TestContext,
    database: Database,
    keys: readonly [WriteKey, WriteKey],
    write: (store: Store, key: WriteKey) => Promise<unknown>,
    meanwhile: () => Promise<void>,
  ): Promise<void> {
    const impatient = await openFor(t, { call_ms_max: 1_500 });
    let waiting: readonly (readonly [pid: number, query: string])[] = [];
    await whileHeld(database, keys[0], async () => {
      let writes: Promise<readonly PromiseSettledResult<unknown>[]>;
      do {
        let isOver = false;
        writes = Promise.allSettled(keys.map((key) => write(impatient, key))).finally(() => {
          isOver = true;
        });
        // On a busy machine they may be abandoned before PostgreSQL gets them. Then they are sent again.
        while (waiting.length === 0 && !isOver) waiting = await database.run(WAITING);
      } while (waiting.length === 0);
      for (const { status } of await writes) assert.equal(status, 'rejected');
      assert.deepEqual(pidsOf(await database.run(WAITING)), pidsOf(waiting), 'PostgreSQL still runs it');
      await meanwhile();
    });
    // The server notices the closed connection after it has run the statement.
    for (const [pid] of waiting) while ((await database.run(IS_THERE, [pid])).length > 0);
  }
});

function pidsOf(waiting: readonly (readonly [pid: number, query: string])[]): readonly number[] {
  return waiting.map(([pid]) => pid);
}
