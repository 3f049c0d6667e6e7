/** Contract tests for move marks: two commands never work on one merchant, and an incomplete merchant is reported and stays suspended. */
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { ImportOvertakenError } from '../port/errors.ts';
import type { MoveStore } from '../port/moves.ts';
import { IMPORT_LEASE_MS } from '../port/moves.ts';
import type { Store } from '../port.ts';
import type { ClearedStores } from './subject.ts';
import { bareOffer, NOW_MS, newMerchant, newRecord } from './subject.ts';

const SLICE_MS = 1;
const ALL = Number.MAX_SAFE_INTEGER;

export function moveMarksContract(emptied: ClearedStores): void {
  describe('the mark of an import', () => {
    test('is visible, and prevents the merchant from being resumed or exported', async (t) => {
      const { store, moves } = await open(t, emptied);
      const merchant = newRecord();
      const before = newMerchant();
      await store.settings.addMerchant(before, NOW_MS);
      assert.equal(typeof (await moves[0].beginImport(merchant)), 'object');
      assert.deepEqual(
        (await store.settings.listMerchants()).map(({ merchantId, unfinished }) => [merchantId, unfinished]).toSorted(),
        [
          [before.merchantId, null],
          [merchant.merchantId, 'import'],
        ].toSorted(),
      );
      assert.equal(await store.settings.setSuspended(merchant.merchantId, true), 'stored');
      assert.equal(await store.settings.setSuspended(merchant.merchantId, false), 'unfinished');
      assert.equal((await store.settings.readMerchant(merchant.merchantId))?.suspended, true);
      assert.deepEqual(await exportable(moves[1]), [before.merchantId]);
      assert.equal(await moves[0].finishImport(merchant, []), 'stored');
      assert.equal((await store.settings.readMerchant(merchant.merchantId))?.unfinished, null);
    });

    test('belongs to its owner: no other store writes, erases, finishes or takes it while it is renewed', async (t) => {
      const { store, moves } = await open(t, emptied);
      const [owner, other] = moves;
      const merchant = newRecord();
      const { merchantId } = merchant;
      const accounts = await owner.beginImport(merchant);
      assert.ok(typeof accounts === 'object');
      await owner.importOffers(accounts.live, [bareOffer('a')]);
      const busy = await other.takeOverImport(merchantId);
      assert.ok(typeof busy === 'object' && busy.busy_ms > 0 && busy.busy_ms <= IMPORT_LEASE_MS, JSON.stringify(busy));
      await assertOvertaken(other, merchantId, accounts.live);
      await assert.rejects(other.finishImport(merchant, []), ImportOvertakenError);
      assert.equal(await store.offers.readSkuState({ accountId: accounts.live, skuId: 'a' }), 'open');
      assert.equal(await owner.takeOverImport(merchantId), 'taken', 'the owner already has it');
      assert.equal(await owner.finishImport(merchant, []), 'stored');
      assert.equal(await other.takeOverImport(merchantId), 'none');
    });

    test('is taken over when its owner stops renewing it, and the old owner can no longer write', async (t) => {
      const { store, moves } = await open(t, emptied);
      const [dead, next] = moves;
      const merchant = newRecord();
      const { merchantId } = merchant;
      const accounts = await dead.beginImport(merchant);
      assert.ok(typeof accounts === 'object');
      await dead.importOffers(accounts.live, [bareOffer('a')]);
      for (let taken = await next.takeOverImport(merchantId); taken !== 'taken'; ) {
        assert.ok(typeof taken === 'object');
        await setTimeout(taken.busy_ms);
        taken = await next.takeOverImport(merchantId);
      }
      await assertOvertaken(dead, merchantId, accounts.live);
      await assert.rejects(dead.finishImport(merchant, []), ImportOvertakenError);
      assert.equal((await store.settings.readMerchant(merchantId))?.unfinished, 'import');

      await next.eraseOffers(accounts.live, ALL, SLICE_MS);
      assert.equal(await next.eraseMerchant(merchantId), 'erased');
      assert.equal(typeof (await next.beginImport(merchant)), 'object');
      assert.equal(await next.finishImport(merchant, []), 'stored');
      await assert.rejects(dead.renewImport(merchantId), ImportOvertakenError);
      assert.equal((await store.settings.readMerchant(merchantId))?.suspended, false);
    });
  });

  describe('the mark of a removal', () => {
    test('names the export file, and prevents the merchant from being resumed once erasing has begun', async (t) => {
      const { store, moves } = await open(t, emptied);
      const merchant = newMerchant();
      const { merchantId } = merchant;
      await store.settings.addMerchant(merchant, NOW_MS);
      assert.equal(await moves[0].beginRemoval('nobody'), 'unknown');
      const before = await store.settings.readSetupVersion();
      assert.equal(await moves[0].beginRemoval(merchantId), 'begun');
      assert.ok((await store.settings.readSetupVersion()) > before, 'servers notice');
      const marked = await store.settings.readMerchant(merchantId);
      assert.deepEqual([marked?.suspended, marked?.unfinished], [true, null], 'nothing was erased yet');
      assert.deepEqual(await exportable(moves[0]), [merchantId]);

      assert.equal(await moves[0].beginErasing(merchantId, '/exports/first'), 'begun');
      assert.equal((await store.settings.readMerchant(merchantId))?.unfinished, 'removal');
      assert.equal(await store.settings.setSuspended(merchantId, false), 'unfinished');
      assert.deepEqual(await exportable(moves[0]), []);
      assert.deepEqual(await moves[1].beginRemoval(merchantId), { exportedTo: '/exports/first' });
      assert.equal(await moves[1].beginErasing(merchantId, '/exports/second'), 'ended');
      const erased = (await store.settings.readMerchant(merchantId))?.accounts.test;
      assert.equal(await moves[1].eraseMerchant(merchantId, erased), 'erased');
      await store.settings.addMerchant(merchant, NOW_MS);
      const again = await store.settings.readMerchant(merchantId);
      assert.equal(again?.unfinished, null);
      assert.equal(await moves[0].eraseMerchant(merchantId, erased), 'unknown', 'another merchant has the id now');
      assert.deepEqual(await store.settings.readMerchant(merchantId), again);
      assert.equal(await moves[0].eraseMerchant(merchantId, again.accounts.test), 'erased');
    });

    test('ends when the merchant is resumed, or another removal begins, before anything is erased', async (t) => {
      const { store, moves } = await open(t, emptied);
      const merchant = newMerchant();
      const { merchantId } = merchant;
      await store.settings.addMerchant(merchant, NOW_MS);
      assert.equal(await moves[0].beginRemoval(merchantId), 'begun');
      assert.equal(await store.settings.setSuspended(merchantId, false), 'stored');
      assert.equal(await moves[0].beginErasing(merchantId, '/exports/a'), 'ended');
      assert.equal(await moves[0].beginRemoval(merchantId), 'begun');
      assert.equal(await moves[1].beginRemoval(merchantId), 'begun');
      assert.equal(await moves[0].beginErasing(merchantId, '/exports/a'), 'ended');
      assert.equal(await moves[1].beginErasing(merchantId, '/exports/b'), 'begun');
    });
  });
}

async function assertOvertaken(moves: MoveStore, merchantId: string, accountId: number): Promise<void> {
  await assert.rejects(moves.importOffers(accountId, [bareOffer('b')]), ImportOvertakenError);
  await assert.rejects(moves.importGroups(accountId, []), ImportOvertakenError);
  await assert.rejects(moves.eraseOffers(accountId, ALL, SLICE_MS), ImportOvertakenError);
  await assert.rejects(moves.eraseMerchant(merchantId), ImportOvertakenError);
  await assert.rejects(moves.renewImport(merchantId), ImportOvertakenError);
}

async function exportable(moves: MoveStore): Promise<readonly string[]> {
  const snapshot = await moves.openSnapshot();
  const merchants = await snapshot.listMerchants();
  await snapshot.close();
  return merchants.filter(({ unfinished }) => unfinished === null).map(({ merchantId }) => merchantId);
}

/** Opens a store, and two move stores that represent two processes. */
async function open(
  t: TestContext,
  emptied: ClearedStores,
): Promise<{ readonly store: Store; readonly moves: readonly [MoveStore, MoveStore] }> {
  const store = await emptied.openOne();
  const moves = await emptied.openMoves(t);
  return { store, moves: [moves, await emptied.openMoves(t)] };
}
