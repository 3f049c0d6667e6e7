/** Port for background work: which accounts have work due, and which process holds the lease on it. */

/** The right to do one kind of background work for an account. The holder renews it before it expires. */
export interface WorkLease {
  readonly kind: string;
  readonly accountId: number;
  /** Higher than the fence of every earlier lease, so that calls by a former holder are detected. */
  readonly fence: number;
}

/** Other accounts' fresh work may overtake a backlog. */
export type WorkSize = 'fresh' | 'backlog';

export interface WorkFigures {
  readonly kind: string;
  /** Number of accounts whose work is due and not leased. */
  readonly due: number;
  readonly oldestDue_ms: number;
}

/**
 * Background work. There is one row per kind and account; the account's own data shows what to do. Work that is put back is a backlog, and
 * queues behind the accounts that are due by then, so that a large account does not starve small ones. Other work is fresh, unless it is
 * announced as a backlog.
 *
 * Callers pass durations and the store adds its own time, because clocks of machines differ.
 */
export interface WorkStore {
  /**
   * Announces work for the account in `delay_ms`, unless it is due earlier already. If it is leased, it is due again when the
   * holder has finished, because the holder may have missed it.
   */
  announceWork(kind: string, accountId: number, delay_ms: number, size?: WorkSize): Promise<void>;
  /**
   * Leases the work that is due longest. `fresh`: leases the most recent fresh work, and no backlog; takers without this order must take
   * work too, because new work would overtake older work forever. `holder` is shown to people who inspect the table.
   */
  takeWork(kind: string, holder: string, lease_ms: number, order?: 'fresh'): Promise<WorkLease | undefined>;
  /** Extends the lease to `lease_ms` from now. `lost`: another process has taken it since. */
  renewWork(lease: WorkLease, lease_ms: number): Promise<'held' | 'lost'>;
  /** Ends the lease. The work is due again in `next_delay_ms`, or done if undefined. Work announced meanwhile may be due earlier. */
  finishWork(lease: WorkLease, next_delay_ms: number | undefined): Promise<'finished' | 'lost'>;
  /** Whether a process does the work: it is leased, or has been due for less than `due_ms_max`, as between two leases. */
  isWorkAttended(kind: string, accountId: number, due_ms_max: number): Promise<boolean>;
  /** Returns figures in order of kind, without kinds that have nothing due. */
  readWorkFigures(): Promise<readonly WorkFigures[]>;
}
