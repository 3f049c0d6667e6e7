/**
 * Sorts offers by price, stock or time of change, which have no index, the same way in both adapters. It reads the offers in runs
 * that the database sorts, and merges each page from them. A list of several runs is kept in memory for the pages that follow.
 */

import type { ListLimits, OfferFilter, ValueOrder } from '../../../domain/offers/offer-list.ts';
import type { SortedRun } from '../../../domain/offers/sorted-runs.ts';
import type { HeldSort } from '../../port/offer-list.ts';

/** Offers in upload order: all, or the matches of one filter. `words`: in any order, by `wordsLookedUp`. */
export type RunPath = 'upload' | 'archived' | 'words' | 'status' | 'category' | 'sub_status';

export interface SortRequest extends OfferFilter {
  readonly order: ValueOrder;
  /** Stands for a missing price. */
  readonly unpriced: number;
}

export interface RunRequest extends SortRequest {
  readonly path: RunPath;
  /** The upload order after which the run begins; for `words`, always before the first. */
  readonly after: number;
  readonly examined_max: number;
}

type Sorted = readonly SortedRun[] | 'too_many';

interface SortedList {
  readonly sorted: Sorted;
  readonly held?: HeldSort;
}

interface KeptSort {
  readonly sorted: Promise<Sorted>;
  readonly sortedMs: number;
  offers: number;
  /** Until when first pages reuse this sort. Later pages always use the sort of their first page. */
  freshUntilMs: number;
}

/** How long a sort is cached for later pages. After that, the list is sorted again. */
const KEPT_MS = 600_000;
/** Limit on the offers in all cached lists, at 16 bytes each. */
const KEPT_OFFERS_MAX = 2_000_000;
/** A first page reuses a sort for this many times the duration of the sort, which bounds the load of sorting. */
const FRESH_DURATIONS = 10;
const BEFORE_FIRST = -1;

export class SortedOffers {
  readonly #readRun: (accountId: number, request: RunRequest) => Promise<SortedRun>;
  /** Oldest first. */
  readonly #kept = new Map<string, KeptSort>();
  /** One list is sorted at a time. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(readRun: (accountId: number, request: RunRequest) => Promise<SortedRun>) {
    this.#readRun = readRun;
  }

  /**
   * Returns the run of the first path if it has few enough offers, else the runs of the second path. Returns undefined if sorting takes
   * longer than `sort_ms_max`. The sort then continues, and a later call for the next page finds its result.
   */
  async read(
    accountId: number,
    request: SortRequest,
    paths: readonly [RunPath, RunPath?],
    isFirstPage: boolean,
    limits: ListLimits,
  ): Promise<SortedList | undefined> {
    const startMs = performance.now();
    const name = JSON.stringify([accountId, request, limits]);
    let kept = this.#kept.get(name);
    if (kept === undefined || (isFirstPage && kept.freshUntilMs < startMs)) {
      const run = { ...request, after: BEFORE_FIRST, examined_max: limits.sorted_max };
      const [path, longer] = paths;
      const first = await this.#readRun(accountId, { ...run, path });
      if (first.end === undefined) return { sorted: [first] };
      const runs = longer === undefined ? [first] : [];
      kept = this.#keep(name, startMs, () =>
        this.#readRuns(accountId, { ...run, path: longer ?? path }, runs, limits.sorted_runs_max),
      );
    }
    const waited_ms = performance.now() - startMs;
    const { promise: late, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(resolve, Math.max(0, limits.sort_ms_max - waited_ms), undefined);
    const sorted = await Promise.race([kept.sorted, late]).finally(() => clearTimeout(timer));
    const againFromMs = Math.ceil(Date.now() + kept.freshUntilMs - performance.now());
    return sorted && { sorted, held: { sortedMs: kept.sortedMs, againFromMs } };
  }

  /** Continues after the runs that were read already. */
  async #readRuns(accountId: number, request: RunRequest, runs: SortedRun[], runs_max: number): Promise<Sorted> {
    for (;;) {
      const last = runs.at(-1);
      if (last !== undefined && last.end === undefined) return runs;
      if (runs.length >= runs_max) return 'too_many';
      runs.push(await this.#readRun(accountId, { ...request, after: last?.end ?? BEFORE_FIRST }));
    }
  }

  #keep(name: string, startMs: number, sort: () => Promise<Sorted>): KeptSort {
    const sorted = this.#turn.then(sort);
    const sortedMs = Math.ceil(Date.now() - (performance.now() - startMs));
    const kept: KeptSort = { sorted, sortedMs, offers: 0, freshUntilMs: Number.POSITIVE_INFINITY };
    const drop = () => this.#kept.get(name) === kept && this.#kept.delete(name);
    this.#kept.delete(name);
    this.#kept.set(name, kept);
    this.#turn = sorted.then((runs) => {
      if (runs !== 'too_many') kept.offers = runs.reduce((sum, { orders }) => sum + orders.length, 0);
      kept.freshUntilMs = startMs + FRESH_DURATIONS * (performance.now() - startMs);
      setTimeout(drop, KEPT_MS).unref();
      this.#dropOldest();
    }, drop);
    return kept;
  }

  #dropOldest(): void {
    let offers = this.#kept.values().reduce((sum, kept) => sum + kept.offers, 0);
    for (const [name, kept] of this.#kept) {
      if (offers <= KEPT_OFFERS_MAX) return;
      this.#kept.delete(name);
      offers -= kept.offers;
    }
  }
}
