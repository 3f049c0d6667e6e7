/**
 * Tests that the history shows exactly what each write replaced, even if processes write to the same offers at once. Two stores
 * represent two processes.
 */

import assert from 'node:assert/strict';
import { before, describe, type TestContext, test } from 'node:test';
import type { Author } from '../../../domain/author.ts';
import type { OfferChange } from '../../../domain/offers/history.ts';
import { startedFile } from '../../contract/bulk-files.ts';
import { historyOf } from '../../contract/history-contract.ts';
import { patchInventory, putPrice, putSku, setArchived } from '../../contract/put-parts.ts';
import { AUTHOR, NOW_MS, newAccountId, newKey, uploadedKey } from '../../contract/subject.ts';
import type { WriteKey } from '../../port/offers.ts';
import type { Store } from '../../port.ts';
import { openPostgresStore } from '../open.ts';
import { postgresSkipped } from '../testing/availability.ts';
import { createReadyDatabase, PATIENCE } from '../testing/test-database.ts';

const WRITERS: readonly Author[] = ['key:0', 'key:1'];
const ROUNDS = 40;

/** Each writer uses its own range of values. */
const numberOf = (writer: number, round: number) => round * WRITERS.length + writer + 1;
const writerOf = (number: number): Author => WRITERS[(number - 1) % WRITERS.length] as Author;

describe('history of processes on one PostgreSQL', { skip: postgresSkipped() }, () => historyOfProcesses(false));
describe('the same with records as on Citus', { skip: postgresSkipped() }, () => historyOfProcesses(true));

function historyOfProcesses(splitsWrites: boolean): void {
  let url: string;
  before(async () => {
    ({ url } = await createReadyDatabase());
  });

  async function openTwo(t: TestContext): Promise<readonly [Store, Store]> {
    const open = async () => {
      const store = await openPostgresStore({
        url,
        splitsWrites,
        ...PATIENCE,
      });
      t.after(() => store.close());
      return store;
    };
    return [await open(), await open()];
  }

  /** Each store writes its values one at a time, as fast as possible, while the other store does the same. */
  async function race(stores: readonly Store[], write: (store: Store, by: Author, number: number) => Promise<unknown>) {
    await Promise.all(
      stores.map(async (store, writer) => {
        for (let round = 0; round < ROUNDS; round++) {
          await write(store, WRITERS[writer] as Author, numberOf(writer, round));
        }
      }),
    );
  }

  /** A write that lost to a newer one changed nothing, and has no record. */
  function assertExact(changes: readonly OfferChange[], numberIn: (change: OfferChange) => number | undefined): void {
    for (const change of changes) assert.equal(writerOf(numberIn(change) ?? assert.fail()), change.by);
    assert.ok(changes.length <= ROUNDS * WRITERS.length);
    for (const by of WRITERS) assert.ok(changes.some((change) => change.by === by));
  }

  test('prices', async (t) => {
    const stores = await openTwo(t);
    const key = await uploadedKey(stores[0]);
    await race(stores, (store, by, price) => putPrice(store.offers, { ...key, by }, { price, nodes: [] }, NOW_MS));
    const changes = (await historyOf(stores[0], key)).slice(0, -1);
    assertExact(changes, (change) => (change.part === 'price' ? change.after?.price : undefined));
  });

  test('stock', async (t) => {
    const stores = await openTwo(t);
    const key = await uploadedKey(stores[0]);
    await race(stores, (store, by, quantity) =>
      patchInventory(store.offers, { ...key, by }, [{ fulfillment_node_id: 'n', quantity }], NOW_MS),
    );
    const changes = (await historyOf(stores[0], key)).slice(0, -1);
    assertExact(changes, (change) => (change.part === 'inventory' ? (change.nodes[0]?.after ?? undefined) : undefined));
  });

  test('documents, the first one included', async (t) => {
    const stores = await openTwo(t);
    for (let sku = 0; sku < 10; sku++) {
      const key = newKey();
      await race(stores, (store, by, number) =>
        putSku(store.offers, { ...key, by }, JSON.stringify({ number }), NOW_MS),
      );
      const changes = await historyOf(stores[0], key);
      assertExact(changes, (change) => (change.part === 'sku' ? JSON.parse(change.after ?? '{}').number : undefined));
    }
  });

  test('the flag and the stock that it zeroes', async (t) => {
    const stores = await openTwo(t);
    const key = await uploadedKey(stores[0]);
    const stock = [{ fulfillment_node_id: 'n', quantity: 1 }];
    await race(stores, async (store, by) => {
      await setArchived(store.offers, { ...key, by }, by === WRITERS[0], NOW_MS);
      await patchInventory(store.offers, { ...key, by }, stock, NOW_MS);
    });
    const flags = (await historyOf(stores[0], key)).filter((change) => change.part === 'archive');
    for (const { by, before, after } of flags) {
      assert.deepEqual([by === WRITERS[0], by !== WRITERS[0]], [after, before]);
    }
  });

  test('rows of files and concurrent single calls', async (t) => {
    const [store, other] = await openTwo(t);
    const accountId = newAccountId();
    const key: WriteKey = { accountId, skuId: 'a', by: AUTHOR };
    await putSku(store.offers, key, '{}', NOW_MS);
    const files = await Promise.all(Array.from({ length: 10 }, () => startedFile(store, 'Price', accountId)));
    await Promise.all([
      ...files.map((file, index) =>
        other.files.applyRows(
          file,
          file.progress,
          [{ part: 'price', skuId: 'a', price: 1000 + index, nodes: [] }],
          NOW_MS,
        ),
      ),
      ...Array.from({ length: 40 }, (_, number) =>
        putPrice(store.offers, key, { price: number + 1, nodes: [] }, NOW_MS),
      ),
    ]);
    const changes = (await historyOf(store, key)).slice(0, -1);
    for (const change of changes) {
      const price = change.part === 'price' ? (change.after?.price ?? assert.fail()) : assert.fail(change.part);
      assert.equal(change.by, price < 1000 ? AUTHOR : `file:${files[price - 1000]?.fileId}`);
    }
  });

  test('the first stock records all its nodes, with any names, and nothing without nodes', async (t) => {
    const [store] = await openTwo(t);
    const accountId = newAccountId();
    const nodesOf: Readonly<Record<string, readonly string[]>> = { a: ['n', 'o"o', '__proto__'], b: ['n'], c: [] };
    for (const skuId of Object.keys(nodesOf))
      await putSku(store.offers, { accountId, skuId, by: AUTHOR }, '{}', NOW_MS);
    const rows = Object.entries(nodesOf).map(([skuId, nodeIds]) => {
      const quantities = nodeIds.map((fulfillment_node_id, quantity) => ({ fulfillment_node_id, quantity }));
      return { part: 'inventory', skuId, quantities } as const;
    });
    const file = await startedFile(store, 'Inventory', accountId);
    await store.files.applyRows(file, file.progress, rows, NOW_MS);
    for (const [skuId, nodeIds] of Object.entries(nodesOf)) {
      const changes = (await historyOf(store, { accountId, skuId, by: AUTHOR })).slice(0, -1);
      const nodes = nodeIds.map((nodeId, after) => ({ nodeId, before: null, after }));
      nodes.sort((one, other) => (one.nodeId < other.nodeId ? -1 : 1));
      const told = changes.map((change) => (change.part === 'inventory' ? change.nodes : change.part));
      assert.deepEqual(told, nodes.length === 0 ? [] : [nodes], skuId);
    }
  });
}
