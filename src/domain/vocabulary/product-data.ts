/** Lists the optional fields of a SKU that may be required for a product that the catalog does not know. */
export const PRODUCT_DATA = Object.freeze([
  'manufacturer',
  'product_description',
  'mfr_part_number',
  'bullets',
] as const);

export type ProductDataField = (typeof PRODUCT_DATA)[number];
