/** Tests the limit over several processes on one PostgreSQL. Each store represents a process: they share only the database. */
import assert from 'node:assert/strict';
import { before, describe, type TestContext, test } from 'node:test';
import { OFTEN, waitUntil } from '../../../test/harness/wait-until.ts';
import { StoreUnavailableError } from '../../store/port/errors.ts';
import type { RateCounterStore } from '../../store/port/traffic.ts';
import { openPostgresStore } from '../../store/postgres/open.ts';
import { postgresSkipped } from '../../store/postgres/testing/availability.ts';
import { createReadyDatabase, PATIENCE } from '../../store/postgres/testing/test-database.ts';
import type { RateDecision } from './rate-limiter.ts';
import { SharedRateLimiter } from './shared-rate-limiter.ts';

const LIMIT = 300;
let lastAccount = 0;

describe('rate limit over several processes on PostgreSQL', { skip: postgresSkipped() }, () => {
  let url: string;
  before(async () => {
    ({ url } = await createReadyDatabase());
  });

  async function start(t: TestContext, processName: string) {
    const store = await openPostgresStore({ url, ...PATIENCE });
    assert.ok(store.rateCounters);
    const counted = countCalls(store.rateCounters);
    const monotonicMs = () => performance.now();
    const limiter = new SharedRateLimiter({
      counters: counted.counters,
      limit: LIMIT,
      window_seconds: 60,
      keysMax: 100,
      processName,
      monotonicMs,
    });
    t.after(async () => {
      await limiter.close();
      await store.close();
    });
    const take = async (account: number): Promise<RateDecision> => limiter.take(account, monotonicMs());
    const takeMany = async (account: number, count: number): Promise<number> => {
      const decisions = await Promise.all(Array.from({ length: count }, () => take(account)));
      return decisions.filter(({ allowed }) => allowed).length;
    };
    return { store, limiter, take, takeMany, calls: counted.calls };
  }

  test('three busy processes accept exactly the limit together, with few queries', async (t) => {
    const processes = await Promise.all(['a', 'b', 'c'].map((name) => start(t, name)));
    const account = ++lastAccount;
    const startMs = performance.now();
    // On a busy machine the counter may not respond in time. Clients repeat a request that was refused for this reason.
    const answered = async (take: (account: number) => Promise<RateDecision>): Promise<RateDecision> => {
      try {
        return await take(account);
      } catch (error) {
        if (error instanceof StoreUnavailableError) return answered(take);
        throw error;
      }
    };
    // Each process has ten clients, which send one request after the other.
    const clients = processes.flatMap(({ take }) =>
      Array.from({ length: 10 }, async () => {
        let allowed = 0;
        for (let n = 0; n < 40; n++) if ((await answered(take)).allowed) allowed++;
        return allowed;
      }),
    );
    let allowed = (await Promise.all(clients)).reduce((sum, count) => sum + count, 0);
    const calls = processes.reduce((sum, process) => sum + process.calls(), 0);
    // On a busy machine a process may still hold a lease that it returns within a second.
    const probe = async () => {
      if ((await processes[0]?.take(account))?.allowed) allowed++;
      return allowed >= 0.9 * LIMIT || undefined;
    };
    await waitUntil('nine tenths of the limit are used', 10_000, probe, OFTEN);
    assert.ok(allowed <= LIMIT, `${allowed}`);
    assert.ok(calls < 1200 / 2, `${calls} calls of the store for 1,200 requests`);
    const { remaining, reset_seconds } = (await processes[0]?.take(account)) ?? assert.fail();
    assert.ok(remaining <= 0.1 * LIMIT);
    const took_seconds = (performance.now() - startMs) / 1000;
    assert.ok(reset_seconds > 55 - took_seconds && reset_seconds <= 61, `${reset_seconds}`);
  });

  test('unused requests of a stopped process are available to the next at once', async (t) => {
    const [first, second] = await Promise.all([start(t, 'first'), start(t, 'second')]);
    const account = ++lastAccount;
    for (let n = 0; n < 20; n++) assert.equal(await first.takeMany(account, 1), 1);
    await first.limiter.close();
    assert.equal(await second.takeMany(account, LIMIT), LIMIT - 20);
  });

  test('a process that dies loses only its lease', async (t) => {
    const [dying, other] = await Promise.all([start(t, 'dying'), start(t, 'other')]);
    const account = ++lastAccount;
    for (let n = 0; n < 20; n++) assert.equal(await dying.takeMany(account, 1), 1);
    await dying.store.close();
    const allowed = await other.takeMany(account, LIMIT);
    assert.ok(allowed <= LIMIT - 20 && allowed >= LIMIT - 20 - LIMIT / 20, `${allowed}`);
    await assert.rejects(dying.takeMany(account, LIMIT), StoreUnavailableError);
  });

  test('counters are per account, and are dropped after a long time without a change', async (t) => {
    const { store, takeMany } = await start(t, 'alone');
    const [one, other] = [++lastAccount, ++lastAccount];
    assert.equal(await takeMany(one, LIMIT + 1), LIMIT);
    assert.equal(await takeMany(other, LIMIT + 1), LIMIT);
    assert.equal(await store.rateCounters?.dropIdleRateCounters(600_000), 0);
    assert.ok((await store.rateCounters?.readRateCounter(one))?.version);
    // A cut-off in the future, so every counter counts as idle.
    assert.ok(((await store.rateCounters?.dropIdleRateCounters(-600_000)) ?? 0) >= 2);
    assert.equal((await store.rateCounters?.readRateCounter(one))?.version, 0);
  });

  test('a counter that was dropped and created again never matches an earlier version', async (t) => {
    const { rateCounters } = (await start(t, 'sleeper')).store;
    assert.ok(rateCounters);
    const account = ++lastAccount;
    const seen = await rateCounters.swapRateCounter(account, 0, '{}');
    assert.ok(seen !== 'lost');
    assert.ok((await rateCounters.dropIdleRateCounters(-600_000)) >= 1);
    assert.equal(await rateCounters.swapRateCounter(account, seen.version, '{"old":[]}'), 'lost');
    await waitUntil('the next millisecond', 60_000, async () => {
      const { storeMs } = await rateCounters.readRateCounter(account);
      return storeMs > seen.storeMs ? true : undefined;
    });
    assert.notEqual(await rateCounters.swapRateCounter(account, 0, '{"new":[]}'), 'lost');
    assert.equal(await rateCounters.swapRateCounter(account, seen.version, '{"old":[]}'), 'lost');
    assert.equal((await rateCounters.readRateCounter(account)).entries, '{"new":[]}');
  });

  test('a swap succeeds only from the latest state, whether or not the counter exists', async (t) => {
    const { store } = await start(t, 'swapper');
    const { rateCounters } = store;
    assert.ok(rateCounters);
    const account = ++lastAccount;
    const { storeMs, ...nothing } = await rateCounters.readRateCounter(account);
    assert.deepEqual(nothing, { version: 0, entries: '{}' });
    const first = await Promise.all([1, 2, 3].map((n) => rateCounters.swapRateCounter(account, 0, `{"n":${n}}`)));
    assert.equal(first.filter((outcome) => outcome === 'lost').length, 2);
    const { version } = await rateCounters.readRateCounter(account);
    const next = await Promise.all([1, 2, 3].map((n) => rateCounters.swapRateCounter(account, version, `{"m":${n}}`)));
    const [won, ...others] = next.filter((outcome) => outcome !== 'lost');
    assert.ok(won !== undefined && others.length === 0);
    assert.ok(won.version > version && won.storeMs >= storeMs);
    assert.equal(await rateCounters.swapRateCounter(account, version, '{}'), 'lost');
    assert.match((await rateCounters.readRateCounter(account)).entries, /^\{"m":[123]\}$/);
  });
});

function countCalls(counters: RateCounterStore): { counters: RateCounterStore; calls: () => number } {
  let calls = 0;
  return {
    counters: {
      readRateCounter: (accountId) => {
        calls++;
        return counters.readRateCounter(accountId);
      },
      swapRateCounter: (accountId, version, entries) => {
        calls++;
        return counters.swapRateCounter(accountId, version, entries);
      },
      dropIdleRateCounters: (idle_ms) => counters.dropIdleRateCounters(idle_ms),
    },
    calls: () => calls,
  };
}
