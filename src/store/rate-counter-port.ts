/** What Offerbook asks of a database for limits over several processes; a part of the store, see port.ts. */

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
