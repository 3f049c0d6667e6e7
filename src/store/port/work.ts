/** Port of background work: which accounts have work due, and who holds the lease on it. */

/** The right to do the work of one account. Whoever has it must renew it before its time is over. */
export interface WorkLease {
  readonly kind: string;
  readonly accountId: number;
  /** Higher than that of every lease before; a holder whose lease went to another is told apart by it. */
  readonly fence: number;
}

/** What waits of one kind of background work. */
export interface WorkFigures {
  readonly kind: string;
  /** Accounts whose work is due and in nobody's hands. */
  readonly due: number;
  /** How long the oldest of them has been due. */
  readonly oldestDue_ms: number;
}

/**
 * Background work: which accounts have something to do, and who does it. There is one row for each kind and account;
 * what exactly is to do stands in the account's own data. Accounts that are due longest come first, so that a large
 * one which comes back after each slice does not keep small ones waiting.
 *
 * Times are the store's own and callers give distances: machines need not agree on the time of day.
 */
export interface WorkStore {
  /**
   * There is something to do for the account, in `delay_ms`; an earlier time that it already has stays. Whoever holds
   * its work may have looked before: then it is due again when the holder has finished.
   */
  announceWork(kind: string, accountId: number, delay_ms: number): Promise<void>;
  /** Takes the work that is due longest and in nobody's hands; `holder` is for people who look at the table. */
  takeWork(kind: string, holder: string, lease_ms: number): Promise<WorkLease | undefined>;
  /** From now on it lasts another `lease_ms`. `lost`: another holder has it, or had it. */
  renewWork(lease: WorkLease, lease_ms: number): Promise<'held' | 'lost'>;
  /** Gives it back: due again in `next_delay_ms`, or done when that is undefined; not later than announced meanwhile. */
  finishWork(lease: WorkLease, next_delay_ms: number | undefined): Promise<'finished' | 'lost'>;
  /** In order of kind; kinds of which nothing waits are left out. */
  readWorkFigures(): Promise<readonly WorkFigures[]>;
}
