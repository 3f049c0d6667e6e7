/**
 * Starts checks that wait for the store, such as checks of groups, for several rows at once, so that they wait in
 * parallel.
 */
import type { Account } from '../../domain/account.ts';
import type { Entry } from './entry.ts';
import type { RowCheck } from './row-checks.ts';

/**
 * How many rows to check ahead. The members of each group are read, and sequential round trips would take longer than
 * everything else.
 */
const CHECKS_AT_ONCE_MAX = 8;

export class ChecksAhead {
  readonly #check: RowCheck;
  readonly #begun = new Map<Entry, ReturnType<RowCheck>>();

  constructor(check: RowCheck) {
    this.#check = check;
  }

  /** Entries must be taken in order. `all` are the entries that arrived together with this one. */
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
    // The caller that takes the entry gets the failure. If the slices end first, nothing handles it.
    if (checking instanceof Promise) checking.catch(() => {});
    this.#begun.set(entry, checking);
  }
}
