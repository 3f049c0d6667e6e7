/** Sort orders of the offer list. */

/** `newest` and `oldest`: by first upload. Offers that were never reviewed have no title or status to sort by. */
export const OFFER_SORTS = Object.freeze([
  'newest',
  'oldest',
  'sku',
  '-sku',
  'title',
  '-title',
  'status',
  '-status',
  'price',
  '-price',
  'stock',
  '-stock',
  'updated',
  '-updated',
] as const);
export type OfferSort = (typeof OFFER_SORTS)[number];
