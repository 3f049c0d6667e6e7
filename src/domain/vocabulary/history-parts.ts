/** The parts of an offer that its history records, as the API and the portal name them. */
export const HISTORY_PARTS = [
  'sku',
  'price',
  'inventory',
  'archive',
  'variation',
  'shipping_exception',
  'returns_exception',
] as const;

export type HistoryPart = (typeof HISTORY_PARTS)[number];
