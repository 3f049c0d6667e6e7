/** Tests rate-counter.ts: how much each process may lease, at the limits. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  COUNTED_MS,
  type CounterEntries,
  earliestStoreMs,
  entriesOfOthers,
  firstEndMs,
  LEASE_MS,
  latestStoreMs,
  localMsOf,
  ownEntries,
  sizeOfLease,
  smallLease,
  stepsPerEntry,
  sumOf,
} from './rate-counter.ts';
import { type UsedStep, UsedSteps } from './used-steps.ts';

const TIME = { storeMs: 1_000_000, sentMs: 100, receivedMs: 107 };

function stepsOf(...times: number[]): readonly UsedStep[] {
  const steps = new UsedSteps();
  for (const time of times) steps.add(time);
  return steps.inSteps(1);
}

describe('the size of a lease', () => {
  const needs = { limit: 3000, counted: 0, waiting: 0, usedLately: 0, small: 0 };

  it('equals the waiting requests when nothing was used recently', () => {
    assert.equal(sizeOfLease({ ...needs, waiting: 1 }), 1);
    assert.equal(sizeOfLease({ ...needs, waiting: 64 }), 64);
    assert.equal(sizeOfLease(needs), 0);
  });

  it('is the waiting plus the recently used requests, up to a twentieth of the limit', () => {
    assert.equal(sizeOfLease({ ...needs, waiting: 3, usedLately: 10 }), 13);
    assert.equal(sizeOfLease({ ...needs, waiting: 3, usedLately: 150 }), 153);
    assert.equal(sizeOfLease({ ...needs, waiting: 3, usedLately: 151 }), 153);
  });

  it('is small for a process with few requests, and none when no request waits', () => {
    assert.equal(sizeOfLease({ ...needs, waiting: 1, small: 3 }), 4);
    assert.equal(sizeOfLease({ ...needs, waiting: 1, small: 3, usedLately: 5 }), 6);
    assert.equal(sizeOfLease({ ...needs, waiting: 0, small: 3 }), 0);
    assert.equal(sizeOfLease({ ...needs, counted: 2998, waiting: 1, small: 3 }), 1);
  });

  it('shrinks with the limit, the free requests, and the number of processes', () => {
    assert.equal(smallLease(3000, 0, 0), 3);
    assert.equal(smallLease(999, 0, 0), 0);
    assert.deepEqual(
      [49, 50, 149, 150].map((others) => smallLease(3000, 0, others)),
      [3, 2, 1, 0],
      'together they keep at most a twentieth of the limit',
    );
    assert.deepEqual(
      [2994, 2995, 2998, 2999, 3000, 3100].map((counted) => smallLease(3000, counted, 0)),
      [3, 2, 1, 0, 0, 0],
      'and at most half of the free requests',
    );
  });

  it('never exceeds the limit', () => {
    assert.equal(sizeOfLease({ ...needs, counted: 2999, waiting: 1, usedLately: 50 }), 1);
    assert.equal(sizeOfLease({ ...needs, counted: 2999, waiting: 2 }), 1);
    assert.equal(sizeOfLease({ ...needs, counted: 3000, waiting: 1, usedLately: 50 }), 0);
    assert.equal(sizeOfLease({ ...needs, counted: 3001, waiting: 1 }), 0);
  });

  it('leaves half of the rest to others', () => {
    assert.equal(sizeOfLease({ ...needs, counted: 2900, waiting: 10, usedLately: 150 }), 55);
    assert.equal(sizeOfLease({ ...needs, counted: 2998, waiting: 1, usedLately: 150 }), 1);
  });
});

describe('the entries of the counter', () => {
  it('of other processes count until just before the millisecond they expire in', () => {
    const entries: CounterEntries = { a: [[500, 3]], me: [[900, 5]], b: [[400, 1], [501, 2]] }; // biome-ignore format: a table
    assert.deepEqual(entriesOfOthers(entries, 'me', 499), { a: [[500, 3]], b: [[501, 2]] });
    assert.deepEqual(entriesOfOthers(entries, 'me', 500), { b: [[501, 2]] });
    assert.deepEqual(entriesOfOthers(entries, 'me', 501), {});
    assert.equal(sumOf(entries), 11);
    assert.equal(firstEndMs(entries), 400);
    assert.deepEqual([sumOf({}), firstEndMs({})], [0, Number.POSITIVE_INFINITY]);
  });

  it('of this process count every request, for at least the whole window', () => {
    const times = [0, 1, 1999, 2000, 3999.5, 59_000];
    const entries = ownEntries(stepsOf(...times), 7, 60_000, TIME);
    assert.equal(
      entries.reduce((sum, [, requests]) => sum + requests, 0),
      times.length + 7,
    );
    for (const time of times) {
      const endMs = latestStoreMs(TIME, time) + 60_000;
      const counting = entries.filter(([untilMs]) => untilMs >= endMs).reduce((sum, [, requests]) => sum + requests, 0);
      const sinceThen = times.filter((other) => other >= time).length;
      assert.ok(counting >= sinceThen + 7, `${time}`);
    }
  });

  it('are few, however many requests there were', () => {
    const times = Array.from({ length: 3000 }, (_, index) => index * 20);
    assert.ok(ownEntries(stepsOf(...times), 1, 60_000, TIME).length <= 32);
    assert.deepEqual(ownEntries(stepsOf(), 0, 60_000, TIME), []);
  });

  it('are fewer when many processes report, and count no request for a shorter time', () => {
    const others = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, []]));
    assert.deepEqual(
      [0, 1, 4, 5, 8, 9, 1000].map((count) => stepsPerEntry(others(count))),
      [1, 1, 1, 2, 2, 3, 3],
    );
    const steps = new UsedSteps();
    const times = Array.from({ length: 300 }, (_, index) => index * 200);
    for (const time of times) steps.add(time);
    const told = steps.inSteps(3);
    assert.equal(told.length, 10);
    for (const time of times) {
      const counting = told.filter(({ lastMs }) => lastMs >= time).reduce((sum, { requests }) => sum + requests, 0);
      assert.ok(counting >= times.filter((other) => other >= time).length, `${time}`);
    }
  });

  it('of a step are dropped when its last request expires', () => {
    const steps = new UsedSteps();
    for (const time of [0, 1999, 2000, 2500]) steps.add(time);
    steps.forgetUntil(1998);
    assert.deepEqual(
      steps.inSteps(1).map(({ requests }) => requests),
      [2, 2],
    );
    steps.forgetUntil(1999);
    assert.deepEqual(
      steps.inSteps(1).map(({ lastMs, requests }) => [lastMs, requests]),
      [[2500, 2]],
    );
  });

  it('of a lease count for a whole window after its last moment', () => {
    const [[untilMs] = [0]] = ownEntries(stepsOf(), 5, 200, TIME);
    assert.ok(untilMs >= latestStoreMs(TIME, 200 + LEASE_MS) + 60_000);
    assert.equal(untilMs, TIME.storeMs + 100 + COUNTED_MS);
  });
});

it('the time of the store is known between two bounds', () => {
  assert.deepEqual([earliestStoreMs(TIME, 107), latestStoreMs(TIME, 107)], [1_000_000, 1_000_007]);
  assert.equal(localMsOf(TIME, 1_000_500), 607);
});
