/**
 * Tests shared-rate-limiter.ts in a simulation: several processes with different clocks, and a store
 * that responds late, out of order, or not at all.
 */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { type Chance, seededChance } from '../../../test/harness/seeded-random.ts';
import { StoreUnavailableError } from '../../store/port/errors.ts';
import type { RateCounter, RateCounterStore } from '../../store/port/traffic.ts';
import { LEASE_MS } from './rate-counter.ts';
import { type RateDecision, SlidingWindowLimiter } from './rate-limiter.ts';
import { SharedRateLimiter } from './shared-rate-limiter.ts';

const WINDOW_MS = 60_000;
const STEP_MS = 5;
const ACCOUNT = 7;

interface Process extends SharedRateLimiter {
  /** Offset of the process's clock from the simulated time. */
  readonly offset_ms: number;
  /** Once its life is over, the process's store calls fail. */
  readonly life: { isOver: boolean };
}

class World {
  readonly #t: TestContext;
  readonly #chance: Chance;
  nowMs = 0;
  latency_ms_max = 0;
  failing = 0;
  queries = 0;
  swaps = 0;
  /** Longest stored text. */
  entriesLength_max = 0;
  readonly #counters = new Map<number, { version: number; entries: string }>();

  constructor(t: TestContext, chance: Chance = seededChance(1)) {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    this.#t = t;
    this.#chance = chance;
  }

  process(name: string, limit: number, keysMax = 10): Process {
    const life = { isOver: false };
    const offset_ms = Math.round(this.#chance.fraction() * 1e6);
    const limiter = new SharedRateLimiter({
      counters: this.#store(life),
      limit,
      window_seconds: 60,
      keysMax,
      processName: name,
      monotonicMs: () => this.nowMs + offset_ms,
    });
    return Object.assign(limiter, { offset_ms, life });
  }

  /** Advances the time in small steps. After each, all due timers and promises run. */
  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      this.nowMs += STEP_MS;
      this.#t.mock.timers.tick(STEP_MS);
      await this.settle();
    }
  }

  async settle(): Promise<void> {
    await new Promise(setImmediate);
  }

  #store(life: Process['life']): RateCounterStore {
    const stored = (accountId: number) => this.#counters.get(accountId) ?? { version: 0, entries: '{}' };
    return {
      readRateCounter: (accountId) =>
        this.#answer(life, (): RateCounter => ({ ...stored(accountId), storeMs: this.#storeMs() })),
      swapRateCounter: (accountId, version, entries) =>
        this.#answer(life, () => {
          if (stored(accountId).version !== version) return 'lost';
          this.#counters.set(accountId, { version: version + 1, entries });
          this.swaps++;
          this.entriesLength_max = Math.max(this.entriesLength_max, entries.length);
          return { version: version + 1, storeMs: this.#storeMs() };
        }),
      dropIdleRateCounters: () => assert.fail('not called here'),
    };
  }

  #storeMs(): number {
    return 1_700_000_000_000 + this.nowMs;
  }

  /** Request and response each take time, and each may be lost. */
  async #answer<T>(life: Process['life'], work: () => T): Promise<T> {
    this.queries++;
    await this.#travel();
    if (life.isOver) throw new StoreUnavailableError('The process has died.');
    const answer = work();
    await this.#travel();
    return answer;
  }

  async #travel(): Promise<void> {
    const latency_ms = this.#chance.fraction() * this.latency_ms_max;
    if (latency_ms >= 1) await new Promise((resolve) => setTimeout(resolve, latency_ms));
    if (this.#chance.fraction() < this.failing) throw new StoreUnavailableError('The message was lost.');
  }
}

/** Takes this many requests at once; returns how many were accepted. */
async function takeMany(world: World, limiter: Process, count: number, account = ACCOUNT) {
  const nowMs = world.nowMs + limiter.offset_ms;
  const decisions = await Promise.all(Array.from({ length: count }, () => limiter.take(account, nowMs)));
  return decisions.filter(({ allowed }) => allowed).length;
}

