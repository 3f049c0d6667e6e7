/** Creates product codes with correct check digits, unique for every row and seed. */
import type { ProductCodeType } from '../domain/vocabulary/product-codes.ts';

/** Limits of a generated catalog; beyond them product codes would repeat. */
export const CATALOG_LIMITS = Object.freeze({ skus_max: 10_000_000, seed_max: 999 });

export interface GeneratedCode {
  readonly type: ProductCodeType;
  readonly code: string;
}

/** Types of codes, each with a prefix that keeps its codes different from the others. */
const FORMS: readonly { readonly type: ProductCodeType; readonly prefix: string }[] = [
  { type: 'UPC', prefix: '6' },
  { type: 'UPC', prefix: '7' },
  { type: 'EAN', prefix: '40' },
  { type: 'GTIN-14', prefix: '150' },
];

const SEED_DIGITS = String(CATALOG_LIMITS.seed_max).length;
const ROW_DIGITS = String(CATALOG_LIMITS.skus_max - 1).length;

export function productCode(seed: number, row: number): GeneratedCode {
  const { type, prefix } = FORMS[row % FORMS.length] as (typeof FORMS)[number];
  const article = String(seed).padStart(SEED_DIGITS, '0') + String(row).padStart(ROW_DIGITS, '0');
  return { type, code: withCheckDigit(prefix + article) };
}

/** Weights alternate 3 and 1, from the last digit. */
function withCheckDigit(digits: string): string {
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const weight = (digits.length - index) % 2 === 1 ? 3 : 1;
    sum += (digits.charCodeAt(index) - 48) * weight;
  }
  return digits + ((10 - (sum % 10)) % 10);
}
