/** Describes the body of a SKU upload, and checks the rules between its fields. */
import { isPresent } from '../check/compile.ts';
import { Amount, HttpUrl, Id, List, OneOf, Pattern, Scalar, Text, Whole } from '../check/schema.ts';
import { type Static, type TSchema, Type } from '../check/type.ts';
import { LIMITS } from '../limits.ts';
import type { Names } from '../names.ts';
import type { Report } from '../problem.ts';
import { isImageUrl } from '../text/text-rules.ts';
import { CAUTIONARY_STATEMENTS, NO_WARNING } from '../vocabulary/cautionary-statements.ts';
import {
  currentPricePolicy,
  DEPRECATED_PRICE_POLICIES,
  type DeprecatedPricePolicy,
  PRICE_POLICIES,
  PRICE_POLICY_WITH_MAP_PRICE,
} from '../vocabulary/price-policies.ts';
import { PRODUCT_CODE_DIGITS, PRODUCT_CODE_TYPES } from '../vocabulary/product-codes.ts';
import { SHOE_PRODUCT_TYPES } from '../vocabulary/product-types.ts';
import { PRODUCT_TAX_CODES } from '../vocabulary/tax-codes.ts';
import { type BodyCheck, createBodyCheck, type Loose } from './body-check.ts';

const StandardProductCode = Type.Object(
  {
    standard_product_code_type: OneOf(PRODUCT_CODE_TYPES, { description: 'Type of product code.' }),
    standard_product_code: Pattern('^[0-9]*$', 'must consist of digits', {
      description: 'Digits: 14 for GTIN-14, 13 for EAN and ISBN-13, 12 for UPC, 10 for ISBN-10.',
    }),
  },
  { title: 'StandardProductCode', description: 'A product code from an official registry.' },
);

const AttributeValue = Type.Object(
  {
    attribute_id: Id({ description: 'Id of an attribute that the taxonomy lists for the category.' }),
    attribute_value: Text(LIMITS.attribute_value_characters_max, {
      min: 1,
      description: 'Value of the attribute. An image URL is not allowed.',
    }),
    attribute_value_unit: Type.Optional(
      Text(LIMITS.text_characters_max, { description: 'Unit for the value, if the attribute needs one.' }),
    ),
  },
  { title: 'AttributeValue', description: 'One attribute of the product, such as its color.' },
);

const AlternateImage = Type.Object(
  {
    image_slot_id: Whole(1, LIMITS.alternate_images_max, { description: 'Position of the image. Use each slot once.' }),
    image_url: HttpUrl({
      description:
        'Image URL. The minimum size is the same as for the main image. At least 500 x 500 pixels are recommended, ideally 1500 x 1500.',
    }),
  },
  { title: 'AlternateImage', description: 'An additional image of the product.' },
);

const ProductTaxCode = OneOf(PRODUCT_TAX_CODES, {
  title: 'ProductTaxCode',
  description: 'Tax category of the product. The taxonomy suggests one for most categories.',
});

const optionalText = (max: number, description: string, min?: number) =>
  Type.Optional(Text(max, { ...(min === undefined ? {} : { min }), description }));
const optionalSize = (description: string) => Type.Optional(Amount(LIMITS.amount_min, { description }));
const optionalBullets = (description: string) =>
  Type.Optional(List(Text(LIMITS.bullet_characters_max), LIMITS.included_bullets_max, { description }));
const storedAsSent = (max: number = LIMITS.text_characters_max, checked = 'Only its length is checked.') =>
  Type.Optional(Scalar(max, { description: `Stored and returned as sent; the server never sets it. ${checked}` }));

