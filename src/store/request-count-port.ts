/**
 * What Offerbook asks of a database for counts of requests, for people who watch; a part of the store, see port.ts. The
 * counts of all processes add up here, some seconds late; limits go by counters of their own (rate-counter-port.ts).
 */

export interface RequestCounts {
  /** That were answered, the two below included. */
  readonly requests: number;
  /** With a status of 400 or above, 429 not included. */
  readonly errors: number;
  /** With 429. */
  readonly refused: number;
}

/** Minutes since 1970. */
export interface MinuteCounts extends RequestCounts {
  readonly minute: number;
}

export interface AccountMinute extends MinuteCounts {
  readonly accountId: number;
}

export interface KeyUse {
  /** Of the credential set. */
  readonly user: string;
  readonly usedMs: number;
}

export interface RequestCountStore {
  /** Adds them to what was counted before; each account and minute at most once in a call. */
  addRequestCounts(counts: readonly AccountMinute[]): Promise<void>;
  /** Of an account, from that minute on, in order; minutes without requests are left out. */
  readRequestCounts(accountId: number, fromMinute: number): Promise<readonly MinuteCounts[]>;
  /** Of all accounts in one minute, in any order. */
  readMinute(minute: number): Promise<readonly AccountMinute[]>;
  /** Drops those of minutes before it, some thousand at most; true: some may be left. */
  dropRequestCounts(beforeMinute: number): Promise<boolean>;
  /** When credential sets were last used (`Credential.lastUsedMs`). No change of the set-up; none goes back. */
  noteKeyUses(uses: readonly KeyUse[]): Promise<void>;
}
