/** Contract tests for request counts per account and minute, traces, and the last use of credential sets. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Store } from '../port.ts';
import { type ClearedStores, NOW_MS, newAccountId, newMerchant } from './subject.ts';

const MINUTE = Math.floor(NOW_MS / 60_000);

export function requestCountContract(store: () => Store, emptied: ClearedStores): void {
  describe('traces of writes', () => {
    const A = '00-aa-1-01';
    const B = '00-bb-1-01';
    test('the last one of each SKU is found by its own account', async () => {
      const [accountId, other] = [newAccountId(), newAccountId()];
      const { traffic } = store();
      for (const traceparent of [B, A]) await traffic.noteTrace(accountId, { skuId: 'one', traceparent, atMs: NOW_MS });
      await traffic.noteTrace(accountId, { skuId: 'two', traceparent: B, atMs: NOW_MS });
      await traffic.noteTrace(other, { skuId: 'one', traceparent: B, atMs: NOW_MS });
      const found = await traffic.readTraces(accountId, ['two', 'one', 'three']);
      assert.deepEqual(Object.fromEntries(found), { one: A, two: B });
    });

    test('are dropped if they are from before the given time, and kept from that time on', async () => {
      const { traffic } = await emptied.openOne();
      await traffic.noteTrace(1, { skuId: 'old', traceparent: A, atMs: NOW_MS - 1 });
      await traffic.noteTrace(1, { skuId: 'new', traceparent: A, atMs: NOW_MS });
      assert.equal(await traffic.dropTraces(NOW_MS), false);
      assert.deepEqual([...(await traffic.readTraces(1, ['old', 'new'])).keys()], ['new']);
    });
  });

  describe('counts of requests', () => {
    test('counts of all processes are added up by account and minute', async () => {
      const accountId = newAccountId();
      const other = newAccountId();
      const some = { accountId, minute: MINUTE, requests: 5, errors: 2, refused: 1 };
      await store().traffic.addRequestCounts([some, { ...some, minute: MINUTE + 2 }, { ...some, accountId: other }]);
      await Promise.all([1, 2, 3].map(() => store().traffic.addRequestCounts([some])));
      await store().traffic.addRequestCounts([]);
      assert.deepEqual(await store().traffic.readRequestCounts(accountId, MINUTE), [
        { minute: MINUTE, requests: 20, errors: 8, refused: 4 },
        { minute: MINUTE + 2, requests: 5, errors: 2, refused: 1 },
      ]);
      assert.deepEqual(await store().traffic.readRequestCounts(accountId, MINUTE + 1), [
        { minute: MINUTE + 2, requests: 5, errors: 2, refused: 1 },
      ]);
      assert.deepEqual(await store().traffic.readRequestCounts(accountId, MINUTE + 3), []);
      const ofMinute = (await store().traffic.readMinute(MINUTE)).filter((row) =>
        [accountId, other].includes(row.accountId),
      );
      assert.deepEqual(
        ofMinute.sort((one, another) => one.accountId - another.accountId),
        [
          { ...some, requests: 20, errors: 8, refused: 4 },
          { ...some, accountId: other },
        ],
      );
    });

    test('counts of many accounts are all stored', async () => {
      const counts = Array.from({ length: 250 }, () => {
        const accountId = newAccountId();
        return { accountId, minute: MINUTE + 5, requests: accountId, errors: 1, refused: 0 };
      });
      for (const _ of [1, 2]) await store().traffic.addRequestCounts(counts);
      const stored = new Map((await store().traffic.readMinute(MINUTE + 5)).map((row) => [row.accountId, row]));
      for (const row of counts) {
        assert.deepEqual(stored.get(row.accountId), { ...row, requests: 2 * row.requests, errors: 2 });
      }
    });

    test('are dropped if they are from before the given minute, and kept from that minute on', async () => {
      const own = await emptied.openOne();
      const some = { accountId: 1, requests: 1, errors: 0, refused: 0 };
      await own.traffic.addRequestCounts([MINUTE - 1, MINUTE].map((minute) => ({ ...some, minute })));
      assert.equal(await own.traffic.dropRequestCounts(MINUTE), false);
      assert.deepEqual(
        (await own.traffic.readRequestCounts(1, 0)).map(({ minute }) => minute),
        [MINUTE],
      );
    });

    test('are removed with their merchant', async (t) => {
      const own = await emptied.openOne();
      const moves = await emptied.openMoves(t);
      const merchant = newMerchant();
      await own.settings.addMerchant(merchant, NOW_MS);
      const accountId = (await own.settings.readMerchant(merchant.merchantId))?.accounts.live ?? assert.fail();
      await own.traffic.addRequestCounts([{ accountId, minute: MINUTE, requests: 1, errors: 0, refused: 0 }]);
      assert.equal(await moves.eraseMerchant(merchant.merchantId), 'erased');
      assert.deepEqual(await own.traffic.readRequestCounts(accountId, 0), []);
    });
  });

  describe('the last use of a credential set', () => {
    test('is stored, never moves back, and does not change the settings version', async () => {
      const merchant = newMerchant();
      await store().settings.addMerchant(merchant, NOW_MS);
      const { user } = merchant.credentials.test;
      const lastUsed = async () => (await store().settings.readCredentialOfUser(user))?.lastUsedMs;
      assert.equal(await lastUsed(), null);
      const version = await store().settings.readSetupVersion();
      await store().traffic.noteKeyUses([
        { user, usedMs: NOW_MS + 5 },
        { user: 'nobody', usedMs: NOW_MS },
      ]);
      assert.equal(await lastUsed(), NOW_MS + 5);
      await store().traffic.noteKeyUses([{ user, usedMs: NOW_MS + 4 }]);
      assert.equal(await lastUsed(), NOW_MS + 5);
      assert.equal(await store().settings.readSetupVersion(), version);
      assert.equal((await store().settings.readCredentialOfUser(merchant.credentials.live.user))?.lastUsedMs, null);
    });
  });
}
