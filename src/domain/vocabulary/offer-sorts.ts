/** Sort orders of the offer list. */

/** The values by which offers are sorted, in either direction. Offers that were never reviewed have no title or status. */
const SORT_VALUES = ['sku', 'title', 'status', 'price', 'stock', 'updated'] as const;

/** `newest` and `oldest`: by first upload. A hyphen: descending. */
type SortValue = (typeof SORT_VALUES)[number];
export type OfferSort = 'newest' | 'oldest' | SortValue | `-${SortValue}`;

export const OFFER_SORTS: readonly OfferSort[] = Object.freeze([
  ...(['newest', 'oldest'] as const),
  ...SORT_VALUES.flatMap((value) => [value, `-${value}`] as const),
]);
