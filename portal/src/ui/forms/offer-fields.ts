/** Lists the single-value fields of an offer's data, in the sections and order of the form. */
import { CAUTIONARY_STATEMENTS } from '#domain/vocabulary/cautionary-statements.ts';
import { COUNTRIES } from '#domain/vocabulary/countries.ts';
import { PRICE_POLICIES } from '#domain/vocabulary/price-policies.ts';
import { PRICE_UNITS } from '#domain/vocabulary/price-units.ts';
import { PRODUCT_TAX_CODES } from '#domain/vocabulary/tax-codes.ts';
import type { components } from '../../api/schema.d.ts';

export type SkuBody = components['schemas']['PutSkuBody'];

export type FieldKind =
  | 'text'
  | 'long_text'
  | 'number'
  | 'flag'
  /** URL of an image, with a preview. */
  | 'image'
  /** A list of texts, one per line. */
  | 'lines'
  | { readonly oneOf: readonly string[]; readonly labels?: Readonly<Record<string, string>> }
  | { readonly someOf: readonly string[] };

/** The body's required fields. The compiler refuses a list that differs from the server's schema. */
type RequiredName = {
  [Name in keyof SkuBody]-?: object extends Pick<SkuBody, Name> ? never : Name;
}[keyof SkuBody];

const REQUIRED: Readonly<Record<RequiredName, true>> = {
  product_title: true,
  brand: true,
  main_image_url: true,
  multipack_quantity: true,
};

export function isRequired(name: string): boolean {
  return Object.hasOwn(REQUIRED, name);
}

export interface PlainField {
  readonly name: keyof SkuBody;
  readonly label: string;
  readonly kind: FieldKind;
  /** For numbers. */
  readonly isWhole?: true;
  readonly unit?: '$';
}

export interface FieldSection {
  readonly title: string;
  readonly fields: readonly PlainField[];
}

const PRICE_POLICY_NAMES: Readonly<Record<(typeof PRICE_POLICIES)[number], string>> = {
  '101': '101: no restriction',
  '102': '102: member savings on request only',
  '103': '103: no member savings',
};

export const SECTIONS: readonly FieldSection[] = [
  {
    title: 'Product',
    fields: [
      { name: 'product_title', label: 'Title', kind: 'text' },
      { name: 'brand', label: 'Brand', kind: 'text' },
      { name: 'manufacturer', label: 'Manufacturer', kind: 'text' },
      { name: 'mfr_part_number', label: 'Manufacturer part number', kind: 'text' },
      { name: 'multipack_quantity', label: 'Multipack quantity', kind: 'number', isWhole: true },
      { name: 'product_description', label: 'Description', kind: 'long_text' },
      { name: 'bullets', label: 'Bullet points (one per line)', kind: 'lines' },
      { name: 'included_bullets', label: 'Included (one per line)', kind: 'lines' },
      { name: 'not_included_bullets', label: 'Not included (one per line)', kind: 'lines' },
    ],
  },
  {
    title: 'Images',
    fields: [
      { name: 'main_image_url', label: 'Main image URL', kind: 'image' },
      { name: 'swatch_image_url', label: 'Swatch image URL', kind: 'image' },
    ],
  },
  {
    title: 'Identity and category',
    fields: [
      { name: 'ASIN', label: 'ASIN', kind: 'text' },
      { name: 'external_item_type_keyword', label: 'External item type keyword', kind: 'text' },
      { name: 'category_path', label: 'Your category path', kind: 'text' },
      { name: 'product_tax_code', label: 'Tax code', kind: { oneOf: PRODUCT_TAX_CODES } },
      { name: 'country_of_origin', label: 'Country of origin', kind: { oneOf: COUNTRIES } },
    ],
  },
  {
    title: 'Dimensions and weight',
    fields: [
      { name: 'shipping_weight_pounds', label: 'Shipping weight (pounds)', kind: 'number' },
      { name: 'package_length_inches', label: 'Package length (inches)', kind: 'number' },
      { name: 'package_width_inches', label: 'Package width (inches)', kind: 'number' },
      { name: 'package_height_inches', label: 'Package height (inches)', kind: 'number' },
      { name: 'display_length_inches', label: 'Display length (inches)', kind: 'number' },
      { name: 'display_width_inches', label: 'Display width (inches)', kind: 'number' },
      { name: 'display_height_inches', label: 'Display height (inches)', kind: 'number' },
    ],
  },
  {
    title: 'Manufacturer pricing',
    fields: [
      { name: 'msrp', label: 'Suggested retail price (MSRP)', kind: 'number', unit: '$' },
      { name: 'map_price', label: 'Minimum advertised price (MAP)', kind: 'number', unit: '$' },
      {
        name: 'map_implementation',
        label: 'MAP policy',
        kind: { oneOf: PRICE_POLICIES, labels: PRICE_POLICY_NAMES },
      },
      { name: 'number_units_for_price_per_unit', label: 'Unit count (for price per unit)', kind: 'number' },
      {
        name: 'type_of_unit_for_price_per_unit',
        label: 'Unit (for price per unit)',
        kind: { oneOf: PRICE_UNITS },
      },
    ],
  },
  {
    title: 'Compliance',
    fields: [
      { name: 'prop_65', label: 'Subject to Proposition 65', kind: 'flag' },
      { name: 'prop_65_reasons', label: 'Proposition 65 reasons', kind: 'text' },
      {
        name: 'cpsia_cautionary_statements',
        label: 'Cautionary statements',
        kind: { someOf: CAUTIONARY_STATEMENTS },
      },
      { name: 'safety_warning', label: 'Safety warning', kind: 'long_text' },
      { name: 'legal_disclaimer_description', label: 'Legal disclaimer', kind: 'long_text' },
    ],
  },
  {
    title: 'Handling',
    fields: [
      { name: 'fulfillment_time', label: 'Fulfillment time', kind: 'text' },
      { name: 'ships_alone', label: 'Ships alone', kind: 'text' },
      { name: 'no_return_fee_adjustment', label: 'No return fee adjustment', kind: 'text' },
      { name: 'exclude_from_fee_adjustments', label: 'Exclude from fee adjustments', kind: 'text' },
    ],
  },
];

export const PLAIN_FIELDS: readonly PlainField[] = SECTIONS.flatMap(({ fields }) => fields);

/** Labels by field name, also of the fields that have inputs of their own. */
export const LABELS: ReadonlyMap<string, string> = new Map([
  ...PLAIN_FIELDS.map(({ name, label }) => [name, label] as const),
  ['standard_product_codes', 'Product codes'],
  ['marketplace_browse_node_id', 'Category'],
  ['product_type_id', 'Shoe type'],
  ['alternate_images', 'Alternate images'],
  ['attributes_node_specific', 'Category attributes'],
]);
