/**
 * In charge of counting the requests of each account by minute, and of noting when credential sets are used: in memory,
 * for a few additions a request. What was counted is taken from here every few seconds, to be stored.
 */
import type { Author } from '../domain/author.ts';
import type { AccountMinute, KeyUse } from '../store/port/traffic.ts';

const MINUTE_MS = 60_000;
/** Of accounts and minutes that could not be stored yet; what is beyond is forgotten. */
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
  /** By account, in that minute. */
  #counts = new Map<number, Counted>();
  /** Of minutes before. */
  #earlier: AccountMinute[] = [];
  /** The last use that was not taken yet. */
  readonly #uses = new Map<Author, number>();
  /** When a use was last taken. */
  readonly #taken = new Map<Author, number>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** `by` is undefined for a request that no credential set was used for. */
  count(accountId: number, status: number, by: Author | undefined): void {
    const nowMs = this.#nowMs();
    const minute = Math.floor(nowMs / MINUTE_MS);
    if (minute !== this.#minute) this.#turn(minute);
    let counted = this.#counts.get(accountId);
    if (counted === undefined) {
      counted = { requests: 0, errors: 0, refused: 0 };
      this.#counts.set(accountId, counted);
    }
    counted.requests++;
    if (status === 429) counted.refused++;
    else if (status >= 400) counted.errors++;
    if (by !== undefined) this.#uses.set(by, nowMs);
  }

  /** What was counted since the last time. A use is given at most once a minute for each set, unless it is the end. */
  take({ isEnd }: { readonly isEnd: boolean }): CountedRequests {
    this.#turn(this.#minute);
    const counts = this.#earlier;
    this.#earlier = [];
    return { counts, uses: this.#takeUses(isEnd) };
  }

  /** They could not be stored. */
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

  /** Puts what was counted in the minute that ends, or so far, with that of the ones before. */
  #turn(minute: number): void {
    for (const [accountId, counted] of this.#counts) {
      this.#earlier.push({ accountId, minute: this.#minute, ...counted });
    }
    if (this.#earlier.length > KEPT_MAX) this.#earlier = this.#earlier.slice(-KEPT_MAX);
    this.#counts = new Map();
    this.#minute = minute;
  }
}