const skuFields = {
  product_title: Text(LIMITS.product_title_characters_max, {
    min: LIMITS.product_title_characters_min,
    description: 'Short title shown to customers.',
  }),
  multipack_quantity: Whole(1, LIMITS.multipack_quantity_max, {
    description: 'Number of items with this product code in the offer: barcodes, not pieces.',
  }),
  standard_product_codes: Type.Optional(
    List(StandardProductCode, LIMITS.standard_product_codes_max, {
      description: 'Product codes. Required when ASIN is absent.',
    }),
  ),
  ASIN: Type.Optional(
    Pattern('^[0-9A-Za-z]{10}$', 'must consist of 10 letters or digits', {
      description: 'ASIN of the item itself, not of its parent. Required when standard_product_codes is absent.',
    }),
  ),
  brand: Text(LIMITS.brand_characters_max, { min: 1, description: 'Brand of the product.' }),
  main_image_url: HttpUrl({
    description:
      'URL of the main image, reachable from the internet. At least 40,000 pixels, longer side at least 200, shorter side ' +
      'at least 100. GIF and layered PNG are not supported.',
  }),
  manufacturer: optionalText(LIMITS.manufacturer_characters_max, 'Manufacturer of the product.', 1),
  product_description: optionalText(LIMITS.product_description_characters_max, 'Long description of the product.', 1),
  mfr_part_number: optionalText(LIMITS.mfr_part_number_characters_max, 'Part number of the manufacturer.', 1),
  bullets: Type.Optional(
    List(Text(LIMITS.bullet_characters_max, { min: 1 }), LIMITS.bullets_max, {
      description: 'Features of the product.',
    }),
  ),
  shipping_weight_pounds: optionalSize(
    'Weight of the package in pounds. Needed when all fulfillment nodes have rates per pound, or one with stock does.',
  ),
  map_price: optionalSize('Reference price to show. Required with map_implementation 102.'),
  map_implementation: Type.Optional(
    OneOf([...PRICE_POLICIES, ...(Object.keys(DEPRECATED_PRICE_POLICIES) as DeprecatedPricePolicy[])] as const, {
      description:
        'Price policy. 101: no restriction. 102: member savings only on request; send map_price. 103: no member savings. ' +
        'Type0 to Type4 are deprecated and stored as their 10x value.',
      'x-deprecated-values': Object.keys(DEPRECATED_PRICE_POLICIES),
    }),
  ),
  marketplace_browse_node_id: Type.Optional(
    Id({ description: 'Category of the product: the id of a taxonomy node. Recommended on every upload.' }),
  ),
  attributes_node_specific: Type.Optional(
    List(AttributeValue, LIMITS.attributes_max, {
      min: 1,
      description: 'Values for attributes that the taxonomy lists for the category.',
    }),
  ),
  external_item_type_keyword: optionalText(LIMITS.text_characters_max, 'Item-type keyword for browsing.'),
  category_path: optionalText(LIMITS.text_characters_max, 'Path of the product in your own categories.'),
  number_units_for_price_per_unit: Type.Optional(
    Whole(1, LIMITS.count_max, { description: 'Number of units in the SKU, to show a price per unit.' }),
  ),
  type_of_unit_for_price_per_unit: optionalText(LIMITS.text_characters_max, 'Name of the unit, such as ounce.'),
  package_length_inches: optionalSize('Length of the package as shipped.'),
  package_width_inches: optionalSize('Width of the package as shipped.'),
  package_height_inches: optionalSize('Height of the package as shipped.'),
  display_length_inches: optionalSize('Length of the assembled product.'),
  display_width_inches: optionalSize('Width of the assembled product.'),
  display_height_inches: optionalSize('Height of the assembled product.'),
  prop_65: Type.Optional(
    Type.Boolean({ description: 'Whether the product is subject to Proposition 65 warnings; false when omitted.' }),
  ),
  prop_65_reasons: optionalText(LIMITS.long_text_characters_max, 'Ingredients that the product contains.'),
  legal_disclaimer_description: optionalText(LIMITS.long_text_characters_max, 'Legal text shown with the product.'),
  cpsia_cautionary_statements: Type.Optional(
    List(OneOf(CAUTIONARY_STATEMENTS), LIMITS.cautionary_statements_max, {
      description: "Warnings for toys and children's products. Send 'no warning applicable' alone.",
    }),
  ),
  country_of_origin: optionalText(LIMITS.country_of_origin_characters_max, 'Country where the product was made.'),
  safety_warning: optionalText(LIMITS.safety_warning_characters_max, 'Safety warning shown with the product.'),
  product_tax_code: Type.Optional(ProductTaxCode),
  msrp: optionalSize("Manufacturer's suggested retail price."),
  included_bullets: optionalBullets('What is in the box.'),
  not_included_bullets: optionalBullets('What is not in the box.'),
  alternate_images: Type.Optional(
    List(AlternateImage, LIMITS.alternate_images_max, { description: 'Additional images, one for each slot.' }),
  ),
  swatch_image_url: storedAsSent(
    LIMITS.url_characters_max,
    'An http or https URL is checked like an alternate image, but the image may be small and of one color.',
  ),
  fulfillment_time: storedAsSent(),
  no_return_fee_adjustment: storedAsSent(),
  exclude_from_fee_adjustments: storedAsSent(),
  ships_alone: storedAsSent(),
};

export const SkuBody = Type.Object(skuFields);

export const ShoeSkuBody = Type.Object({
  product_type_id: OneOf(
    SHOE_PRODUCT_TYPES.map((type) => type.id),
    { description: `Kind of shoe. ${SHOE_PRODUCT_TYPES.map((type) => `${type.id}: ${type.name}`).join('; ')}.` },
  ),
  ...skuFields,
});

/** The uploaded fields as stored. */
export const StoredSku = Type.Object({
  ...skuFields,
  prop_65: Type.Boolean({ description: 'Whether the product is subject to Proposition 65 warnings.' }),
  map_implementation: Type.Optional(OneOf(PRICE_POLICIES, { description: 'Price policy, see the SKU upload.' })),
  product_type_id: Type.Optional(ShoeSkuBody.properties.product_type_id),
});

