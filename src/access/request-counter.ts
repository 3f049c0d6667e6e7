/**
 * Counts the requests of each account per minute in memory, and records when credential sets are used. The counts are drained every few
 * seconds and stored.
 */

import type { Author } from '../domain/author.ts';
import { MINUTE_MS } from '../domain/vocabulary/iso-time.ts';
import type { AccountMinute, KeyUse } from '../store/port/traffic.ts';

/** Maximum number of counts, one per account and minute, that wait to be stored. Beyond it, the oldest are dropped. */
const KEPT_MAX = 100_000;
const KEY = 'key:';

interface Counted {
  requests: number;
  errors: number;
  refused: number;
}

export interface CountedRequests {
  readonly counts: readonly AccountMinute[];
  readonly uses: readonly KeyUse[];
}

export class RequestCounter {
  readonly #nowMs: () => number;
  #minute = 0;
  /** Counts of the current minute, by account. */
  #counts = new Map<number, Counted>();
  /** Counts of earlier minutes. */
  #earlier: AccountMinute[] = [];
  /** Last uses that were not drained yet. */
  readonly #uses = new Map<Author, number>();
  /** When the use of each set was last drained. */
  readonly #taken = new Map<Author, number>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** `by` is undefined for a request without a credential set. A dry run counts only as a use of its account and credential set. */
  count(accountId: number, status: number, by: Author | undefined, isDryRun = false): void {
    const nowMs = this.#nowMs();
    const minute = Math.floor(nowMs / MINUTE_MS);
    if (minute !== this.#minute) this.#rollOver(minute);
    let counted = this.#counts.get(accountId);
    if (counted === undefined) {
      counted = { requests: 0, errors: 0, refused: 0 };
      this.#counts.set(accountId, counted);
    }
    if (!isDryRun) {
      counted.requests++;
      if (status === 429) counted.refused++;
      else if (status >= 400) counted.errors++;
    }
    if (by !== undefined) this.#uses.set(by, nowMs);
  }

  /** Drains the counts. Reports a use at most once a minute per set, except at the end. */
  take({ isEnd }: { readonly isEnd: boolean }): CountedRequests {
    this.#rollOver(this.#minute);
    const counts = this.#earlier;
    this.#earlier = [];
    return { counts, uses: this.#takeUses(isEnd) };
  }

  /** Puts back counts that could not be stored. */
  putBack({ counts, uses }: CountedRequests): void {
    this.#earlier = [...counts, ...this.#earlier].slice(-KEPT_MAX);
    for (const { user, usedMs } of uses) {
      const author: Author = `${KEY}${user}`;
      this.#uses.set(author, Math.max(usedMs, this.#uses.get(author) ?? 0));
      this.#taken.delete(author);
    }
  }

  #takeUses(isEnd: boolean): KeyUse[] {
    const nowMs = this.#nowMs();
    for (const [author, takenMs] of this.#taken) if (takenMs <= nowMs - MINUTE_MS) this.#taken.delete(author);
    const uses: KeyUse[] = [];
    for (const [author, usedMs] of this.#uses) {
      if (this.#taken.has(author) && !isEnd) continue;
      this.#uses.delete(author);
      if (!author.startsWith(KEY)) continue;
      this.#taken.set(author, nowMs);
      uses.push({ user: author.slice(KEY.length), usedMs });
    }
    return uses;
  }

  /** Moves the counts of the current minute to the counts of earlier ones. */
  #rollOver(minute: number): void {
    for (const [accountId, counted] of this.#counts) {
      this.#earlier.push({ accountId, minute: this.#minute, ...counted });
    }
    if (this.#earlier.length > KEPT_MAX) this.#earlier = this.#earlier.slice(-KEPT_MAX);
    this.#counts = new Map();
    this.#minute = minute;
  }
}
