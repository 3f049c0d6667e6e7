/** Normalizes product codes: UPC, EAN and ISBN become GTIN-14, so that a UPC and the EAN of an item match; an ASIN becomes upper case. */
import {
  hasCorrectCheckDigit,
  PRODUCT_CODE_DIGITS,
  type ProductCodeType,
  TYPE_OF_DIGITS,
} from '../vocabulary/product-codes.ts';

/** `gtin:` with 14 digits, or `asin:` with 10 letters and digits. */
export type CatalogCode = `gtin:${string}` | `asin:${string}`;

export interface SentCode {
  readonly standard_product_code_type: ProductCodeType;
  readonly standard_product_code: string;
}

export interface SentCodes {
  readonly standard_product_codes?: readonly SentCode[];
  readonly ASIN?: string;
}

const NOTHING_BUT_ZEROS = /^0*$/;

/** Returns false for all zeros too: the check digit is right, but no item has that code, and unrelated offers would match. */
export function isCorrectCode(type: ProductCodeType, code: string): boolean {
  return code.length === PRODUCT_CODE_DIGITS[type] && hasCorrectCheckDigit(type, code) && !NOTHING_BUT_ZEROS.test(code);
}

/** Converts a valid code. */
export function gtin14(type: ProductCodeType, code: string): string {
  return type === 'ISBN-10' ? `0${isbn13(code)}` : code.padStart(14, '0');
}

/** Keeps the nine digits that identify the book. The check digit changes, because ISBN-13 uses the weights of EAN. */
function isbn13(isbn10: string): string {
  const body = `978${isbn10.slice(0, 9)}`;
  let sum = 0;
  for (let index = 0; index < body.length; index++) sum += Number(body[index]) * (index % 2 === 0 ? 1 : 3);
  return `${body}${(10 - (sum % 10)) % 10}`;
}

/** Converts an offer's product codes to catalog codes: without duplicates, in the order sent, the ASIN last. Skips invalid codes. */
export function catalogCodes({ standard_product_codes: sent, ASIN }: SentCodes): readonly CatalogCode[] {
  const codes: CatalogCode[] = [];
  for (const { standard_product_code_type: type, standard_product_code: code } of sent ?? []) {
    if (!isCorrectCode(type, code)) continue;
    const known: CatalogCode = `gtin:${gtin14(type, code)}`;
    if (!codes.includes(known)) codes.push(known);
  }
  if (ASIN !== undefined) codes.push(asinCode(ASIN));
  return codes;
}

function asinCode(asin: string): CatalogCode {
  return `asin:${asin.toUpperCase()}`;
}

const ASIN_FORM = /^[0-9A-Z]{10}$/i;

/**
 * Reads a code that a person typed: with or without `gtin:` or `asin:` in front, with hyphens and spaces as printed on
 * books. Ten digits are an ISBN-10, because an ASIN without letters is one too. Returns undefined for an invalid code.
 */
export function readCatalogCode(text: string): CatalogCode | undefined {
  const [, kind, rest = ''] = /^(?:(gtin|asin):)?(.*)$/is.exec(text.trim()) ?? [];
  const code = rest.replace(/[\s-]+/g, '');
  const isAsin = ASIN_FORM.test(code);
  if (kind?.toLowerCase() === 'asin') return isAsin ? asinCode(code) : undefined;
  if (!/^\d+$/.test(code)) return kind === undefined && isAsin ? asinCode(code) : undefined;
  const type = TYPE_OF_DIGITS.get(code.length);
  return type !== undefined && isCorrectCode(type, code) ? `gtin:${gtin14(type, code)}` : undefined;
}
