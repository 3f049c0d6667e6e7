/**
 * Sorts offers by price, stock or time of change, which have no index, the same way in both adapters. It reads the offers in runs
 * that the database sorts, and merges each page from them. A list of several runs is kept in memory for the pages that follow.
 */

import type { HeldSort, ListLimits, ListPlace, OfferFilter } from '../port/offer-list.ts';

/** Sorts by current values of the offer. */
export type ValueOrder = 'price' | 'stock' | 'updated';

/** Offers in upload order: all, or the matches of one filter. `words`: in any order, by `wordsLookedUp`. */
export type RunPath = 'upload' | 'words' | 'status' | 'category' | 'sub_status';

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

/** The matches among the examined offers, by value and upload order, ascending. */
export interface SortedRun {
  readonly values: Float64Array;
  /** Upload orders. */
  readonly orders: Float64Array;
  /** Upload order of the last offer examined; undefined at the end of the path. */
  readonly end: number | undefined;
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

/** Merges the positions that follow `after`. */
export function pageOf(
  runs: readonly SortedRun[],
  after: ListPlace,
  limit: number,
  descending: boolean,
): readonly ListPlace[] {
  const value = Number(after.key);
  const step = descending ? -1 : 1;
  const heads = runs.map((run) =>
    descending ? countBefore(run, value, after.order) - 1 : countBefore(run, value, after.order + 1),
  );
  const page: ListPlace[] = [];
  while (page.length < limit) {
    let next: { run: number; value: number; order: number } | undefined;
    for (const [run, { values, orders }] of runs.entries()) {
      const head = heads[run] as number;
      const [value, order] = [values[head], orders[head]];
      if (value === undefined || order === undefined) continue;
      if (next === undefined || step * (value - next.value || order - next.order) < 0) next = { run, value, order };
    }
    if (next === undefined) break;
    page.push({ key: String(next.value), order: next.order });
    heads[next.run] = (heads[next.run] as number) + step;
  }
  return page;
}

/** How many of the run come before the position, by bisection. */
function countBefore({ values, orders }: SortedRun, value: number, order: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const difference = (values[middle] as number) - value || (orders[middle] as number) - order;
    if (difference < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
