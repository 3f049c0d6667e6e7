/** Tests leased-loop.ts with a fake store that responds, fails and hangs on demand. */
import assert from 'node:assert/strict';
import { describe, type TestContext } from 'node:test';
import { timedIt as test } from '../../test/harness/lost-time.ts';
import { StoreUnavailableError } from '../store/port/errors.ts';
import type { WorkLease } from '../store/port/work.ts';
import { LeasedLoop, type LeasedLoopOptions, type LeasedWork } from './leased-loop.ts';

/** Longer than any test. */
const LONG_MS = 600_000;
/**
 * The duration of leases that are renewed or expire. A busy machine may lose part of this time between the response and the first timer,
 * and more than a third must remain.
 */
const LEASE_MS = 300;
const KIND = 'sweeping';

interface FakeStore {
  /** Due accounts, in this order. */
  readonly due: number[];
  readonly calls: string[];
  /** Number of next calls to reject, by kind. */
  readonly fail: { take: number; renew: number; finish: number };
  lost: boolean;
  /** Resolves when this call has returned; earlier calls count too. */
  called(text: string): Promise<void>;
}

function fakeStore(due: readonly number[] = []): FakeStore & LeasedLoopOptions['store'] {
  const calls: string[] = [];
  const waiting = new Map<string, () => void>();
  let fence = 0;
  const fake = {
    due: [...due],
    calls,
    fail: { take: 0, renew: 0, finish: 0 },
    lost: false,
    called(text: string): Promise<void> {
      if (calls.includes(text)) return Promise.resolve();
      return new Promise<void>((resolve) => waiting.set(text, resolve));
    },
    async takeWork(kind: string): Promise<WorkLease | undefined> {
      if (fake.fail.take-- > 0) throw failed('take failed');
      const accountId = fake.due.shift();
      note(accountId === undefined ? 'nothing' : `take ${accountId}`);
      return accountId === undefined ? undefined : { kind, accountId, fence: ++fence };
    },
    async renewWork({ accountId }: WorkLease): Promise<'held' | 'lost'> {
      if (fake.fail.renew-- > 0) throw failed('renew failed');
      note(`renew ${accountId}`);
      return fake.lost ? 'lost' : 'held';
    },
    async finishWork({ accountId }: WorkLease, next_delay_ms: number | undefined): Promise<'finished' | 'lost'> {
      if (fake.fail.finish-- > 0) throw failed('finish failed');
      note(`finish ${accountId} ${next_delay_ms}`);
      return fake.lost ? 'lost' : 'finished';
    },
  };
  function note(text: string): void {
    calls.push(text);
    waiting.get(text)?.();
  }
  function failed(text: string): StoreUnavailableError {
    note(text);
    return new StoreUnavailableError(text);
  }
  return fake;
}

function start(t: TestContext, options: Partial<LeasedLoopOptions> & Pick<LeasedLoopOptions, 'store' | 'handler'>) {
  const events: string[] = [];
  const loop = new LeasedLoop({
    telemetry: { observe: (event) => events.push(event) },
    kind: KIND,
    holder: 'test',
    lease_ms: LONG_MS,
    poll_ms: LONG_MS,
    retry_ms: 777,
    ...options,
  });
  t.after(() => loop.close(0));
  return { loop, events };
}

/** Returns a handler that reports its call and ends on demand. */
function heldUp() {
  const begun = Promise.withResolvers<LeasedWork>();
  const end = Promise.withResolvers<number | undefined>();
  const handler = (work: LeasedWork) => {
    begun.resolve(work);
    return end.promise;
  };
  return { handler, begun: begun.promise, end };
}

const aborted = (signal: AbortSignal) =>
  new Promise<Error>((resolve) => {
    if (signal.aborted) resolve(signal.reason);
    signal.addEventListener('abort', () => resolve(signal.reason));
  });

