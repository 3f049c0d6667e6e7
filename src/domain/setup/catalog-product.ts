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
});

export type CatalogProductUpload = Omit<Static<typeof CatalogProductBody>, 'code' | 'category'> & {
  readonly code: CatalogCode;
  /** Null removes the category. */
  readonly category?: Int64 | null;
};

export function createCatalogProductCheck(names: Names): BodyCheck<CatalogProductUpload> {
  const check = createBodyCheck(CatalogProductBody, names, ({ code }, _sent, report) => {
    if (code !== undefined && readCatalogCode(code) === undefined) {
      report.add('product_code_invalid', 'invalid product code', 'code');
    }
  });
  return (body) => {
    const checked = check(body);
    if (!checked.ok) return checked;
    const product = { ...checked.value, code: readCatalogCode(checked.value.code) as CatalogCode };
    // The checker treats null as absent, as the contract requires of merchants' bodies.
    const isTaken = isObject(body.value) && body.value.category === null;
    return accept(isTaken ? { ...product, category: null } : product, checked.ignored);
  };
}
