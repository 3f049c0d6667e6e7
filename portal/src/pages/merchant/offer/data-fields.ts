/** The plain fields of an offer's data, in the groups and the order in which the form shows them. */
import { CAUTIONARY_STATEMENTS } from '../../../../../src/domain/vocabulary/cautionary-statements.ts';
import { PRICE_POLICIES } from '../../../../../src/domain/vocabulary/price-policies.ts';
import { PRODUCT_TAX_CODES } from '../../../../../src/domain/vocabulary/tax-codes.ts';
import type { components } from '../../../api/schema.d.ts';

export type SkuBody = components['schemas']['PutSkuBody'];

export type FieldKind =
  | 'text'
  | 'long_text'
  | 'number'
  | 'flag'
  /** A list of texts, one on each line. */
  | 'lines'
  | { readonly oneOf: readonly string[]; readonly labels?: Readonly<Record<string, string>> }
  | { readonly someOf: readonly string[] };

export interface PlainField {
  readonly name: keyof SkuBody;
  readonly label: string;
  readonly kind: FieldKind;
}

export interface FieldSection {
  readonly title: string;
  readonly fields: readonly PlainField[];
}

const PRICE_POLICY_NAMES: Readonly<Record<(typeof PRICE_POLICIES)[number], string>> = {
  '101': '101: no restriction',
  '102': '102: savings of members only on request',
  '103': '103: no savings of members',
};

export const SECTIONS: readonly FieldSection[] = [
  {
    title: 'Product',
    fields: [
      { name: 'product_title', label: 'Title', kind: 'text' },
      { name: 'brand', label: 'Brand', kind: 'text' },
      { name: 'manufacturer', label: 'Manufacturer', kind: 'text' },
      { name: 'mfr_part_number', label: 'Part number of the manufacturer', kind: 'text' },
      { name: 'multipack_quantity', label: 'Multipack quantity', kind: 'number' },
      { name: 'product_description', label: 'Description', kind: 'long_text' },
      { name: 'bullets', label: 'Bullets, one on each line', kind: 'lines' },
      { name: 'included_bullets', label: 'What is included, one on each line', kind: 'lines' },
      { name: 'not_included_bullets', label: 'What is not included, one on each line', kind: 'lines' },
    ],
  },
  {
    title: 'Images',
    fields: [
      { name: 'main_image_url', label: 'Address of the main image', kind: 'text' },
      { name: 'swatch_image_url', label: 'Address of the swatch image', kind: 'text' },
    ],
  },
  {
    title: 'Identity and category',
    fields: [
      { name: 'ASIN', label: 'ASIN', kind: 'text' },
      { name: 'external_item_type_keyword', label: 'External item type keyword', kind: 'text' },
      { name: 'category_path', label: 'Category path of your own', kind: 'text' },
      { name: 'product_tax_code', label: 'Tax code', kind: { oneOf: PRODUCT_TAX_CODES } },
      { name: 'country_of_origin', label: 'Country of origin', kind: 'text' },
    ],
  },
  {
    title: 'Sizes and weight',
    fields: [
      { name: 'shipping_weight_pounds', label: 'Shipping weight, pounds', kind: 'number' },
      { name: 'package_length_inches', label: 'Package length, inches', kind: 'number' },
      { name: 'package_width_inches', label: 'Package width, inches', kind: 'number' },
      { name: 'package_height_inches', label: 'Package height, inches', kind: 'number' },
      { name: 'display_length_inches', label: 'Display length, inches', kind: 'number' },
      { name: 'display_width_inches', label: 'Display width, inches', kind: 'number' },
      { name: 'display_height_inches', label: 'Display height, inches', kind: 'number' },
    ],
  },
  {
    title: 'Prices of the manufacturer',
    fields: [
      { name: 'msrp', label: 'Suggested retail price', kind: 'number' },
      { name: 'map_price', label: 'Minimum advertised price', kind: 'number' },
      {
        name: 'map_implementation',
        label: 'How it is applied',
        kind: { oneOf: PRICE_POLICIES, labels: PRICE_POLICY_NAMES },
      },
      { name: 'number_units_for_price_per_unit', label: 'Units, for the price per unit', kind: 'number' },
      { name: 'type_of_unit_for_price_per_unit', label: 'Unit, for the price per unit', kind: 'text' },
    ],
  },
  {
    title: 'Law and safety',
    fields: [
      { name: 'prop_65', label: 'Subject to Proposition 65', kind: 'flag' },
      { name: 'prop_65_reasons', label: 'Reasons for Proposition 65', kind: 'text' },
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
