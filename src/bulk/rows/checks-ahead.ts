/** In charge of checks of rows that wait for the store, as those of groups do: the checks of the next rows wait with the first. */
import type { Account } from '../../domain/account.ts';
import type { RowCheck } from './row-checks.ts';
import type { Entry } from './split-entries.ts';

/** Members are read for each group: one round trip after the other would take longer than all else. */
const CHECKS_AT_ONCE_MAX = 8;

export class ChecksAhead {
  readonly #check: RowCheck;
  readonly #begun = new Map<Entry, ReturnType<RowCheck>>();

  constructor(check: RowCheck) {
    this.#check = check;
  }

  /** Entries are taken in their order; `all` are those that came with this one. */
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
    // Whoever takes it hears of a failure; nobody does where the slices end before.
    if (checking instanceof Promise) checking.catch(() => {});
    this.#begun.set(entry, checking);
  }
}