describe('leased loop', () => {
  test('runs due work one after the other, and reschedules it as the handler returns', async (t) => {
    const store = fakeStore([7, 8, 9]);
    const nexts = new Map([
      [7, undefined],
      [8, 0],
      [9, 50],
    ]);
    const { loop, events } = start(t, { store, handler: async ({ accountId }) => nexts.get(accountId) });
    await store.called('nothing');
    assert.ok(await loop.close(LONG_MS));
    const done = ['take 7', 'finish 7 undefined', 'take 8', 'finish 8 0', 'take 9', 'finish 9 50', 'nothing'];
    assert.deepEqual(store.calls, done);
    assert.deepEqual(events, []);
  });

  test('sleeps when there is no work, until it is woken', async (t) => {
    const store = fakeStore();
    const { loop } = start(t, { store, handler: async () => undefined });
    await store.called('nothing');
    store.due.push(7);
    loop.wake();
    await store.called('finish 7 undefined');
  });

  test('takes no work while mayTake is false, and does when it is true', async (t) => {
    const store = fakeStore([7]);
    let mayTake = false;
    const asked = Promise.withResolvers<void>();
    const { loop } = start(t, {
      store,
      handler: async () => undefined,
      mayTake: () => {
        asked.resolve();
        return mayTake;
      },
    });
    await asked.promise;
    assert.deepEqual(store.calls, []);
    mayTake = true;
    loop.wake();
    await store.called('finish 7 undefined');
  });

  test('polls by itself after poll_ms', async (t) => {
    const store = fakeStore();
    start(t, { store, handler: async () => undefined, poll_ms: 5 });
    await store.called('nothing');
    store.due.push(7);
    await store.called('finish 7 undefined');
  });

  test('a wake during a poll is not lost', async (t) => {
    const store = fakeStore();
    const looking = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<undefined>();
    let looks = 0;
    const takeWork = async (kind: string) => {
      if (++looks > 1) return store.takeWork(kind, '', 0);
      looking.resolve();
      return answer.promise;
    };
    const { loop } = start(t, { store: { ...store, takeWork }, handler: async () => undefined });
    await looking.promise;
    store.due.push(7);
    loop.wake();
    answer.resolve(undefined);
    await store.called('finish 7 undefined');
  });

  test('renews only while the handler runs', async (t) => {
    const store = fakeStore([7]);
    const { handler, end } = heldUp();
    const { loop } = start(t, { store, handler, lease_ms: LEASE_MS });
    await store.called('renew 7');
    end.resolve(undefined);
    await store.called('finish 7 undefined');
    assert.ok(await loop.close(LONG_MS));
    const renewals = store.calls.filter((call) => call === 'renew 7').length;
    await new Promise((resolve) => setTimeout(resolve, LEASE_MS / 2));
    assert.equal(store.calls.filter((call) => call === 'renew 7').length, renewals);
  });

  test('aborts the handler when another process has taken over, and leaves the work to it', async (t) => {
    const store = fakeStore([7]);
    store.lost = true;
    const { handler, begun, end } = heldUp();
    const { events } = start(t, { store, handler, lease_ms: LEASE_MS });
    const { signal } = await begun;
    assert.match((await aborted(signal)).message, /taken over/);
    end.resolve(undefined);
    await store.called('nothing');
    assert.deepEqual(events, ['work_lost']);
    assert.equal(store.calls.filter((call) => call.startsWith('finish')).length, 0);
  });

  test('aborts the handler when the lease could not be renewed before it expired', async (t) => {
    const store = fakeStore([7]);
    store.fail.renew = Number.POSITIVE_INFINITY;
    const { handler, begun } = heldUp();
    start(t, { store, handler, lease_ms: LEASE_MS });
    const { signal } = await begun;
    assert.match((await aborted(signal)).message, /could not be renewed/);
    assert.ok(store.calls.includes('renew failed'));
  });

  test('one failed renewal does not end the work', async (t) => {
    const store = fakeStore([7]);
    store.fail.renew = 1;
    const { handler, begun, end } = heldUp();
    // A third of the lease exceeds the delay of a busy machine between two renewals.
    start(t, { store, handler, lease_ms: 3_000 });
    const { signal } = await begun;
    await store.called('renew 7');
    assert.ok(store.calls.includes('renew failed'));
    assert.equal(signal.aborted, false);
    end.resolve(undefined);
    await store.called('finish 7 undefined');
  });

  test('a lease that was granted late is renewed before it expires', async (t) => {
    const store = fakeStore([7]);
    const lease_ms = 900;
    const takeWork = async (kind: string) => {
      // Leaves less time than the interval between two renewals.
      await new Promise((resolve) => setTimeout(resolve, lease_ms * 0.8));
      return store.takeWork(kind, '', lease_ms);
    };
    const { handler, begun, end } = heldUp();
    start(t, { store: { ...store, takeWork }, handler, lease_ms });
    const { signal } = await begun;
    await Promise.race([store.called('renew 7'), aborted(signal)]);
    assert.deepEqual([store.calls.includes('renew 7'), signal.aborted], [true, false]);
    end.resolve(undefined);
    await store.called('finish 7 undefined');
  });

  test('a lease whose renewal was confirmed late is renewed again immediately', async (t) => {
    const store = fakeStore([7]);
    // The renewal is late by seconds, which exceeds the delay of a busy machine.
    const lease_ms = 6_000;
    const asked = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    const renewWork = async (lease: WorkLease) => {
      const isFirst = !store.calls.includes('renew 7');
      asked[isFirst ? 0 : 1].resolve();
      // Slightly more than the interval between two renewals.
      if (isFirst) await new Promise((resolve) => setTimeout(resolve, lease_ms * 0.35));
      return store.renewWork(lease, lease_ms);
    };
    const { handler, end } = heldUp();
    start(t, { store: { ...store, renewWork }, handler, lease_ms });
    await asked[0].promise;
    const startMs = performance.now();
    await asked[1].promise;
    assert.ok(performance.now() - startMs < lease_ms * 0.65, 'it was counted from the response');
    end.resolve(undefined);
    await store.called('finish 7 undefined');
  });

  test('notices at the end that the lease was lost', async (t) => {
    const store = fakeStore([7]);
    store.lost = true;
    const { events } = start(t, { store, handler: async () => undefined });
    await store.called('nothing');
    assert.deepEqual(events, ['work_lost']);
  });

  test('reschedules failed work, and continues with the next', async (t) => {
    const store = fakeStore([7, 8]);
    const handler = async ({ accountId }: LeasedWork) => {
      if (accountId === 7) throw new Error('This account is broken.');
      return undefined;
    };
    const { events } = start(t, { store, handler });
    await store.called('finish 8 undefined');
    assert.deepEqual(store.calls.slice(0, 4), ['take 7', 'finish 7 777', 'take 8', 'finish 8 undefined']);
    assert.deepEqual(events, ['work_failed']);
  });

  test('resumes when the database is back, with backoff before', async (t) => {
    const store = fakeStore([7]);
    store.fail.take = 3;
    const { events } = start(t, { store, handler: async () => undefined });
    const beginMs = performance.now();
    await store.called('finish 7 undefined');
    // The pauses are 100, 200 and 400 ms, each at least half of that because of jitter.
    assert.ok(performance.now() - beginMs >= 350);
    assert.deepEqual(events, ['work_stalled', 'work_stalled', 'work_stalled']);
  });

  test('a wake does not shorten the backoff', async (t) => {
    const store = fakeStore([7]);
    store.fail.take = 1;
    const beginMs = performance.now();
    const { loop } = start(t, { store, handler: async () => undefined });
    await store.called('take failed');
    for (let n = 0; n < 10; n++) {
      await new Promise(setImmediate);
      loop.wake();
    }
    await store.called('take 7');
    assert.ok(performance.now() - beginMs >= 45, 'half of 100 ms, minus the inaccuracy of timers');
  });

  test('after a failed finish, the work runs again when its lease has expired', async (t) => {
    const store = fakeStore([7, 8]);
    store.fail.finish = 1;
    const { events } = start(t, { store, handler: async () => undefined });
    await store.called('finish 8 undefined');
    assert.deepEqual(events, ['work_stalled']);
  });

  test('a stop waits for the handler, renews its lease, and takes no more work', async (t) => {
    const store = fakeStore([7, 8]);
    const { handler, begun, end } = heldUp();
    const { loop } = start(t, { store, handler, lease_ms: LEASE_MS });
    const { signal } = await begun;
    const closing = loop.close(LONG_MS);
    await store.called('renew 7');
    assert.equal(signal.aborted, false);
    end.resolve(undefined);
    assert.equal(await closing, true);
    assert.ok(store.calls.includes('finish 7 undefined'));
    assert.ok(!store.calls.includes('take 8'));
  });

  test('a stop aborts the handler after its limit, and lets the lease expire', async (t) => {
    const store = fakeStore([7]);
    const { handler, begun, end } = heldUp();
    const { loop } = start(t, { store, handler });
    const { signal } = await begun;
    assert.equal(await loop.close(5), false);
    assert.match(signal.reason.message, /stopping/);
    end.resolve(undefined);
    assert.equal(await loop.close(LONG_MS), true);
    assert.deepEqual(store.calls, ['take 7']);
  });

  test('work that was leased during a stop is returned immediately', async (t) => {
    const store = fakeStore();
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<WorkLease>();
    const takeWork = () => {
      asked.resolve();
      return answer.promise;
    };
    const handler = () => assert.fail('nothing is begun during a stop');
    const { loop } = start(t, { store: { ...store, takeWork }, handler });
    await asked.promise;
    const closing = loop.close(LONG_MS);
    answer.resolve({ kind: KIND, accountId: 7, fence: 1 });
    assert.equal(await closing, true);
    assert.deepEqual(store.calls, ['finish 7 0']);
  });

  test('a stop ends a sleep and a backoff', async (t) => {
    const resting = fakeStore();
    const failing = fakeStore();
    failing.fail.take = Number.POSITIVE_INFINITY;
    const loops = [resting, failing].map((store) => start(t, { store, handler: async () => undefined }).loop);
    await Promise.all([resting.called('nothing'), failing.called('take failed')]);
    const beginMs = performance.now();
    for (const loop of loops) assert.equal(await loop.close(LONG_MS), true);
    assert.ok(performance.now() - beginMs < 60_000);
  });
});
