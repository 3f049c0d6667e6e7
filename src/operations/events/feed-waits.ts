/**
 * Holds requests that wait for events. A write through this process wakes the readers of its account immediately. A cheap read for each
 * waiting account, twice a second, finds changes by other processes and by background work.
 */
import { LIMITS } from '../../domain/limits.ts';
import { AccountUnavailableError, StoreUnavailableError } from '../../store/port/errors.ts';
import type { FeedStore } from '../../store/port/feed.ts';

const POLL_MS = 500;
/** Limit for all accounts together. Beyond it, requests get their response without waiting. */
const WAITING_MAX = 1000;

interface Waiting {
  /** End of the feed when the wait began. */
  readonly end: number;
  readonly wake: () => void;
}

export interface Wait {
  readonly end: number;
  readonly wait_ms: number;
  /** Aborted when the client has closed the connection. */
  readonly gone: AbortSignal;
}

export class FeedWaits {
  readonly #store: Pick<FeedStore, 'readFeedState'>;
  readonly #waiting = new Map<number, Set<Waiting>>();
  #count = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #isPolling = false;

  constructor(store: Pick<FeedStore, 'readFeedState'>) {
    this.#store = store;
  }

  /** Returns whether the account has reached its limit of waiting requests. */
  isFull(accountId: number): boolean {
    return (this.#waiting.get(accountId)?.size ?? 0) >= LIMITS.event_waits_max;
  }

  /** Resolves when there may be new events, the time is up, the client disconnects, or the server stops. */
  wait(accountId: number, { end, wait_ms, gone }: Wait): Promise<void> {
    if (this.isOver || gone.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const own = this.#waiting.get(accountId) ?? new Set();
      this.#waiting.set(accountId, own);
      const wake = () => {
        if (!own.delete(waiting)) return;
        this.#count--;
        if (own.size === 0) this.#waiting.delete(accountId);
        if (this.#count === 0) {
          clearInterval(this.#timer);
          this.#timer = undefined;
        }
        clearTimeout(late);
        gone.removeEventListener('abort', wake);
        resolve();
      };
      const waiting = { end, wake };
      const late = setTimeout(wake, wait_ms);
      own.add(waiting);
      this.#count++;
      gone.addEventListener('abort', wake);
      this.#timer ??= setInterval(() => void this.#poll(), POLL_MS);
    });
  }

  /** Whether a wait would end immediately. */
  get isOver(): boolean {
    return this.#isClosed || this.#count >= WAITING_MAX;
  }

  /** Call this after a write to the account. */
  wake(accountId: number): void {
    const own = this.#waiting.get(accountId);
    if (own !== undefined) for (const { wake } of [...own]) wake();
  }

  /** Responds to all waiting requests. */
  close(): void {
    this.#isClosed = true;
    for (const accountId of [...this.#waiting.keys()]) this.wake(accountId);
  }

  async #poll(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    try {
      for (const [accountId, own] of [...this.#waiting]) {
        try {
          const state = await this.#store.readFeedState(accountId);
          for (const { end, wake } of [...own]) {
            if (state === undefined || state.hasUnnumbered || state.end > end) wake();
          }
        } catch (error) {
          // Readers keep waiting: the next poll may succeed, and a request that times out reads the feed again itself.
          if (!(error instanceof StoreUnavailableError)) throw error;
          // An unavailable database node affects only its own accounts, so the others are still polled.
          if (!(error instanceof AccountUnavailableError)) break;
        }
      }
    } finally {
      this.#isPolling = false;
    }
  }
}
