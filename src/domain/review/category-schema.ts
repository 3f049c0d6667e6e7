/**
 * Writes a JSON Schema (2020-12) for the SKU body of a category, from the tables that the body check and the review use.
 *
 * A body is valid exactly if the review finds no issue that the body alone decides, apart from two rules that JSON Schema
 * cannot express: check digits are the formats `gs1-code` and `isbn-10-code`, and pack counts in titles are left out. Values and
 * units are listed in one spelling, while the review also accepts other letter case, width and spacing.
 */
import { ShoeSkuBody, SkuBody } from '../bodies/sku.ts';
import type { BodySchema } from '../check/schema.ts';
import { stringifyExactJson } from '../int64.ts';
import { LIMITS } from '../limits.ts';
import type { Names } from '../names.ts';
import type { AttributeEntry } from '../taxonomy/entries.ts';
import type { NodeAttribute, TaxonomyNode } from '../taxonomy/tree.ts';
import { IMAGE_EXTENSIONS, VISIBLE_CHARACTER } from '../text/text-rules.ts';
import { CAUTIONARY_STATEMENTS, NO_WARNING } from '../vocabulary/cautionary-statements.ts';
import {
  currentPricePolicy,
  DEPRECATED_PRICE_POLICIES,
  type DeprecatedPricePolicy,
  PRICE_POLICIES,
  PRICE_POLICY_WITH_MAP_PRICE,
} from '../vocabulary/price-policies.ts';
import { PRODUCT_CODE_DIGITS, PRODUCT_CODE_TYPES } from '../vocabulary/product-codes.ts';
import { decimalPattern } from './decimal-pattern.ts';
import type { CategoryBook, ReviewKnowledge } from './facts.ts';
import { isShoeCategory } from './shoe-group.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** A taxonomy that applies from a date. */
export interface TaxonomyFrom {
  readonly id: number;
  readonly rule: string;
  readonly enforced_from: string;
  readonly taxonomy: CategoryBook;
}

type Rules = Pick<ReviewKnowledge, 'newProductData'> & { readonly taxonomy: CategoryBook };

export function categorySchema(
  node: TaxonomyNode,
  rules: Rules,
  upcoming: readonly TaxonomyFrom[],
  names: Names,
): JsonSchema {
  const now = categoryRules(node, rules, names);
  let before = now;
  const changes = upcoming.flatMap(({ taxonomy, ...change }) => {
    const schema = categoryRules(node, { ...rules, taxonomy }, names);
    if (stringifyExactJson(schema) === stringifyExactJson(before)) return [];
    before = schema;
    return [{ ...change, schema }];
  });
  const body = isShoeCategory(node.id) ? ShoeSkuBody : SkuBody;
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `SKU in ${node.name}`,
    ...(shown(body as BodySchema, names) as object),
    allOf: [...RULES_BETWEEN_FIELDS, now],
    ...(changes.length === 0 ? {} : { 'x-upcoming': changes }),
  };
}

/** Returns the schema of a body with the operator's names of fields, and with URLs as a pattern too. */
function shown(schema: BodySchema, names: Names): unknown {
  const { properties, required, items, format, ...rest } = schema;
  const isUrl = format === 'uri';
  return {
    ...rest,
    ...(format === undefined ? {} : { format }),
    ...(isUrl ? { pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s/?#]\\S*$' } : {}),
    ...(items === undefined ? {} : { items: shown(items, names) }),
    ...(required === undefined ? {} : { required: required.map((name) => names.field(name)) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, member]) => [names.field(name), shown(member, names)]),
          ),
        }),
  };
}

const visible = { pattern: VISIBLE_CHARACTER };
const anyOfExtensions = IMAGE_EXTENSIONS.split('|').map(anyCase).join('|');
const mapPolicies = [...PRICE_POLICIES, ...(Object.keys(DEPRECATED_PRICE_POLICIES) as DeprecatedPricePolicy[])].filter(
  (policy) => currentPricePolicy(policy) === PRICE_POLICY_WITH_MAP_PRICE,
);

