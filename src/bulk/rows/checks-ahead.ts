/** Starts checks that wait for the store, as for groups, for the next rows too, so that they wait together. */
import type { Account } from '../../domain/account.ts';
import type { RowCheck } from './row-checks.ts';
import type { Entry } from './split-entries.ts';

/** Members are read for each group: sequential round trips would take longer than everything else. */
const CHECKS_AT_ONCE_MAX = 8;

export class ChecksAhead {
  readonly #check: RowCheck;
  readonly #begun = new Map<Entry, ReturnType<RowCheck>>();

  constructor(check: RowCheck) {
    this.#check = check;
  }

  /** Entries are taken in order; `all` are those that came with this one. */
  take(account: Account, entry: Entry, all: readonly Entry[]): ReturnType<RowCheck> {
    const checking = this.#begun.get(entry) ?? this.#check(account, entry);
    this.#begun.delete(entry);
    if (!(checking instanceof Promise)) return checking;
    const next = all.indexOf(entry) + 1;
    for (const later of all.slice(next, next + CHECKS_AT_ONCE_MAX - 1)) {
      if (!this.#begun.has(later)) this.#begin(account, later);
    }
    return checking;
  }

  #begin(account: Account, entry: Entry): void {
    const checking = this.#check(account, entry);
    // The failure reaches the caller that takes the entry; none does if the slices end first.
    if (checking instanceof Promise) checking.catch(() => {});
    this.#begun.set(entry, checking);
  }
}
