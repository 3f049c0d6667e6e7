/**
 * In charge of how an offer is marked as due for review: the texts that the statements which mark have in common.
 *
 * `review_mark` is in an index, by which offers have their turn: to change it gives the row a new entry in every index of
 * the table, which costs nearly as much as all else of a write. So a write that brings a part to an offer which is due leaves it its
 * turn, and puts its number into `review_marked_again`, which is in no index. Whatever marks anew moves it behind the others.
 */

/** What a verdict is compared with: the number of the last write that marked. Null where the offer is not due. */
export const CURRENT_MARK = 'coalesce(offer.review_marked_again, offer.review_mark)';

type Columns = Readonly<Record<string, string>>;

/** Columns of an offer that moves behind all that are due; `number` and `nowMs` are texts, of parameters mostly. */
export function markedLast(number: string, nowMs: string): Columns {
  return { review_mark: number, review_marked_again: 'NULL', review_marked_ms: nowMs };
}

/** Takes the marks away. */
export const UNMARKED: Columns = markedLast('NULL', 'NULL');

/** Assignments of SET. */
export function assigned(columns: Columns): string {
  return Object.entries(columns)
    .map(([column, value]) => `${column} = ${value}`)
    .join(', ');
}

/** Assignments of SET that leave the columns as they are where `condition` holds. */
export function assignedUnless(condition: string, columns: Columns): string {
  const kept = Object.entries(columns).map(([column, value]) => {
    return [column, `CASE WHEN (${condition}) THEN offer.${column} ELSE ${value} END`];
  });
  return assigned(Object.fromEntries(kept));
}

/** Marks an offer unless `isSame`; one that is due keeps its turn, and the row its page. */
export function markInPlaceUnless(isSame: string, number: string, nowMs: string): string {
  return [
    assignedUnless(`offer.review_mark IS NOT NULL OR ${isSame}`, { review_mark: number, review_marked_ms: nowMs }),
    assignedUnless(`offer.review_mark IS NULL OR ${isSame}`, { review_marked_again: number }),
  ].join(', ');
}