describe('one process with a shared counter', () => {
  it('accepts exactly the limit, concurrently and in sequence', async (t) => {
    const world = new World(t);
    for (const limit of [1, 2, 33, 3000]) {
      assert.equal(await takeMany(world, world.process(`at once ${limit}`, limit), limit + 50, limit), limit);
      const inRow = world.process(`in a row ${limit}`, limit);
      let allowed = 0;
      for (let n = 0; n < limit + 50; n++) allowed += await takeMany(world, inRow, 1, 10_000 + limit);
      assert.equal(allowed, limit);
    }
  });

  it('agrees with a limiter that shares nothing, over a random sequence', async (t) => {
    const chance = seededChance(2);
    const world = new World(t, chance);
    for (const limit of [1, 3, 50]) {
      const shared = world.process('p', limit);
      const alone = new SlidingWindowLimiter<number>({ limit, window_seconds: 60, keysMax: 1 });
      for (let step = 0; step < 200; step++) {
        await world.pass(chance.pick([0, 0, 5, 10, 500, chance.fraction() < 0.05 ? WINDOW_MS : 1000]));
        const nowMs = world.nowMs + shared.offset_ms;
        assert.deepEqual(await shared.take(limit, nowMs), alone.take(limit, nowMs), `limit ${limit}, step ${step}`);
        assert.deepEqual(shared.peek(limit, nowMs), alone.peek(limit, nowMs));
        if (chance.fraction() < 0.02) shared.sweep(nowMs);
      }
    }
  });

  it('asks a few times for thousands of requests, and not at all to refuse them', async (t) => {
    const world = new World(t);
    const limiter = world.process('p', 3000);
    for (let n = 0; n < 3000; n++) await takeMany(world, limiter, 1);
    assert.ok(world.queries < 60, `${world.queries} queries`);
    const before = world.queries;
    assert.equal(await takeMany(world, limiter, 1), 0);
    const refusing = world.queries;
    assert.equal(await takeMany(world, limiter, 10_000), 0);
    assert.ok(refusing - before <= 1 && world.queries === refusing);
  });

  it('decides without a promise while it has a lease', async (t) => {
    const world = new World(t);
    const limiter = world.process('p', 100);
    await takeMany(world, limiter, 2);
    await takeMany(world, limiter, 1);
    assert.ok(!(limiter.take(ACCOUNT, world.nowMs + limiter.offset_ms) instanceof Promise));
  });

  it('never uses an expired lease, even if returning it to the store failed', async (t) => {
    const world = new World(t);
    const limiter = world.process('p', 100);
    for (let n = 0; n < 8; n++) await takeMany(world, limiter, 1);
    world.failing = 1;
    await world.pass(LEASE_MS);
    await assert.rejects(async () => limiter.take(ACCOUNT, world.nowMs + limiter.offset_ms), StoreUnavailableError);
    world.failing = 0;
    assert.equal(await takeMany(world, limiter, 100), 92);
  });

  it('asks again when the response arrives after the lease has expired', async (t) => {
    const world = new World(t);
    const limiter = world.process('p', 10);
    const taking = takeMany(world, limiter, 11);
    // The clock advances while responses are in flight, as in a busy process.
    for (let turn = 0; turn < 4; turn++) await Promise.resolve();
    world.nowMs += LEASE_MS;
    assert.equal(await taking, 10);
    assert.ok(world.queries > 2, `${world.queries}`);
  });

  it('asks once for all waiting requests, and about once a second under steady load', async (t) => {
    const world = new World(t);
    const limiter = world.process('p', 3000);
    assert.equal(await takeMany(world, limiter, 500), 500);
    assert.equal(world.queries, 2, 'one read, one swap');
    await world.pass(5_000);
    const before = world.queries;
    for (let n = 0; n < 200; n++) {
      await takeMany(world, limiter, 1);
      await world.pass(50);
    }
    const queries = world.queries - before;
    assert.ok(queries <= 25, `${queries} queries in 10 seconds`);
  });

  it('evicts idle accounts and the oldest of too many, but no counted request', async (t) => {
    const world = new World(t);
    const limiter = world.process('p', 2, 2);
    for (const account of [1, 2, 3]) assert.equal(await takeMany(world, limiter, 2, account), 2);
    assert.equal(
      await takeMany(world, limiter, 1, 1),
      0,
      'the account was evicted, but the counter still holds its requests',
    );
    await world.pass(WINDOW_MS + 2_000);
    limiter.sweep(world.nowMs + limiter.offset_ms);
    assert.equal(await takeMany(world, limiter, 3, 1), 2);
  });
});

