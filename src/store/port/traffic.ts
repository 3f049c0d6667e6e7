/** Port of request counts for people who watch, and of the rate counters that several processes share. */

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
  /**
   * When credential sets were last used (`Credential.lastUsedMs`); each at most once in a call. No change of the setup; none
   * goes back.
   */
  noteKeyUses(uses: readonly KeyUse[]): Promise<void>;
}

/** What counts of the requests of one account, of all processes. */
export interface RateCounter {
  /** Moves with every change; 0 where nothing was counted yet. */
  readonly version: number;
  /** JSON text, which only the limiter reads. */
  readonly entries: string;
  /** The store's own time when it answered. */
  readonly storeMs: number;
}

/** Counters that processes share, each changed by whoever saw its last state. They are for limits, not for billing. */
export interface RateCounterStore {
  readRateCounter(accountId: number): Promise<RateCounter>;
  /** Replaces the entries if the counter still has this version. `lost`: somebody was quicker. */
  swapRateCounter(
    accountId: number,
    version: number,
    entries: string,
  ): Promise<Pick<RateCounter, 'version' | 'storeMs'> | 'lost'>;
  /** Drops those that nobody changed for so long; says how many. */
  dropIdleRateCounters(idle_ms: number): Promise<number>;
}
