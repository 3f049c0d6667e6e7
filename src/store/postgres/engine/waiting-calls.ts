/** Limits how many calls wait for the database and how many run at once, and measures how long the oldest has waited. */
import { StoreOverloadedError, StoreUnavailableError } from '../../port/errors.ts';
import type { QueueFigures } from '../../port.ts';
import { timeLeftMs } from './connection.ts';

export interface WaitingLimits {
  /** Limit on unfinished calls. */
  readonly waiting_calls_max: number;
  /** Limit on the characters of text in unfinished calls. */
  readonly waiting_characters_max: number;
}

export interface Waiting {
  readonly sinceMs: number;
  readonly characters: number;
}

export class WaitingCalls {
  readonly #limits: WaitingLimits;
  /** In order of arrival. */
  readonly #waiting = new Set<Waiting>();
  #characters = 0;
  readonly #empty = Promise.withResolvers<void>();
  #isClosed = false;

  constructor(limits: WaitingLimits) {
    this.#limits = limits;
  }

  /** Counts a call as waiting. The caller must `end` it. */
  begin(characters: number, sinceMs = performance.now()): Waiting {
    if (this.#isClosed) throw new StoreUnavailableError('The store is closed.');
    const { waiting_calls_max, waiting_characters_max } = this.#limits;
    if (this.#waiting.size >= waiting_calls_max || this.#characters + characters > waiting_characters_max) {
      throw new StoreOverloadedError('Too many calls are waiting for the database. Try again soon.');
    }
    const call = { sinceMs, characters };
    this.#waiting.add(call);
    this.#characters += characters;
    return call;
  }

  end(call: Waiting): void {
    this.#waiting.delete(call);
    this.#characters -= call.characters;
    if (this.#isClosed && this.#waiting.size === 0) this.#empty.resolve();
  }

  figures(): QueueFigures {
    const [oldest] = this.#waiting;
    return {
      waiting: this.#waiting.size,
      oldestWait_ms: oldest === undefined ? 0 : performance.now() - oldest.sinceMs,
    };
  }

  /** Refuses new calls, and waits for those in flight. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#waiting.size > 0) await this.#empty.promise;
  }
}

/** Queues calls, and runs a limited number of them at once, each for another account. */
export class CallQueue {
  readonly waiting: WaitingCalls;
  readonly #slots: Semaphore;
  readonly #call_ms_max: number;

  constructor(limits: WaitingLimits & { readonly running_max: number }, call_ms_max: number) {
    this.waiting = new WaitingCalls(limits);
    this.#slots = new Semaphore(limits.running_max);
    this.#call_ms_max = call_ms_max;
  }

  async run<T>(accountId: number, characters: number, call: () => Promise<T>): Promise<T> {
    const waiting = this.waiting.begin(characters);
    try {
      if (!(await this.#slots.acquire(accountId, waiting.sinceMs + this.#call_ms_max))) {
        throw new StoreUnavailableError('The calls queued before this one took too long.');
      }
      try {
        return await call();
      } finally {
        this.#slots.release(accountId);
      }
    } finally {
      this.waiting.end(waiting);
    }
  }
}

/**
 * Lets a limited number of callers run, one of each account, so that an account with many calls keeps no other from running. The others
 * wait in order of arrival.
 */
export class Semaphore {
  #free: number;
  /** Accounts of the callers that run. */
  readonly #running = new Set<number>();
  readonly #waiting: { readonly accountId: number; start(): void }[] = [];

  constructor(running_max: number) {
    this.#free = running_max;
  }

  /** Returns false if no slot became free in time; otherwise the caller must `release` it. */
  async acquire(accountId: number, deadlineMs: number): Promise<boolean> {
    if (this.#free > 0 && !this.#running.has(accountId)) {
      this.#take(accountId);
      return true;
    }
    return new Promise((resolve) => {
      const start = () => {
        clearTimeout(deadline);
        resolve(true);
      };
      const caller = { accountId, start };
      const deadline = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(caller), 1);
        resolve(false);
      }, timeLeftMs(deadlineMs));
      this.#waiting.push(caller);
    });
  }

  release(accountId: number): void {
    this.#running.delete(accountId);
    this.#free++;
    const next = this.#waiting.findIndex((caller) => !this.#running.has(caller.accountId));
    if (next === -1) return;
    const [caller] = this.#waiting.splice(next, 1);
    if (caller === undefined) return;
    this.#take(caller.accountId);
    caller.start();
  }

  #take(accountId: number): void {
    this.#free--;
    this.#running.add(accountId);
  }
}