describe('several processes with a shared counter', () => {
  for (const seed of [1, 2, 3]) {
    it(`never let more than the limit through in 60 seconds, and at least 90 % of it (seed ${seed})`, async (t) => {
      const { allowed, ideal } = await live(t, { seed, failing: 0, dying: false });
      assert.ok(allowed >= 0.9 * ideal, `${allowed} of ${ideal}`);
    });

    it(`never let more through while the store fails and processes die (seed ${seed})`, async (t) => {
      const { allowed } = await live(t, { seed: 100 + seed, failing: 0.05, dying: true });
      assert.ok(allowed > 0);
    });
  }

  it('return unused requests', async (t) => {
    const world = new World(t);
    const [busy, other] = [world.process('busy', 100), world.process('other', 100)];
    for (let n = 0; n < 8; n++) await takeMany(world, busy, 1);
    const leased = 100 - (await takeMany(world, other, 100)) - 8;
    assert.ok(leased > 0, 'the busy process has unused requests');
    assert.equal(await takeMany(world, other, 1), 0);
    // The busy process keeps a reserve at first and then returns it. The other one asks again.
    await world.pass(3 * LEASE_MS);
    assert.equal(await takeMany(world, other, 100), leased);
  });

  it('return a lease that arrives while they stop', async (t) => {
    const world = new World(t);
    world.latency_ms_max = 200;
    const [stopping, other] = [world.process('stopping', 100), world.process('other', 100)];
    const settled = async <T>(work: Promise<T>): Promise<T> => {
      await world.pass(3 * world.latency_ms_max * 2);
      return work;
    };
    for (let n = 0; n < 8; n++) stopping.take(ACCOUNT, world.nowMs + stopping.offset_ms);
    await world.pass(800);
    // Recent use makes the next lease larger than the waiting requests need.
    const last = stopping.take(ACCOUNT, world.nowMs + stopping.offset_ms);
    assert.ok(last instanceof Promise, 'it asks while it is stopping');
    const stopped = Promise.all([stopping.close(), last]).then(() => {
      stopping.life.isOver = true;
    });
    await settled(stopped);
    assert.equal(await settled(takeMany(world, other, 100)), 91);
  });

  it('return unused requests at once when they stop', async (t) => {
    const world = new World(t);
    const [busy, other] = [world.process('busy', 100), world.process('other', 100)];
    for (let n = 0; n < 8; n++) await takeMany(world, busy, 1);
    await busy.close();
    assert.equal(await takeMany(world, other, 100), 92);
  });

  it('lose at most the lease of a process that dies, for at most 61 seconds', async (t) => {
    const world = new World(t);
    const [dying, other] = [world.process('dying', 100), world.process('other', 100)];
    for (let n = 0; n < 8; n++) await takeMany(world, dying, 1);
    dying.life.isOver = true;
    const allowed = await takeMany(world, other, 100);
    assert.ok(allowed < 92 && allowed >= 92 - 5, `${allowed}: a twentieth of the limit may be lost`);
    await world.pass(61_005);
    assert.equal(await takeMany(world, other, 101), 100);
  });

  it('share when both are busy', async (t) => {
    const world = new World(t);
    const both = [world.process('a', 3000), world.process('b', 3000)];
    const counts = [0, 0];
    for (let round = 0; round < 4000; round++) {
      const index = round % 2;
      const limiter = both[index];
      if (limiter !== undefined) counts[index] = (counts[index] ?? 0) + (await takeMany(world, limiter, 1));
    }
    const [a = 0, b = 0] = counts;
    assert.ok(a + b <= 3000 && a + b >= 2700, `${a} + ${b}`);
    assert.ok(Math.min(a, b) >= 1000, `${a}, ${b}`);
  });

  it('take leases of at least two requests and write little, even with many processes', async (t) => {
    const { world, allowed, asked } = await liveAsMany(t, 45);
    assert.equal(allowed, asked);
    assert.ok(world.swaps < asked / 2, `${world.swaps} leases for ${asked} requests`);
    assert.ok(world.queries < 1.1 * asked, `${world.queries} queries`);
    assert.ok(world.entriesLength_max < 10_000, `${world.entriesLength_max} characters`);
  });

  it('accept at least 90 % of the limit, even with many processes', async (t) => {
    const { allowed } = await liveAsMany(t, 100);
    assert.ok(allowed <= 2 * MANY_LIMIT && allowed >= 0.9 * 2 * MANY_LIMIT, `${allowed}`);
  });

  it('report that the database does not respond, and continue when it does', async (t) => {
    const world = new World(t);
    const limiter = world.process('p', 10);
    world.failing = 1;
    await assert.rejects(async () => limiter.take(ACCOUNT, limiter.offset_ms), StoreUnavailableError);
    world.failing = 0;
    assert.equal(await takeMany(world, limiter, 11), 10);
  });
});

