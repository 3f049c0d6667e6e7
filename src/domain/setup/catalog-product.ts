/** Describes an operator's correction of a catalog product. */
import { ENVIRONMENTS } from '../account.ts';
import { type BodyCheck, createBodyCheck } from '../bodies/body-check.ts';
import { isObject } from '../check/compile.ts';
import { FilledText, Id, OneOf, Text } from '../check/schema.ts';
import { type Static, Type } from '../check/type.ts';
import type { Int64 } from '../int64.ts';
import { LIMITS } from '../limits.ts';
import type { Names } from '../names.ts';
import { accept } from '../outcome.ts';
import { type CatalogCode, readCatalogCode } from '../review/product-code.ts';

const UNCHANGED = { description: 'If absent, the stored value stays unchanged.' };

export const CatalogProductBody = Type.Object({
  environment: OneOf(ENVIRONMENTS, { description: 'Environment of the catalog.' }),
  code: Text(LIMITS.text_characters_max, { min: 1, description: 'UPC, EAN, ISBN, GTIN-14 or ASIN.' }),
  brand: Type.Optional(FilledText(LIMITS.brand_characters_max, UNCHANGED)),
  title: Type.Optional(FilledText(LIMITS.product_title_characters_max, UNCHANGED)),
  category: Type.Optional(
    Id({ description: 'Category for offers that have none. If absent, it stays unchanged; if null, it is removed.' }),
  ),
  same_as: Type.Optional(
    Text(LIMITS.text_characters_max, {
      min: 1,
      description:
        'Code of another product that is the same. Merges this product into it; only without brand, title and category. If absent, it stays unchanged; if null, the products are separated.',
    }),
  ),
});

export type CatalogProductUpload = Omit<Static<typeof CatalogProductBody>, 'code' | 'category' | 'same_as'> & {
  readonly code: CatalogCode;
  /** Null separates the product from the one that it was merged into. */
  readonly same_as?: CatalogCode | null;
  /** Null removes the category. */
  readonly category?: Int64 | null;
};

export function createCatalogProductCheck(names: Names): BodyCheck<CatalogProductUpload> {
  const check = createBodyCheck(CatalogProductBody, names, (clean, sent, report) => {
    for (const field of ['code', 'same_as'] as const) {
      if (clean[field] !== undefined && readCatalogCode(clean[field]) === undefined) {
        report.add('product_code_invalid', 'invalid product code', field);
      }
    }
    const { code, same_as: other } = clean;
    if (code === undefined || other === undefined) return;
    if (readCatalogCode(code) === readCatalogCode(other))
      report.add('not_allowed', 'must be another product', 'same_as');
    for (const field of ['brand', 'title', 'category'] as const) {
      if (sent[field] !== undefined) report.add('not_allowed', 'must not be sent together with same_as', field);
    }
  });
  return (body) => {
    const checked = check(body);
    if (!checked.ok) return checked;
    const { code, same_as: other, ...fields } = checked.value;
    // The checker treats null as absent, as the contract requires of merchants' bodies.
    const isNull = (field: string) => isObject(body.value) && body.value[field] === null;
    const product = {
      ...fields,
      code: readCatalogCode(code) as CatalogCode,
      ...(isNull('category') && { category: null }),
      ...(other !== undefined && { same_as: readCatalogCode(other) as CatalogCode }),
      ...(isNull('same_as') && { same_as: null }),
    };
    return accept(product, checked.ignored);
  };
}
