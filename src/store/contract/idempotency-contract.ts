/** Contract tests for idempotency keys: one claim per request, stored responses, interrupted requests, and retention. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ClaimOutcome } from '../port/idempotency.ts';
import type { Store } from '../port.ts';
import { type ClearedStores, drawNumber, NOW_MS, newAccountId, newMerchant } from './subject.ts';

/** Far longer than a test takes. */
const LEASE_MS = 600_000;

export function idempotencyContract(store: () => Store, emptied: ClearedStores): void {
  const newClaim = (key = 'key 1', accountId = newAccountId()) => ({ accountId, key, fingerprint: 'hash' });
  const claim = (claimed: ReturnType<typeof newClaim>, lease_ms = LEASE_MS) =>
    store().idempotency.claimKey(claimed, NOW_MS, lease_ms);
  const held = async (claimed: ReturnType<typeof newClaim>, lease_ms = LEASE_MS) => {
    const outcome = await claim(claimed, lease_ms);
    assert.ok(outcome.state === 'claimed');
    return { ...claimed, number: outcome.number, isRepeat: outcome.isRepeat };
  };

  describe('an idempotency key', () => {
    test('belongs to its first request until the response is stored, and then has the response', async () => {
      const asked = newClaim('\u0021~"\'%');
      const { isRepeat, ...first } = await held(asked);
      assert.equal(isRepeat, false);
      const running = await claim(asked);
      assert.ok(running.state === 'running');
      assert.ok(running.left_ms > LEASE_MS - 60_000 && running.left_ms <= LEASE_MS, `${running.left_ms} ms are left`);
      await store().idempotency.storeAnswer(first, '{"status": 202}');
      const answered: ClaimOutcome = { state: 'answered', answer: '{"status": 202}' };
      assert.deepEqual(await claim(asked), answered);
      await store().idempotency.storeAnswer(first, '{}');
      await store().idempotency.releaseKey(first);
      assert.deepEqual(await claim(asked), answered, 'the first response stays');
    });

    test('refuses another request, running or completed', async () => {
      const asked = newClaim();
      const other = { ...asked, fingerprint: 'another hash' };
      const first = await held(asked, 0);
      assert.deepEqual(await claim(other), { state: 'other_request' });
      await store().idempotency.storeAnswer(first, '{}');
      assert.deepEqual(await claim(other), { state: 'other_request' });
    });

    test('is separate for each account', async () => {
      const asked = newClaim();
      await held(asked);
      assert.equal((await held(newClaim(asked.key))).isRepeat, false);
    });

    for (const [what, interrupt] of [
      ['whose lease has ended', async () => {}],
      ['that was released', (first: Awaited<ReturnType<typeof held>>) => store().idempotency.releaseKey(first)],
    ] as const) {
      test(`${what} goes to one repeat, with the number of the first request`, async () => {
        const asked = newClaim();
        const first = await held(asked, what === 'that was released' ? LEASE_MS : 0);
        await interrupt(first);
        const outcomes = await Promise.all(Array.from({ length: 5 }, () => claim(asked)));
        assert.deepEqual(
          outcomes.filter(({ state }) => state === 'claimed'),
          [{ state: 'claimed', number: first.number, isRepeat: true }],
        );
        assert.equal(outcomes.filter(({ state }) => state === 'running').length, 4);
      });
    }

    test('is claimed once by 20 concurrent requests', async () => {
      const asked = newClaim();
      const states = (await Promise.all(Array.from({ length: 20 }, () => claim(asked)))).map(({ state }) => state);
      assert.deepEqual(states.sort(), ['claimed', ...Array(19).fill('running')]);
    });

    test('has a number above all earlier writes and below all later ones', async () => {
      const before = await drawNumber(store());
      const { number } = await held(newClaim());
      assert.ok(before < number);
      assert.ok(number < (await drawNumber(store())));
    });
  });

  describe('old idempotency keys', () => {
    /** Claims each key a millisecond before the previous one. */
    const add = async (own: Store, accountId: number, keys: readonly string[], atMs = NOW_MS) => {
      await Promise.all(
        keys.map((key, place) => own.idempotency.claimKey(newClaim(key, accountId), atMs - place, LEASE_MS)),
      );
    };
    /** Returns how many of the keys are stored. Claims each key for another request, so keys that were not stored are stored afterwards. */
    const count = async (own: Store, accountId: number, keys: readonly string[]) => {
      const asked = keys.map((key) => ({ ...newClaim(key, accountId), fingerprint: '' }));
      const outcomes = await Promise.all(asked.map((claim) => own.idempotency.claimKey(claim, NOW_MS, 0)));
      return outcomes.filter(({ state }) => state === 'other_request').length;
    };

    test('are deleted in slices, and only they, however many keys the account has', async () => {
      const own = await emptied.openOne();
      const numbered = (name: string) => Array.from({ length: 201 }, (_, index) => `${name} ${index}`);
      const [old, kept] = [numbered('old'), numbered('kept')];
      await add(own, 1, old, NOW_MS - 1);
      await add(own, 1, kept, NOW_MS + 200);
      await add(own, 2, old, NOW_MS - 1);
      assert.equal(await own.idempotency.dropKeys(1, NOW_MS), true);
      assert.equal(await own.idempotency.dropKeys(1, NOW_MS), false);
      assert.deepEqual([await count(own, 1, old), await count(own, 1, kept)], [0, 201]);
      assert.equal(await count(own, 2, old), 201, 'keys of another account');
    });

    test('are erased in slices, and with their merchant', async (t) => {
      const own = await emptied.openOne();
      const moves = await emptied.openMoves(t);
      const merchant = newMerchant();
      await own.settings.addMerchant(merchant, NOW_MS);
      const { test: sandbox, live } =
        (await own.settings.readMerchant(merchant.merchantId))?.accounts ?? assert.fail('The merchant must exist.');
      for (const accountId of [sandbox, live]) await add(own, accountId, ['a']);
      assert.equal(await moves.eraseRequests(sandbox), false);
      assert.deepEqual([await count(own, sandbox, ['a']), await count(own, live, ['a'])], [0, 1]);
      assert.equal(await moves.eraseMerchant(merchant.merchantId), 'erased');
      assert.equal(await count(own, live, ['a']), 0);
    });
  });
}
