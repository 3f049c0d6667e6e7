/** Tests rate-limiter.ts: the count is exact for any sequence of requests. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededChance } from '../../../test/harness/seeded-random.ts';
import { SlidingWindowLimiter } from './rate-limiter.ts';

const WINDOW_MS = 60_000;

function limiterOf(limit: number, keysMax = 10): SlidingWindowLimiter<string> {
  return new SlidingWindowLimiter<string>({ limit, window_seconds: 60, keysMax });
}

/** Takes `requests` at one time; returns how many were accepted. */
function takeMany(limiter: SlidingWindowLimiter<string>, count: number, nowMs: number, key = 'a'): number {
  return Array.from({ length: count }, () => limiter.take(key, nowMs)).filter((decision) => decision.allowed).length;
}

/** Implements the same rule in its simplest form: it keeps all times and counts them each time. */
class NaiveLimiter {
  readonly #limit: number;
  readonly #taken: number[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  take(nowMs: number) {
    const counting = () => this.#taken.filter((takenMs) => takenMs > nowMs - WINDOW_MS);
    const allowed = counting().length < this.#limit;
    if (allowed) this.#taken.push(nowMs);
    const left = counting();
    const oldestMs = left[0] ?? nowMs - WINDOW_MS;
    const reset_seconds = Math.ceil((WINDOW_MS - (nowMs - oldestMs)) / 1000);
    return { allowed, limit: this.#limit, remaining: this.#limit - left.length, reset_seconds };
  }
}

