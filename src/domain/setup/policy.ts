/** Describes a policy: its kind, and the fields that a policy of that kind has. Also describes a placeholder. */
import { type BodyCheck, createBodyCheck } from '../bodies/body-check.ts';
import { isPresent } from '../check/compile.ts';
import { FilledText, Id, List, OneOf, Pattern, Text } from '../check/schema.ts';
import { type Static, Type } from '../check/type.ts';
import { LIMITS } from '../limits.ts';
import type { Names } from '../names.ts';
import { accept } from '../outcome.ts';
import type { Policy } from '../review/policies.ts';
import { type CatalogCode, readCatalogCode } from '../review/product-code.ts';
import { RANK_PART_NAMES } from '../vocabulary/rank-parts.ts';

export const POLICY_KINDS = Object.freeze([
  'excluded_brand',
  'excluded_category',
  'excluded_code',
  'restricted_brand',
  'rank_order',
] as const satisfies readonly Policy['kind'][]);

export const PolicyBody = Type.Object(
  {
    kind: OneOf(POLICY_KINDS, { description: 'What the policy does.' }),
    brand: Type.Optional(
      FilledText(LIMITS.brand_characters_max, { description: 'For the two brand policies. Not case-sensitive.' }),
    ),
    category: Type.Optional(
      Id({ description: 'For `excluded_category`: a node of the taxonomy, including its descendants.' }),
    ),
    code: Type.Optional(
      Text(LIMITS.text_characters_max, {
        min: 1,
        description: 'For `excluded_code`: UPC, EAN, ISBN, GTIN-14 or ASIN.',
      }),
    ),
    merchants: Type.Optional(
      List(Text(LIMITS.merchant_id_characters_max, { min: 1 }), LIMITS.policy_merchants_max, {
        description: 'For `restricted_brand`: merchants to grant the brand to, or to revoke it from.',
      }),
    ),
    order: Type.Optional(
      List(OneOf(RANK_PART_NAMES), RANK_PART_NAMES.length, {
        min: 1,
        description: 'For `rank_order`: what ranks the offers of a product, the first part first. Replaces the order.',
      }),
    ),
  },
  { title: 'PolicyBody' },
);

export const PLACEHOLDER_KINDS = Object.freeze(['placeholder', 'logo', 'watermark'] as const);

/** An image that stands for a missing one, or a logo or watermark that no image may show. */
export const PlaceholderBody = Type.Object({
  note: FilledText(LIMITS.placeholder_note_characters_max, { description: 'A note about the image.' }),
  hash: Type.Optional(
    Pattern('^[0-9a-f]{128}$', 'must be 128 hexadecimal digits', {
      description: 'Hash of the placeholder. If absent, it is computed from the image in the body.',
    }),
  ),
  kind: Type.Optional(OneOf(PLACEHOLDER_KINDS, { description: 'The default is `placeholder`.' })),
});

export type PolicyUpload = Static<typeof PolicyBody>;

type Thing = Exclude<keyof PolicyUpload, 'kind'>;

/** The required field of each kind, and its optional fields. */
const THINGS_OF_KIND: Readonly<Record<Policy['kind'], readonly [needed: Thing, ...allowed: Thing[]]>> = {
  excluded_brand: ['brand'],
  excluded_category: ['category'],
  excluded_code: ['code'],
  restricted_brand: ['brand', 'merchants'],
  rank_order: ['order'],
};

const THINGS: readonly Thing[] = Object.freeze(['brand', 'category', 'code', 'merchants', 'order']);

export function createPolicyCheck(names: Names): BodyCheck<Policy> {
  const check = createBodyCheck(PolicyBody, names, (clean, sent, report) => {
    if (clean.kind !== undefined) {
      const [needed, ...allowed] = THINGS_OF_KIND[clean.kind];
      for (const thing of THINGS) {
        if (thing === needed && !isPresent(sent[thing])) report.add('required', `is required for ${clean.kind}`, thing);
        if (thing !== needed && !allowed.includes(thing) && isPresent(sent[thing])) {
          report.add('not_allowed', `must not be given for ${clean.kind}`, thing);
        }
      }
    }
    if (clean.order !== undefined && new Set(clean.order).size < clean.order.length) {
      report.add('not_allowed', 'must not name a part twice', 'order');
    }
    if (clean.code !== undefined && readCatalogCode(clean.code) === undefined) {
      report.add('product_code_invalid', 'invalid product code', 'code');
    }
  });
  return (body) => {
    const checked = check(body);
    return checked.ok ? accept(policyOf(checked.value), checked.ignored) : checked;
  };
}

/** Converts a body that was checked. */
function policyOf({ kind, brand = '', category = 0, code = '', merchants = [], order = [] }: PolicyUpload): Policy {
  switch (kind) {
    case 'excluded_brand':
      return { kind, brand };
    case 'excluded_category':
      return { kind, nodeId: category };
    case 'excluded_code':
      return { kind, code: readCatalogCode(code) as CatalogCode };
    case 'restricted_brand':
      return { kind, brand, merchantIds: merchants };
    case 'rank_order':
      return { kind, order };
  }
}