/** Simulates 150 s of load that shifts between four processes, and checks the limit in every window. */
async function live(t: TestContext, options: { seed: number; failing: number; dying: boolean }) {
  const limit = 200;
  const chance = seededChance(options.seed);
  const world = new World(t, chance);
  world.latency_ms_max = 20;
  world.failing = options.failing;
  let born = 0;
  const bear = () => world.process(`p${born++}`, limit);
  const processes = Array.from({ length: 4 }, bear);
  const ideal = new SlidingWindowLimiter<number>({ limit, window_seconds: 60, keysMax: 1 });
  const allowedMs: number[] = [];
  let idealAllowed = 0;
  let weights = [1, 1, 1, 1];
  let perSecond = 10;
  const note = ({ allowed }: RateDecision) => {
    if (allowed) allowedMs.push(world.nowMs);
  };
  for (let step = 0; world.nowMs < 150_000; step++) {
    if (step % 1000 === 0) {
      weights = chance.pick([[1, 1, 1, 1], [10, 1, 0, 0], [0, 0, 1, 10], [1, 0, 0, 0], [0, 1, 1, 0]]); // biome-ignore format: a table
      perSecond = chance.pick([1, 3, 4, 10, 100]);
      if (options.dying) {
        const index = chance.below(4);
        for (const dying of processes.slice(index, index + 1)) dying.life.isOver = true;
        processes[index] = bear();
      }
    }
    for (let arrivals = 0; chance.fraction() < (perSecond * STEP_MS) / 1000 / (arrivals + 1); arrivals++) {
      const limiter = processes[pickWeighted(weights, chance)];
      if (limiter === undefined) continue;
      if (ideal.take(ACCOUNT, world.nowMs).allowed) idealAllowed++;
      const decision = limiter.take(ACCOUNT, world.nowMs + limiter.offset_ms);
      if (decision instanceof Promise) decision.then(note, () => {});
      else note(decision);
    }
    await world.pass(STEP_MS);
  }
  let oldest = 0;
  for (const [index, timeMs] of allowedMs.entries()) {
    while ((allowedMs[oldest] ?? 0) <= timeMs - WINDOW_MS) oldest++;
    assert.ok(index - oldest + 1 <= limit, `${index - oldest + 1} requests in the 60 s up to ${timeMs}`);
  }
  return { allowed: allowedMs.length, ideal: idealAllowed };
}

const MANY_LIMIT = 3000;

/** Simulates two minutes of steady load spread over 32 processes, as behind a load balancer. */
async function liveAsMany(t: TestContext, perSecond: number) {
  const chance = seededChance(perSecond);
  const world = new World(t, chance);
  world.latency_ms_max = 2;
  const processes = Array.from({ length: 32 }, (_, n) => world.process(`0123456789${n.toString(16)}`, MANY_LIMIT));
  let [allowed, asked] = [0, 0];
  const note = (decision: RateDecision) => {
    if (decision.allowed) allowed++;
  };
  while (world.nowMs < 2 * WINDOW_MS - 1000) {
    if (chance.fraction() < (perSecond * STEP_MS) / 1000) {
      const limiter = chance.pick(processes);
      asked++;
      const decision = limiter.take(ACCOUNT, world.nowMs + limiter.offset_ms);
      if (decision instanceof Promise) decision.then(note);
      else note(decision);
    }
    await world.pass(STEP_MS);
  }
  await world.pass(1000);
  return { world, allowed, asked };
}

function pickWeighted(weights: readonly number[], chance: Chance): number {
  let left = chance.fraction() * weights.reduce((sum, weight) => sum + weight, 0);
  return weights.findIndex((weight) => {
    left -= weight;
    return left < 0;
  });
}
