/** Tests retention.ts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../domain/vocabulary/iso-time.ts';
import { retention } from './retention.ts';

const NEVER = new AbortController().signal;

/** Returns the chores on a store that has only these methods. */
function choresOn(store: object, nowMs: number, history_days = 90) {
  return retention(store as Parameters<typeof retention>[0], history_days, () => nowMs);
}

/** Deletes history with this many slices left. Returns the cutoff time of each call to the store, in days. */
async function historyDropped(slices: number, history_days: number, signal = NEVER): Promise<readonly number[]> {
  const asked: number[] = [];
  const dropHistory = async (beforeMs: number) => (asked.push(beforeMs / DAY_MS) <= slices ? 'more' : 'done');
  await choresOn({ history: { dropHistory } }, 1000 * DAY_MS, history_days).history(signal);
  return asked;
}

test('deletes expired history slice by slice until none is left', async () => {
  assert.deepEqual(await historyDropped(0, 90), [910]);
  assert.deepEqual(await historyDropped(2, 90), [910, 910, 910]);
});

test('deletes all history if it is turned off', async () => {
  assert.deepEqual(await historyDropped(0, 0), [1000]);
});

test('stops when aborted, and leaves the rest to the next round', async () => {
  assert.deepEqual(await historyDropped(2, 90, AbortSignal.abort()), []);
});

test('deletes sessions and activities until none is left', async () => {
  const calls: unknown[] = [];
  const people = {
    dropEndedSessions: async (beforeMs: number) => calls.push(['sessions', beforeMs]) < 2,
    dropActsBefore: async (beforeMs: number) => calls.push(['acts', beforeMs]) < 2,
  };
  const { sessions, acts } = choresOn({ people }, 1000 * DAY_MS);
  await sessions(NEVER);
  await acts(NEVER);
  assert.deepEqual(calls, [
    ['sessions', 1000 * DAY_MS],
    ['sessions', 1000 * DAY_MS],
    ['acts', 270 * DAY_MS],
  ]);
});

test('deletes keys older than a day, account by account until none is left', async () => {
  const calls: unknown[] = [];
  const merchants = [{ accounts: { test: 7, live: 8 } }, { accounts: { test: 9, live: 10 } }];
  const store = {
    settings: { listMerchants: async () => merchants },
    idempotency: { dropKeys: async (...asked: number[]) => calls.push(asked) < 3 },
  };
  await choresOn(store, 3 * DAY_MS).idempotencyKeys(NEVER);
  assert.deepEqual(
    calls,
    [7, 7, 7, 8, 9, 10].map((accountId) => [accountId, 2 * DAY_MS]),
  );
});

test('deletes plans as old as their bulk files, account by account until none is left', async () => {
  const calls: unknown[] = [];
  const store = {
    settings: { listMerchants: async () => [{ accounts: { test: 7, live: 8 } }] },
    plans: { dropPlans: async (...asked: number[]) => calls.push(asked) < 2 },
  };
  await choresOn(store, 31 * DAY_MS).plans(NEVER);
  assert.deepEqual(calls, [
    [7, DAY_MS],
    [7, DAY_MS],
    [8, DAY_MS],
  ]);
});

test('deletes counts older than seven days, until none is left', async () => {
  const before: number[] = [];
  const traffic = { dropRequestCounts: async (minute: number) => before.push(minute) < 3 };
  await choresOn({ traffic }, 10 * DAY_MS + 59_999).requestCounts(NEVER);
  assert.deepEqual(before, Array(3).fill(3 * 1440));
});

test('deletes logged requests of each account until none is left, and stops when aborted', async () => {
  const dropped: [number, number][] = [];
  const stop = new AbortController();
  const traffic = {
    listLoggingAccounts: async (beforeMs: number, sinceMinute: number) => {
      assert.deepEqual([beforeMs, sinceMinute], [3 * DAY_MS, 10 * 1440 - 30]);
      return [5, 6, 7];
    },
    dropRequestLog: async (accountId: number, beforeMs: number) => {
      dropped.push([accountId, beforeMs]);
      if (accountId === 6) stop.abort();
      return dropped.length < 3;
    },
  };
  await choresOn({ traffic }, 10 * DAY_MS).requestLog(stop.signal);
  assert.deepEqual(
    dropped,
    [5, 5, 5, 6].map((accountId) => [accountId, 3 * DAY_MS]),
  );
});
