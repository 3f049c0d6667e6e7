/** Merges pages of the offer list from runs that are already sorted by price, stock or time of change. */
import type { ListPosition } from './offer-list.ts';

/** The matches among the examined offers, by value and upload order, ascending. */
export interface SortedRun {
  readonly values: Float64Array;
  /** Upload orders. */
  readonly orders: Float64Array;
  /** Upload order of the last offer examined; undefined at the end of the path. */
  readonly end: number | undefined;
}

/** Merges the positions that follow `after`. */
export function pageOf(
  runs: readonly SortedRun[],
  after: ListPosition,
  limit: number,
  descending: boolean,
): readonly ListPosition[] {
  const value = Number(after.key);
  const step = descending ? -1 : 1;
  const heads = runs.map((run) =>
    descending ? countBefore(run, value, after.order) - 1 : countBefore(run, value, after.order + 1),
  );
  const page: ListPosition[] = [];
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
