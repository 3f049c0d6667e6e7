/** Sort orders of the offer list. */

/** By first upload, SKU id or title. Offers that were never reviewed have no title to sort by. */
export const OFFER_SORTS = Object.freeze(['newest', 'oldest', 'sku', '-sku', 'title', '-title'] as const);
export type OfferSort = (typeof OFFER_SORTS)[number];