/** What `skuRules` of bodies/sku.ts and the checks of the review require in every category. */
const RULES_BETWEEN_FIELDS: readonly JsonSchema[] = [
  { properties: { product_title: visible, brand: visible } },
  {
    anyOf: [
      { required: ['ASIN'] },
      { required: ['standard_product_codes'], properties: { standard_product_codes: { minItems: 1 } } },
    ],
  },
  {
    properties: {
      standard_product_codes: {
        items: {
          allOf: PRODUCT_CODE_TYPES.map((type) => ({
            if: { properties: { standard_product_code_type: { const: type } } },
            // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
            then: {
              properties: {
                standard_product_code: {
                  pattern: `^(?=.*[1-9])[0-9]{${PRODUCT_CODE_DIGITS[type]}}$`,
                  format: type === 'ISBN-10' ? 'isbn-10-code' : 'gs1-code',
                },
              },
            },
          })),
        },
      },
    },
  },
  {
    if: { properties: { map_implementation: { enum: mapPolicies } }, required: ['map_implementation'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ['map_price'] },
  },
  {
    properties: {
      cpsia_cautionary_statements: {
        anyOf: [
          { items: { const: NO_WARNING } },
          { items: { enum: CAUTIONARY_STATEMENTS.filter((one) => one !== NO_WARNING) } },
        ],
      },
    },
  },
  {
    properties: {
      attributes_node_specific: {
        items: {
          properties: {
            attribute_value: {
              not: {
                pattern: `^[Hh][Tt][Tt][Pp][Ss]?://[^\\s/\\\\?#]+[/\\\\][^\\s?#]*\\.(?:${anyOfExtensions})(?:[?#]\\S*)?$`,
              },
            },
          },
        },
      },
    },
  },
  {
    properties: {
      alternate_images: {
        allOf: Array.from({ length: LIMITS.alternate_images_max }, (_, index) => ({
          contains: { properties: { image_slot_id: { const: index + 1 } }, required: ['image_slot_id'] },
          minContains: 0,
          maxContains: 1,
        })),
      },
    },
  },
];

/** Schemas have no flag for letter case. */
function anyCase(text: string): string {
  return text.replace(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`);
}

function categoryRules({ id }: TaxonomyNode, { taxonomy, newProductData }: Rules, names: Names): JsonSchema {
  const node = taxonomy.node(id);
  if (node?.isLeaf !== true || !node.active) {
    return { description: 'Offers cannot be listed in this category. Choose an active category below it.', not: {} };
  }
  const field = isShoeCategory(id) ? 'product_type_id' : names.field('marketplace_browse_node_id');
  const attributes = taxonomy.attributes(id).map(attributeRules);
  const whenNew = [...(node.newProductData ?? newProductData), ...(node.needsCode ? ['standard_product_codes'] : [])];
  return {
    properties: { [field]: { const: id } },
    required: [field],
    // The catalog decides whether a product is new, so validators ignore this list.
    'x-required-when-new': whenNew,
    ...(attributes.length === 0 ? {} : { allOf: attributes }),
  };
}

function attributeRules({ attribute, required }: NodeAttribute): JsonSchema {
  const isThis = { properties: { attribute_id: { const: attribute.id }, attribute_value: visible } };
  const sent = { ...isThis, required: ['attribute_id', 'attribute_value'] };
  const { units } = attribute;
  const valid = {
    properties: {
      attribute_value: valueRule(attribute),
      ...(units.length === 0 ? {} : { attribute_value_unit: { enum: units } }),
    },
    ...(units.length === 0 ? {} : { required: ['attribute_value_unit'] }),
  };
  return {
    title: attribute.description,
    properties: {
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      attributes_node_specific: { items: { if: sent, then: valid }, ...(required ? { contains: sent } : {}) },
    },
    ...(required ? { required: ['attributes_node_specific'] } : {}),
  };
}

function valueRule({ values, dataType, min, max }: AttributeEntry): JsonSchema {
  if (values.length > 0) return { enum: values };
  if (dataType === 'text') return {};
  const range = [...(min === null ? [] : [`at least ${min}`]), ...(max === null ? [] : [`at most ${max}`])];
  const kind = dataType === 'integer' ? 'a whole number' : 'a number';
  return { description: [kind, ...range].join(', '), pattern: decimalPattern(dataType, min, max) };
}
