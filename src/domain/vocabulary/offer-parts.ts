/** The parts of an offer that its history records, as the API and the portal name them. */
export const OFFER_PARTS = [
  'sku',
  'price',
  'inventory',
  'archive',
  'variation',
  'shipping_exception',
  'returns_exception',
] as const;

export type OfferPart = (typeof OFFER_PARTS)[number];
