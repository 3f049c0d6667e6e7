/** Verifies the check digits of standard product codes. The code must have the number of digits that its type requires. */
import type { ProductCodeType } from './product-codes.ts';

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
