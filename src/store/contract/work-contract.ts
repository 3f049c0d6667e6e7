/** Contract tests for background work: work is leased to one process, leases expire unless renewed, and no announcement is lost. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { StoreUnavailableError } from '../port/errors.ts';
import type { WorkLease } from '../port/work.ts';
import type { Store } from '../port.ts';
import type { ClearedStores } from './subject.ts';
import { newAccountId } from './subject.ts';

/** Longer than any test takes. */
const LONG_MS = 600_000;
/** The duration of leases whose expiry a test waits for. */
const SHORT_MS = 30;

let lastKind = 0;

/** Each test uses its own kinds. */
function newKind(): string {
  return `kind-${++lastKind}`;
}

export function workContract(emptied: ClearedStores): void {
  describe('background work', () => {
    const { stores } = emptied;
    const one = () => stores[0]();
    const two = () => [stores[0](), stores[1]()] as const;

    test('is leased to one of many concurrent takers, and to no other while it is held', async () => {
      const stores = two();
      const kind = newKind();
      const accountIds = [newAccountId(), newAccountId(), newAccountId()];
      for (const accountId of accountIds) await stores[0].work.announceWork(kind, accountId, 0);
      const asked = Array.from({ length: 20 }, (_, turn) =>
        stores[turn % 2 === 0 ? 0 : 1].work.takeWork(kind, `holder-${turn}`, LONG_MS),
      );
      const taken = (await Promise.all(asked)).filter((lease) => lease !== undefined);
      assert.deepEqual(taken.map(({ accountId }) => accountId).sort(), accountIds);
      for (const store of stores) assert.equal(await store.work.takeWork(kind, 'late', LONG_MS), undefined);
    });

    test('is not taken if nothing was announced, or only another kind, or for later', async () => {
      const store = one();
      const [kind, other] = [newKind(), newKind()];
      await store.work.announceWork(other, newAccountId(), 0);
      await store.work.announceWork(kind, newAccountId(), LONG_MS);
      assert.equal(await store.work.takeWork(kind, 'a', LONG_MS), undefined);
      assert.equal(await store.work.takeWork(newKind(), 'a', LONG_MS), undefined);
      assert.notEqual(await store.work.takeWork(other, 'a', LONG_MS), undefined);
    });

    test('work that has been due longest comes first, even before an account that was put back', async () => {
      const store = one();
      const [late, soon, middle] = [newAccountId(), newAccountId(), newAccountId()];
      let kind: string;
      let startMs: number;
      // Repeats with longer delays if the store is so slow that the order is uncertain.
      let apart_ms = SHORT_MS / 2;
      do {
        apart_ms *= 2;
        kind = newKind();
        startMs = performance.now();
        await store.work.announceWork(kind, late, 3 * apart_ms);
        await store.work.announceWork(kind, soon, 1);
        await store.work.announceWork(kind, middle, apart_ms);
      } while (performance.now() - startMs >= apart_ms);
      await until(async () => (await figuresOf(store, kind))?.due === 3);
      const first = await taken(store, kind);
      assert.equal(first.accountId, soon);
      assert.equal(await store.work.finishWork(first, 0), 'finished');
      const order = [await taken(store, kind), await taken(store, kind), await taken(store, kind)];
      assert.deepEqual(
        order.map(({ accountId }) => accountId),
        [middle, late, soon],
      );
    });

    test('fresh work: the most recent comes first, and a backlog is left to other takers', async () => {
      const store = one();
      const kind = newKind();
      const [older, large, newer] = [newAccountId(), newAccountId(), newAccountId()];
      await store.work.announceWork(kind, large, 0, 'backlog');
      await store.work.announceWork(kind, large, 0);
      await nextMillisecond(store, kind);
      await store.work.announceWork(kind, older, 0);
      await nextMillisecond(store, kind);
      await store.work.announceWork(kind, newer, 0);
      const first = await taken(store, kind, LONG_MS, 'fresh');
      assert.equal(first.accountId, newer);
      assert.equal(await store.work.finishWork(first, 0), 'finished', 'the rest of its work is a backlog');
      const second = await taken(store, kind, LONG_MS, 'fresh');
      assert.equal(second.accountId, older);
      await store.work.announceWork(kind, older, 0);
      assert.equal(await store.work.finishWork(second, undefined), 'finished');
      const again = await taken(store, kind, LONG_MS, 'fresh');
      assert.equal(again.accountId, older, 'work that was announced while all of it was done is fresh');
      assert.equal(await store.work.takeWork(kind, 'late', LONG_MS, 'fresh'), undefined);
      assert.deepEqual([(await taken(store, kind)).accountId, (await taken(store, kind)).accountId], [large, newer]);
    });

    test('a backlog that is announced while held queues behind work that was announced meanwhile', async () => {
      const store = one();
      const kind = newKind();
      const [large, small] = [newAccountId(), newAccountId()];
      await store.work.announceWork(kind, large, 0);
      const lease = await taken(store, kind);
      await store.work.announceWork(kind, large, 0);
      await store.work.announceWork(kind, small, 0);
      await nextMillisecond(store, kind);
      assert.equal(await store.work.finishWork(lease, 0), 'finished');
      assert.deepEqual([(await taken(store, kind)).accountId, (await taken(store, kind)).accountId], [small, large]);
    });

    test('a backlog gets its turns while fresh work arrives without end', async () => {
      const [store, other] = two();
      const kind = newKind();
      const large = newAccountId();
      await store.work.announceWork(kind, large, 0, 'backlog');
      let turns = 0;
      for (let round = 0; round < 12; round++) {
        await store.work.announceWork(kind, newAccountId(), 0);
        await other.work.announceWork(kind, newAccountId(), 0);
        await store.work.finishWork(await taken(store, kind, LONG_MS, 'fresh'), undefined);
        const lease = await taken(other, kind);
        if (lease.accountId === large) turns++;
        await other.work.finishWork(lease, lease.accountId === large ? 0 : undefined);
      }
      assert.ok(turns >= 3, `${turns} turns of 12`);
    });

    test('work that is announced again keeps the earlier time', async () => {
      const store = one();
      const kind = newKind();
      const [sooner, later] = [newAccountId(), newAccountId()];
      await store.work.announceWork(kind, sooner, LONG_MS);
      await store.work.announceWork(kind, sooner, 0);
      await store.work.announceWork(kind, later, 0);
      await store.work.announceWork(kind, later, LONG_MS);
      const both = [await taken(store, kind), await taken(store, kind)];
      assert.deepEqual(both.map(({ accountId }) => accountId).sort(), [sooner, later]);
    });

    test('stays with a holder that renews its lease', async () => {
      const [store, other] = two();
      const kind = newKind();
      await store.work.announceWork(kind, newAccountId(), 0);
      const lease = await taken(store, kind, SHORT_MS);
      assert.equal(await store.work.renewWork(lease, LONG_MS), 'held');
      // This lease is as long as the first one, but was taken later. When it expires, the first one would have expired too without its
      // renewal.
      await store.work.announceWork(kind, newAccountId(), 0);
      const notRenewed = await taken(store, kind, SHORT_MS);
      assert.equal((await untilTaken(other, kind)).accountId, notRenewed.accountId);
      assert.equal(await other.work.takeWork(kind, 'other', LONG_MS), undefined);
      assert.equal(await store.work.finishWork(lease, undefined), 'finished');
    });

    test('goes to another taker when its lease expires, with a higher fence, and is lost for the first', async () => {
      const [store, other] = two();
      const kind = newKind();
      await store.work.announceWork(kind, newAccountId(), 0);
      const lease = await taken(store, kind, SHORT_MS);
      const next = await untilTaken(other, kind);
      assert.equal(next.accountId, lease.accountId);
      assert.ok(next.fence > lease.fence, `${next.fence} > ${lease.fence}`);
      assert.equal(await store.work.renewWork(lease, LONG_MS), 'lost');
      assert.equal(await store.work.finishWork(lease, undefined), 'lost');
      assert.equal(await store.work.finishWork(lease, 0), 'lost');
      assert.equal(await other.work.renewWork(next, LONG_MS), 'held', 'calls of the first holder changed nothing');
      assert.equal(await other.work.finishWork(next, undefined), 'finished');
    });

    test('can be renewed and finished after its lease expired, unless it was taken over', async () => {
      const store = one();
      const kind = newKind();
      await store.work.announceWork(kind, newAccountId(), 0);
      const lease = await taken(store, kind, 1);
      await until(async () => (await figuresOf(store, kind))?.due === 1);
      assert.equal(await store.work.renewWork(lease, LONG_MS), 'held');
      assert.equal(await figuresOf(store, kind), undefined);
      assert.equal(await store.work.finishWork(lease, undefined), 'finished');
    });

    test('is removed with its lease when it is finished', async () => {
      const store = one();
      const kind = newKind();
      const accountId = newAccountId();
      await store.work.announceWork(kind, accountId, 0);
      const lease = await taken(store, kind);
      assert.equal(await store.work.finishWork(lease, undefined), 'finished');
      assert.equal(await store.work.takeWork(kind, 'a', LONG_MS), undefined);
      assert.equal(await store.work.finishWork(lease, undefined), 'lost');
      assert.equal(await store.work.renewWork(lease, LONG_MS), 'lost');
      await store.work.announceWork(kind, accountId, 0);
      const again = await taken(store, kind);
      assert.ok(again.fence > lease.fence, 'fences grow even for a new row');
      assert.equal(await store.work.finishWork(lease, undefined), 'lost');
    });

    test('work that is put back waits for its time, and the old lease is invalid', async () => {
      const store = one();
      const kind = newKind();
      const accountId = newAccountId();
      await store.work.announceWork(kind, accountId, 0);
      const lease = await taken(store, kind);
      assert.equal(await store.work.finishWork(lease, LONG_MS), 'finished');
      assert.equal(await store.work.takeWork(kind, 'a', LONG_MS), undefined);
      assert.equal(await store.work.renewWork(lease, LONG_MS), 'lost');
      await store.work.announceWork(kind, accountId, 0);
      assert.equal((await taken(store, kind)).accountId, accountId);
    });

    for (const next_delay_ms of [undefined, LONG_MS]) {
      test(`work that is announced while held is due after a finish with ${next_delay_ms ?? 'nothing'} left`, async () => {
        const [store, other] = two();
        const kind = newKind();
        const accountId = newAccountId();
        await store.work.announceWork(kind, accountId, 0);
        const lease = await taken(store, kind);
        await other.work.announceWork(kind, accountId, 0);
        assert.equal(await other.work.takeWork(kind, 'other', LONG_MS), undefined, 'it is still held');
        assert.equal(await store.work.finishWork(lease, next_delay_ms), 'finished');
        const next = await taken(other, kind);
        assert.equal(next.accountId, accountId);
        assert.equal(await other.work.finishWork(next, undefined), 'finished');
        assert.equal(await other.work.takeWork(kind, 'other', LONG_MS), undefined, 'it was announced once');
      });
    }

    test('work that is announced while another process finishes is never lost', async () => {
      const [store, other] = two();
      const kind = newKind();
      const accountId = newAccountId();
      await store.work.announceWork(kind, accountId, 0);
      for (let round = 0; round < 50; round++) {
        const lease = await taken(store, kind);
        const [outcome] = await Promise.all([
          store.work.finishWork(lease, undefined),
          other.work.announceWork(kind, accountId, 0),
        ]);
        assert.equal(outcome, 'finished');
      }
      assert.equal((await taken(store, kind)).accountId, accountId);
    });

    test('is refused by a closed store', async () => {
      const kind = newKind();
      await one().work.announceWork(kind, newAccountId(), 0);
      const lease = await taken(one(), kind);
      const store = await emptied.openClosed();
      const calls = [
        () => store.work.announceWork(kind, 1, 0),
        () => store.work.takeWork(kind, 'a', LONG_MS),
        () => store.work.renewWork(lease, LONG_MS),
        () => store.work.finishWork(lease, undefined),
        () => store.work.isWorkAttended(kind, 1, 0),
        () => store.work.readWorkFigures(),
      ];
      for (const call of calls) await assert.rejects(call, StoreUnavailableError, call.toString());
    });

    test('is attended while it is leased, or has not been due for long', async () => {
      const store = one();
      const [kind, accountId] = [newKind(), newAccountId()];
      const isAttended = (due_ms_max: number) => store.work.isWorkAttended(kind, accountId, due_ms_max);
      assert.equal(await isAttended(LONG_MS), false);
      await store.work.announceWork(kind, accountId, 0);
      assert.deepEqual([await isAttended(LONG_MS), await isAttended(0)], [true, false]);
      await taken(store, kind);
      assert.equal(await isAttended(0), true);
    });

    test('is reported with its count and age', async () => {
      const store = one();
      const kind = newKind();
      for (let n = 0; n < 3; n++) await store.work.announceWork(kind, newAccountId(), 0);
      await store.work.announceWork(kind, newAccountId(), LONG_MS);
      await taken(store, kind);
      await until(async () => ((await figuresOf(store, kind))?.oldestDue_ms ?? 0) > 0);
      assert.equal((await figuresOf(store, kind))?.due, 2);
    });
  });
}

async function taken(store: Store, kind: string, lease_ms = LONG_MS, order?: 'fresh'): Promise<WorkLease> {
  const lease = await store.work.takeWork(kind, 'holder', lease_ms, order);
  assert.ok(lease, 'Work must be due.');
  assert.equal(lease.kind, kind);
  return lease;
}

async function untilTaken(store: Store, kind: string): Promise<WorkLease> {
  for (;;) {
    const lease = await store.work.takeWork(kind, 'other', LONG_MS);
    if (lease !== undefined) return lease;
  }
}

/** Polls until the condition holds. The test's timeout ends an endless loop. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds()));
}

/** Work that is announced afterwards is due later than all work of the kind. */
async function nextMillisecond(store: Store, kind: string): Promise<void> {
  const due_ms = (await figuresOf(store, kind))?.oldestDue_ms ?? 0;
  await until(async () => ((await figuresOf(store, kind))?.oldestDue_ms ?? 0) > due_ms);
}

async function figuresOf(store: Store, kind: string) {
  return (await store.work.readWorkFigures()).find((figures) => figures.kind === kind);
}
