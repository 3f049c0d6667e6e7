/** Reads what identifies the product of a new offer: a product code, an ASIN, or the title. */
import { hasCorrectCheckDigit, type ProductCodeType, TYPE_OF_DIGITS } from '#domain/vocabulary/product-codes.ts';
import type { StoredOffer } from '../data-values.ts';

/** `code`: what the catalog is searched for. `offer`: what the form starts with. */
export type ProductStart =
  | { readonly fault: string }
  | { readonly fault?: undefined; readonly code?: string; readonly offer: StoredOffer };

/** Shorter numbers may be a title, such as the year of a calendar. */
const CODE = /^\d{8,}$/;
const ASIN = /^B[0-9A-Z]{9}$/i;

export function readProductStart(entered: string): ProductStart {
  const text = entered.trim();
  const digits = text.replace(/[\s-]/g, '');
  if (ASIN.test(text)) return { code: text.toUpperCase(), offer: { ASIN: text.toUpperCase() } };
  if (!CODE.test(digits)) return { offer: { product_title: text } };
  const type = TYPE_OF_DIGITS.get(digits.length);
  if (type === undefined) {
    return { fault: `A product code has 10, 12, 13 or 14 digits. This one has ${digits.length}.` };
  }
  const fault = checkDigitFault(type, digits);
  if (fault !== undefined) return { fault };
  const code = { standard_product_code: digits, standard_product_code_type: type };
  return { code: digits, offer: { standard_product_codes: [code] } };
}

/** Returns what is wrong with the last digit of a code of the right length; undefined if nothing is. */
export function checkDigitFault(type: ProductCodeType, code: string): string | undefined {
  if (hasCorrectCheckDigit(type, code)) return undefined;
  const right = [...'0123456789'].find((digit) => hasCorrectCheckDigit(type, code.slice(0, -1) + digit));
  const rule = right === undefined ? '' : ` After ${code.slice(0, -1)} it must be ${right}.`;
  return `The check digit (the last one) is wrong.${rule} Look for a typo.`;
}
