/**
 * Decides how many requests of one account this process may accept. It holds the lease of the process and renews it from the shared
 * counter.
 */
import type { Awaitable } from '../../domain/awaitable.ts';
import { StoreUnavailableError } from '../../store/port/errors.ts';
import type { RateCounterStore } from '../../store/port/traffic.ts';
import {
  type CounterEntries,
  earliestStoreMs,
  entriesOfOthers,
  firstEndMs,
  LEASE_MS,
  localMsOf,
  ownEntries,
  type StoreTime,
  sizeOfLease,
  smallLease,
  stepsPerEntry,
  sumOf,
} from './rate-counter.ts';
import type { RateDecision } from './rate-limiter.ts';
import { RequestWindow } from './request-window.ts';
import { UsedSteps } from './used-steps.ts';

export interface AllowanceOptions {
  readonly counters: RateCounterStore;
  readonly limit: number;
  readonly window_seconds: number;
  /** The clock that callers read the time from. */
  readonly monotonicMs: () => number;
  /** The name of this process in the counter; unique, and never reused. */
  readonly name: string;
}

interface Waiter {
  resolve(decision: RateDecision): void;
  reject(error: unknown): void;
}

/** The counter as this process last read or wrote it. */
interface Seen {
  readonly version: number;
  readonly others: CounterEntries;
  readonly time: StoreTime;
}

/** The values to write, as of `nowMs`. */
interface Plan {
  readonly lease: number;
  /** How many unused requests the process may keep when the lease ends. */
  readonly small: number;
  readonly others: CounterEntries;
  readonly entries: CounterEntries;
  readonly nowMs: number;
}

const NEVER = Number.NEGATIVE_INFINITY;
/** A refused process asks again after this time, because others may have returned unused leases. */
const ASK_AGAIN_MS = 250;
/** How long a counter is used without reading it again. A swap fails if the counter has changed. */
const SEEN_MS_MAX = 10_000;
const SEEN_WITH_OTHERS_MS_MAX = 20;
/** Enough attempts, because a lost race means that another process took a lease, and each takes about one per second. */
const ATTEMPTS_MAX = 20;
/** A response is due within 2 s, and the request still needs its own store call. */
const RENEWAL_MS_MAX = 1_000;
/** After this many leases in a row that arrived too late to use, requests fail. */
const LATE_LEASES_MAX = 3;

export class AccountAllowance {
  readonly #accountId: number;
  readonly #options: AllowanceOptions;
  readonly #window_ms: number;
  readonly #used: RequestWindow;
  readonly #usedSteps = new UsedSteps();
  /** The unused requests of the lease, which can be used until `#leaseEndsMs` and are then returned. */
  #left = 0;
  #leaseEndsMs = NEVER;
  #leaseEnd: NodeJS.Timeout | undefined;
  #seen: Seen | undefined;
  /** Requests of other processes as last read: how many count, and when the first of them expires. */
  #othersCount = 0;
  #othersEndMs = Number.POSITIVE_INFINITY;
  /** Until this time requests are refused without asking, because none can become free or it is too early to ask again. */
  #refusedUntilMs = NEVER;
  /** Set while the counter is being asked. Requests that arrive then wait for the response. */
  #renewal: Promise<void> | undefined;
  readonly #waiters: Waiter[] = [];
  #isClosing = false;

  constructor(accountId: number, options: AllowanceOptions) {
    this.#accountId = accountId;
    this.#options = options;
    this.#window_ms = options.window_seconds * 1000;
    this.#used = new RequestWindow(options.limit);
  }

  take(nowMs: number): Awaitable<RateDecision> {
    if (this.#renewal === undefined) {
      if (this.#left > 0 && nowMs < this.#leaseEndsMs) return this.#letThrough(nowMs);
      if (nowMs < this.#refusedUntilMs) return this.#decide(nowMs, false);
    }
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
      this.#renew();
    });
  }

