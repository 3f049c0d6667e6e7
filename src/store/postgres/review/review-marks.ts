/**
 * Builds the SQL that marks an offer as due for review.
 *
 * Offers are reviewed in the order of `review_mark`. It is indexed, so changing it adds an entry to every index of the table, which
 * costs nearly as much as the rest of a write. So a write that adds a part to a due offer keeps the offer's place in the queue, and
 * puts its number into `review_marked_again`, which is not indexed. All other marks move the offer to the end.
 */

type Columns = Readonly<Record<string, string>>;

/** Moves an offer to the end of the queue; `number` and `nowMs` are SQL, usually parameters. */
export function markedLast(number: string, nowMs: string): Columns {
  return { review_mark: number, review_marked_again: 'NULL', review_marked_ms: nowMs };
}

export const UNMARKED: Columns = markedLast('NULL', 'NULL');

/** Returns assignments for SET. */
export function assigned(columns: Columns): string {
  return Object.entries(columns)
    .map(([column, value]) => `${column} = ${value}`)
    .join(', ');
}

/** Returns assignments for SET that keep the columns if `condition` holds. */
export function assignedUnless(condition: string, columns: Columns): string {
  const kept = Object.entries(columns).map(([column, value]) => {
    return [column, `CASE WHEN (${condition}) THEN offer.${column} ELSE ${value} END`];
  });
  return assigned(Object.fromEntries(kept));
}

/** Marks an offer unless `isSame` holds. An offer that is already due keeps its place in the queue, and its row stays on the same page. */
export function markInPlaceUnless(isSame: string, number: string, nowMs: string): string {
  return [
    assignedUnless(`offer.review_mark IS NOT NULL OR ${isSame}`, { review_mark: number, review_marked_ms: nowMs }),
    assignedUnless(`offer.review_mark IS NULL OR ${isSame}`, { review_marked_again: number }),
  ].join(', ');
}
