/** Port of request counts, and of the rate counters that processes share. */

export interface RequestCounts {
  /** All answered requests. */
  readonly requests: number;
  /** Answered with 400 or above, except 429. */
  readonly errors: number;
  /** Answered with 429. */
  readonly refused: number;
}

export interface MinuteCounts extends RequestCounts {
  /** Minutes since 1970. */
  readonly minute: number;
}

export interface AccountMinute extends MinuteCounts {
  readonly accountId: number;
}

export interface KeyUse {
  /** User name of the credential set. */
  readonly user: string;
  readonly usedMs: number;
}

export interface RequestCountStore {
  /** Adds to the stored counts; each account and minute at most once per call. */
  addRequestCounts(counts: readonly AccountMinute[]): Promise<void>;
  /** In order; minutes without requests are omitted. */
  readRequestCounts(accountId: number, fromMinute: number): Promise<readonly MinuteCounts[]>;
  /** Returns the counts of all accounts, in any order. */
  readMinute(minute: number): Promise<readonly AccountMinute[]>;
  /** Drops at most a few thousand counts. Returns true if some may be left. */
  dropRequestCounts(beforeMinute: number): Promise<boolean>;
  /** Sets `Credential.lastUsedMs` unless it already has a later time. Each user at most once. Keeps the settings version. */
  noteKeyUses(uses: readonly KeyUse[]): Promise<void>;
}

/** The request rate of one account over all processes. */
export interface RateCounter {
  /** Changes with every write; 0: nothing counted yet. */
  readonly version: number;
  /** JSON text, which only the limiter reads. */
  readonly entries: string;
  /** The time of the answer by the database's clock. */
  readonly storeMs: number;
}

/** Counters that processes share by compare and swap. They are for limits, not for billing. */
export interface RateCounterStore {
  readRateCounter(accountId: number): Promise<RateCounter>;
  /** Replaces the entries if the version is unchanged. `lost`: another process was quicker. */
  swapRateCounter(
    accountId: number,
    version: number,
    entries: string,
  ): Promise<Pick<RateCounter, 'version' | 'storeMs'> | 'lost'>;
  /** Drops counters unchanged for that long. Returns how many. */
  dropIdleRateCounters(idle_ms: number): Promise<number>;
}