  peek(nowMs: number): RateDecision {
    if (this.#seen !== undefined) this.#noteOthers(this.#othersNow(this.#seen, nowMs), this.#seen.time);
    this.#used.forgetUntil(nowMs - this.#window_ms);
    return this.#decide(nowMs, this.#othersCount + this.#used.count < this.#options.limit);
  }

  /** True when the object can be dropped without losing state. */
  isIdle(nowMs: number): boolean {
    this.#used.forgetUntil(nowMs - this.#window_ms);
    return this.#used.count === 0 && this.#renewal === undefined && nowMs >= this.#leaseEndsMs;
  }

  /** Returns the rest of the lease to the counter. A lease that is still being requested is returned once it arrives. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#renewal;
    clearTimeout(this.#leaseEnd);
    if (this.#left > 0) await this.#renew();
  }

  #renew(): Promise<void> {
    this.#renewal ??= this.#serve();
    return this.#renewal;
  }

  /** Asks the counter until every waiting request has a response. An error rejects the waiting requests, never this promise. */
  async #serve(): Promise<void> {
    let late = 0;
    try {
      do {
        const isEnough = await this.#ask();
        const nowMs = this.#options.monotonicMs();
        if (nowMs >= this.#leaseEndsMs) {
          late++;
          if (late === LATE_LEASES_MAX)
            throw new StoreUnavailableError('Request leases arrive after they have expired.');
          continue;
        }
        while (this.#waiters.length > 0 && this.#left > 0) this.#waiters.shift()?.resolve(this.#letThrough(nowMs));
        if (!isEnough) this.#refuseAll(nowMs);
      } while (this.#waiters.length > 0);
    } catch (error) {
      for (const { reject } of this.#waiters.splice(0)) reject(error);
    } finally {
      this.#renewal = undefined;
    }
  }

  /**
   * Returns the rest of the last lease and takes the next one, in one swap. Resolves with whether it suffices for the
   * waiting requests. When it rejects, the state of the counter is unknown and no lease is used.
   */
  async #ask(): Promise<boolean> {
    const { counters, monotonicMs } = this.#options;
    const deadlineMs = monotonicMs() + RENEWAL_MS_MAX;
    clearTimeout(this.#leaseEnd);
    this.#leaseEndsMs = NEVER;
    let seen = this.#seen;
    for (let attempt = 0; attempt < ATTEMPTS_MAX && monotonicMs() < deadlineMs; attempt++) {
      if (seen === undefined || !this.#isGood(seen)) seen = await this.#readCounter();
      const waiting = this.#waiters.length;
      const plan = this.#plan(seen, waiting);
      if (plan.lease === 0 && this.#left === 0) {
        this.#adopt(seen, plan);
        return waiting === 0;
      }
      const sentMs = monotonicMs();
      const swapped = await counters.swapRateCounter(this.#accountId, seen.version, JSON.stringify(plan.entries));
      if (swapped !== 'lost') {
        const time = { storeMs: swapped.storeMs, sentMs, receivedMs: monotonicMs() };
        this.#adopt({ version: swapped.version, others: plan.others, time }, plan);
        return plan.lease >= waiting;
      }
      seen = undefined;
      // The first retry is immediate. Later ones are spread, so that processes that lost together do not collide again.
      if (attempt > 0) await new Promise((resolve) => setTimeout(resolve, Math.random() * 2 * attempt));
    }
    throw new StoreUnavailableError('Too many processes are updating the request counter of one account.');
  }

  /**
   * Returns whether the counter is recent enough. An old one suffices to grant a lease, but a refusal needs a fresh one. With several
   * processes, the counter has probably changed, and a read costs less than a lost swap.
   */
  #isGood(seen: Seen): boolean {
    const waiting = this.#waiters.length;
    const age_ms = this.#options.monotonicMs() - seen.time.sentMs;
    const age_ms_max = isAlone(seen.others) ? SEEN_MS_MAX : SEEN_WITH_OTHERS_MS_MAX;
    return age_ms <= age_ms_max && this.#plan(seen, waiting).lease >= waiting;
  }

  async #readCounter(): Promise<Seen> {
    const { counters, monotonicMs, name } = this.#options;
    const sentMs = monotonicMs();
    const { version, entries, storeMs } = await counters.readRateCounter(this.#accountId);
    const time = { storeMs, sentMs, receivedMs: monotonicMs() };
    return { version, others: entriesOfOthers(JSON.parse(entries), name, storeMs), time };
  }

  #plan(seen: Seen, waiting: number): Plan {
    const { limit, monotonicMs, name } = this.#options;
    const nowMs = monotonicMs();
    this.#used.forgetUntil(nowMs - this.#window_ms);
    const others = this.#othersNow(seen, nowMs);
    const counted = sumOf(others) + this.#used.count;
    const usedLately = this.#isClosing ? 0 : this.#used.countAfter(nowMs - 1000);
    const small = this.#isClosing ? 0 : smallLease(limit, counted, Object.keys(others).length);
    const lease = sizeOfLease({ limit, counted, waiting, usedLately, small });
    this.#usedSteps.forgetUntil(nowMs - this.#window_ms);
    const own = ownEntries(this.#usedSteps.inSteps(stepsPerEntry(others)), lease, nowMs, seen.time);
    const entries = own.length === 0 ? others : { ...others, [name]: own };
    return { lease, small, others, entries, nowMs };
  }

  #adopt(seen: Seen, { lease, small, others, nowMs }: Plan): void {
    this.#seen = seen;
    this.#noteOthers(others, seen.time);
    this.#left = lease;
    this.#leaseEndsMs = nowMs + LEASE_MS;
    this.#refusedUntilMs = NEVER;
    if (lease === 0) return;
    this.#leaseEnd = setTimeout(() => {
      // If requests keep coming, this takes the next lease in advance; otherwise it returns the rest.
      if (this.#left > small) void this.#renew();
    }, LEASE_MS).unref();
  }

  /** Refuses all waiting requests, including those that arrived while the counter was asked, because the limit is reached. */
  #refuseAll(nowMs: number): void {
    // A process on its own knows exactly when the next request can be accepted.
    const askAgainMs = this.#othersCount === 0 ? Number.POSITIVE_INFINITY : nowMs + ASK_AGAIN_MS;
    this.#refusedUntilMs = Math.min(nowMs + this.#firstEndAfterMs(nowMs), askAgainMs);
    for (const { resolve } of this.#waiters.splice(0)) resolve(this.#decide(nowMs, false));
  }

  #letThrough(nowMs: number): RateDecision {
    this.#used.forgetUntil(nowMs - this.#window_ms);
    this.#used.add(nowMs);
    this.#usedSteps.add(nowMs);
    this.#left--;
    return this.#decide(nowMs, true);
  }

  /** Estimates the decision locally, without changes by other processes since the counter was last read. */
  #decide(nowMs: number, allowed: boolean): RateDecision {
    const { limit } = this.#options;
    const counted = this.#othersCount + this.#used.count;
    return {
      allowed,
      limit,
      remaining: Math.max(0, limit - counted),
      reset_seconds: counted === 0 ? 0 : Math.max(0, Math.ceil(this.#firstEndAfterMs(nowMs) / 1000)),
    };
  }

  /** Returns in how many milliseconds the first of all counted requests expires. */
  #firstEndAfterMs(nowMs: number): number {
    const oldestMs = this.#used.oldestMs ?? Number.POSITIVE_INFINITY;
    return Math.min(this.#window_ms - (nowMs - oldestMs), this.#othersEndMs - nowMs);
  }

  #noteOthers(others: CounterEntries, time: StoreTime): void {
    this.#othersCount = sumOf(others);
    this.#othersEndMs = localMsOf(time, firstEndMs(others));
  }

  #othersNow({ others, time }: Seen, nowMs: number): CounterEntries {
    return entriesOfOthers(others, this.#options.name, earliestStoreMs(time, nowMs));
  }
}

function isAlone(others: CounterEntries): boolean {
  return Object.keys(others).length === 0;
}