describe('SlidingWindowLimiter', () => {
  it('lets exactly the limit through', () => {
    for (const limit of [1, 2, 31, 32, 33, 100, 3000]) {
      assert.equal(takeMany(limiterOf(limit), limit + 50, 5), limit);
    }
  });

  it('counts a request until 60 seconds have passed, not a millisecond longer', () => {
    const limiter = limiterOf(1);
    assert.equal(takeMany(limiter, 1, 1000), 1);
    assert.equal(takeMany(limiter, 1, 1000 + WINDOW_MS - 0.001), 0);
    assert.equal(takeMany(limiter, 1, 1000 + WINDOW_MS), 1);
    assert.equal(takeMany(limiter, 1, 1000 + WINDOW_MS), 0);
  });

  it('resets at most 60 seconds after a request, at any fraction of a millisecond', () => {
    const times = Array.from({ length: 1000 }, (_, n) => 5536.67 + n * 0.37);
    assert.deepEqual([...new Set(times.map((nowMs) => limiterOf(1).take('a', nowMs).reset_seconds))], [60]);
  });

  it('does not count refused requests', () => {
    const limiter = limiterOf(5);
    assert.equal(takeMany(limiter, 5, 0), 5);
    for (let nowMs = 0; nowMs < WINDOW_MS; nowMs += 1000) assert.equal(takeMany(limiter, 10, nowMs), 0);
    assert.equal(takeMany(limiter, 10, WINDOW_MS), 5);
  });

  it('slides: never more than the limit in any 60 seconds around a minute', () => {
    const limiter = limiterOf(100);
    assert.equal(takeMany(limiter, 100, WINDOW_MS - 1), 100);
    assert.equal(takeMany(limiter, 100, WINDOW_MS + 1), 0);
    assert.equal(takeMany(limiter, 100, 2 * WINDOW_MS - 1), 100);
  });

  for (const [limit, seed] of [
    [1, 1],
    [3, 2],
    [32, 3],
    [50, 4],
    [200, 5],
  ] as const) {
    it(`agrees with a naive count of ${limit} over a random sequence`, () => {
      const chance = seededChance(seed);
      const [limiter, naive] = [limiterOf(limit), new NaiveLimiter(limit)];
      let nowMs = 1_000_000 * chance.fraction();
      for (let step = 0; step < 2000; step++) {
        // Bursts at one instant, slow streams, and pauses about as long as the window.
        const pauses = [0, 0, 0, chance.fraction() * 5, (chance.fraction() * WINDOW_MS * 2) / limit, 1000];
        nowMs += chance.fraction() < 0.01 ? WINDOW_MS * chance.pick([0.5, 1, 1, 1.5]) : chance.pick(pauses);
        assert.deepEqual(limiter.take('a', nowMs), naive.take(nowMs), `step ${step}`);
        if (chance.fraction() < 0.02) limiter.sweep(nowMs);
      }
    });
  }

  it('counts each key separately', () => {
    const limiter = limiterOf(2);
    assert.equal(takeMany(limiter, 3, 0, 'a'), 2);
    assert.equal(takeMany(limiter, 3, 0, 'b'), 2);
    assert.equal(takeMany(limiter, 3, 0, 'a'), 0);
  });

  it('reports how many are left and when the oldest expires', () => {
    const limiter = limiterOf(3);
    assert.deepEqual(limiter.peek('a', 0), { allowed: true, limit: 3, remaining: 3, reset_seconds: 0 });
    assert.deepEqual(limiter.take('a', 0), { allowed: true, limit: 3, remaining: 2, reset_seconds: 60 });
    assert.deepEqual(limiter.take('a', 500), { allowed: true, limit: 3, remaining: 1, reset_seconds: 60 });
    assert.deepEqual(limiter.take('a', 1000), { allowed: true, limit: 3, remaining: 0, reset_seconds: 59 });
    assert.deepEqual(limiter.take('a', 59_001), { allowed: false, limit: 3, remaining: 0, reset_seconds: 1 });
    assert.deepEqual(limiter.take('a', 60_000), { allowed: true, limit: 3, remaining: 0, reset_seconds: 1 });
  });

  it('accepts a request again after reset_seconds', () => {
    const chance = seededChance(6);
    for (let round = 0; round < 200; round++) {
      const limiter = limiterOf(5);
      let nowMs = chance.fraction() * 1e6;
      for (let n = 0; n < 5; n++) {
        limiter.take('a', nowMs);
        nowMs += chance.fraction() * 10_000;
      }
      const refused = limiter.take('a', nowMs);
      assert.equal(refused.allowed, false);
      assert.ok(refused.reset_seconds >= 1 && refused.reset_seconds <= 60);
      assert.equal(limiter.take('a', nowMs + refused.reset_seconds * 1000).allowed, true);
    }
  });

  it('peeks without counting', () => {
    const limiter = limiterOf(1);
    for (let n = 0; n < 3; n++) assert.equal(limiter.peek('a', 0).allowed, true);
    limiter.take('a', 0);
    for (let n = 0; n < 3; n++) assert.equal(limiter.peek('a', 0).allowed, false);
    assert.equal(limiter.peek('a', WINDOW_MS).allowed, true);
  });

  it('returns taken requests, and no more', () => {
    const limiter = limiterOf(2);
    limiter.giveBack('a');
    assert.equal(takeMany(limiter, 3, 0), 2);
    limiter.giveBack('a');
    assert.equal(takeMany(limiter, 3, 0), 1);
    for (let n = 0; n < 3; n++) limiter.giveBack('a');
    assert.equal(takeMany(limiter, 3, 0), 2);
  });

  it('keeps no memory for returned requests', () => {
    const limiter = limiterOf(1, 2);
    limiter.take('a', 0);
    for (const key of ['b', 'c', 'd']) {
      limiter.take(key, 0);
      limiter.giveBack(key);
    }
    assert.equal(limiter.peek('a', 0).allowed, false);
  });

  it('never sweeps a request that still counts', () => {
    const limiter = limiterOf(2);
    limiter.take('a', 0);
    limiter.take('a', 30_000);
    limiter.sweep(WINDOW_MS - 1);
    assert.equal(limiter.peek('a', WINDOW_MS - 1).allowed, false);
    limiter.sweep(WINDOW_MS);
    assert.equal(limiter.peek('a', WINDOW_MS).remaining, 1);
    limiter.sweep(2 * WINDOW_MS);
    assert.equal(limiter.peek('a', 2 * WINDOW_MS).remaining, 2);
  });

  it('evicts the oldest key when there are too many', () => {
    const limiter = limiterOf(1, 2);
    for (const key of ['a', 'b', 'c']) limiter.take(key, 0);
    assert.deepEqual(
      ['a', 'b', 'c'].map((key) => limiter.peek(key, 0).allowed),
      [true, false, false],
    );
  });
});
