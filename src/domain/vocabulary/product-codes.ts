/** The kinds of standard product codes and their number of digits. */
export const PRODUCT_CODE_DIGITS = Object.freeze({
  'GTIN-14': 14,
  EAN: 13,
  'ISBN-10': 10,
  'ISBN-13': 13,
  UPC: 12,
} as const);

export type ProductCodeType = keyof typeof PRODUCT_CODE_DIGITS;

export const PRODUCT_CODE_TYPES = Object.freeze(Object.keys(PRODUCT_CODE_DIGITS) as ProductCodeType[]);
