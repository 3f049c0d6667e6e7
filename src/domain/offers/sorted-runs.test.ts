/** Tests that pages are merged in order from sorted runs. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { ListPosition } from './offer-list.ts';
import { pageOf, type SortedRun } from './sorted-runs.ts';

function runOf(offers: readonly (readonly [value: number, order: number])[]): SortedRun {
  const sorted = offers.toSorted((one, other) => one[0] - other[0] || one[1] - other[1]);
  return {
    values: Float64Array.from(sorted, ([value]) => value),
    orders: Float64Array.from(sorted, ([, order]) => order),
    end: undefined,
  };
}

it('merges runs in order, page by page, in both directions', () => {
  const all = Array.from({ length: 60 }, (_, order) => [(order * 7) % 5, order] as const);
  const runs = [0, 1, 2].map((run) => runOf(all.filter(([, order]) => order % 3 === run)));
  for (const descending of [false, true]) {
    const sign = descending ? -1 : 1;
    const expected = all.toSorted((one, other) => sign * (one[0] - other[0] || one[1] - other[1]));
    let after: ListPosition = descending ? { key: '99', order: 99 } : { key: '-1', order: 0 };
    const pages: (readonly [number, number])[] = [];
    for (;;) {
      const page = pageOf(runs, after, 7, descending);
      pages.push(...page.map(({ key, order }) => [Number(key), order] as const));
      if (page.length < 7) break;
      after = page.at(-1) as ListPosition;
    }
    assert.deepEqual(pages, expected);
  }
});

it('continues after a position whose offer is gone', () => {
  const runs = [
    runOf([
      [1, 1],
      [2, 4],
    ]),
    runOf([[2, 2]]),
  ];
  assert.deepEqual(pageOf(runs, { key: '2', order: 3 }, 9, false), [{ key: '2', order: 4 }]);
  assert.deepEqual(pageOf(runs, { key: '2', order: 3 }, 9, true), [
    { key: '2', order: 2 },
    { key: '1', order: 1 },
  ]);
});