export type SkuUpload = Static<typeof SkuBody>;
export type ShoeSkuUpload = Static<typeof ShoeSkuBody>;

/** Says whether a browse node is a real node of the taxonomy. */
export type KnowsBrowseNode = (id: number | bigint) => boolean;

export function createSkuCheck(names: Names, knowsBrowseNode: KnowsBrowseNode): BodyCheck<SkuUpload> {
  return createBodyCheck(SkuBody, names, skuRules(names, knowsBrowseNode), inStoredForm(SkuBody));
}

export function createShoeSkuCheck(names: Names, knowsBrowseNode: KnowsBrowseNode): BodyCheck<ShoeSkuUpload> {
  return createBodyCheck(ShoeSkuBody, names, skuRules(names, knowsBrowseNode), inStoredForm(ShoeSkuBody));
}

/** Describes the bodies that `toStoredSku` of parts/sku.ts does not change, except that it adds an absent `prop_65`. */
function inStoredForm({ properties }: typeof SkuBody): TSchema {
  const { prop_65, ...fields } = properties;
  return Type.Object({
    ...fields,
    standard_product_codes: Type.Optional(List(StandardProductCode, LIMITS.standard_product_codes_max, { min: 1 })),
    map_implementation: Type.Optional(OneOf(PRICE_POLICIES)),
    prop_65,
  });
}

function skuRules(names: Names, knowsBrowseNode: KnowsBrowseNode) {
  return (sku: Loose<SkuUpload>, sent: Readonly<Record<string, unknown>>, report: Report): void => {
    checkProductCodes(sku, sent, report);
    checkPricePolicy(sku, sent, report);
    checkCautions(sku, report);
    checkAttributes(sku, report);
    checkImageSlots(sku, report);
    const browseNodeId = sku.marketplace_browse_node_id;
    if (browseNodeId !== undefined && !knowsBrowseNode(browseNodeId)) {
      report.add(
        'browse_node_unknown',
        'must be a node of the taxonomy: see GET /taxonomy/search',
        names.field('marketplace_browse_node_id'),
      );
    }
  };
}

function checkProductCodes(sku: Loose<SkuUpload>, sent: Readonly<Record<string, unknown>>, report: Report): void {
  const sentCodes = sent.standard_product_codes;
  const hasCodes = isPresent(sentCodes) && !(Array.isArray(sentCodes) && sentCodes.length === 0);
  if (!hasCodes && !isPresent(sent.ASIN)) {
    report.add('product_code_required', 'is required when ASIN is absent', 'standard_product_codes');
  }
  for (const [index, code] of sku.standard_product_codes?.entries() ?? []) {
    if (code?.standard_product_code_type === undefined || code.standard_product_code === undefined) continue;
    const digits = PRODUCT_CODE_DIGITS[code.standard_product_code_type];
    if (code.standard_product_code.length === digits) continue;
    const rule = `must have ${digits} digits as ${code.standard_product_code_type}`;
    report.add('product_code_length', rule, 'standard_product_codes', index, 'standard_product_code');
  }
}

function checkPricePolicy(sku: Loose<SkuUpload>, sent: Readonly<Record<string, unknown>>, report: Report): void {
  if (sku.map_implementation === undefined || isPresent(sent.map_price)) return;
  if (currentPricePolicy(sku.map_implementation) !== PRICE_POLICY_WITH_MAP_PRICE) return;
  report.add('map_price_required', `is required when map_implementation is ${sku.map_implementation}`, 'map_price');
}

function checkCautions(sku: Loose<SkuUpload>, report: Report): void {
  const cautions = sku.cpsia_cautionary_statements ?? [];
  if (!cautions.includes(NO_WARNING) || cautions.every((caution) => caution === NO_WARNING)) return;
  report.add('caution_contradiction', `'${NO_WARNING}' must be the only statement`, 'cpsia_cautionary_statements');
}

function checkAttributes(sku: Loose<SkuUpload>, report: Report): void {
  for (const [index, attribute] of sku.attributes_node_specific?.entries() ?? []) {
    if (attribute?.attribute_value === undefined || !isImageUrl(attribute.attribute_value)) continue;
    const rule = 'must not be the URL of an image';
    report.add('image_url_as_value', rule, 'attributes_node_specific', index, 'attribute_value');
  }
}

function checkImageSlots(sku: Loose<SkuUpload>, report: Report): void {
  const seen = new Set<number>();
  for (const [index, image] of sku.alternate_images?.entries() ?? []) {
    if (image?.image_slot_id === undefined) continue;
    if (seen.has(image.image_slot_id)) {
      const rule = `repeats slot ${image.image_slot_id}`;
      report.add('image_slot_repeated', rule, 'alternate_images', index, 'image_slot_id');
    }
    seen.add(image.image_slot_id);
  }
}
