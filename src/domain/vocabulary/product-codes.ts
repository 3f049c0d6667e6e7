/** The kinds of standard product codes, their number of digits and their check digits. */
export const PRODUCT_CODE_DIGITS = Object.freeze({
  'GTIN-14': 14,
  EAN: 13,
  'ISBN-10': 10,
  'ISBN-13': 13,
  UPC: 12,
} as const);

export type ProductCodeType = keyof typeof PRODUCT_CODE_DIGITS;

/** The type of a code without a type, by its number of digits. An ISBN-13 is also an EAN. */
export const TYPE_OF_DIGITS: ReadonlyMap<number, ProductCodeType> = new Map([
  [10, 'ISBN-10'],
  [12, 'UPC'],
  [13, 'EAN'],
  [14, 'GTIN-14'],
]);

export const PRODUCT_CODE_TYPES = Object.freeze(Object.keys(PRODUCT_CODE_DIGITS) as ProductCodeType[]);

/** The code must have the number of digits that its type requires. */
export function hasCorrectCheckDigit(type: ProductCodeType, code: string): boolean {
  return type === 'ISBN-10' ? isbn10Remainder(code) === 0 : gs1Remainder(code) === 0;
}

/** GTIN-14, EAN, ISBN-13 and UPC: alternating weights 1 and 3, from the right. */
function gs1Remainder(code: string): number {
  let sum = 0;
  for (let i = 0; i < code.length; i++) sum += digitAt(code, code.length - 1 - i) * (i % 2 === 0 ? 1 : 3);
  return sum % 10;
}

/** Weights 10 down to 1. The contract allows digits only, so the check digit X cannot occur. */
function isbn10Remainder(code: string): number {
  let sum = 0;
  for (let i = 0; i < code.length; i++) sum += digitAt(code, i) * (10 - i);
  return sum % 11;
}

function digitAt(code: string, index: number): number {
  return code.charCodeAt(index) - 48;
}
