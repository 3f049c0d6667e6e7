/** Computes the hash of each part of an offer as the server does: docs/reference/fingerprints.md has the rules. */
import { createHash } from 'node:crypto';
import { toJson } from '../../json.ts';
import { clearableField, type Part } from '../part-table.ts';

type Entry = Readonly<Record<string, unknown>>;

/** Fields in the order of the hashed text. A test compares them with the schema of the server. */
export const SKU_FIELDS: readonly string[] = [
  ...['product_type_id', 'product_title', 'multipack_quantity', 'standard_product_codes', 'ASIN', 'brand'],
  ...['main_image_url', 'manufacturer', 'product_description', 'mfr_part_number', 'bullets'],
  ...['shipping_weight_pounds', 'map_price', 'map_implementation', 'marketplace_browse_node_id'],
  ...['attributes_node_specific', 'external_item_type_keyword', 'category_path', 'number_units_for_price_per_unit'],
  ...['type_of_unit_for_price_per_unit', 'package_length_inches', 'package_width_inches', 'package_height_inches'],
  ...['display_length_inches', 'display_width_inches', 'display_height_inches', 'prop_65', 'prop_65_reasons'],
  ...['legal_disclaimer_description', 'cpsia_cautionary_statements', 'country_of_origin', 'safety_warning'],
  ...['product_tax_code', 'msrp', 'included_bullets', 'not_included_bullets', 'alternate_images'],
  ...['swatch_image_url', 'fulfillment_time', 'no_return_fee_adjustment', 'exclude_from_fee_adjustments'],
  'ships_alone',
];
/** Fields of the entries of lists. */
export const ENTRY_FIELDS = {
  standard_product_codes: ['standard_product_code_type', 'standard_product_code'],
  attributes_node_specific: ['attribute_id', 'attribute_value', 'attribute_value_unit'],
  alternate_images: ['image_slot_id', 'image_url'],
  node_prices: ['fulfillment_node_id', 'fulfillment_node_price'],
  shipping_exceptions: [
    ...['service_level', 'shipping_method', 'override_type', 'shipping_charge_amount', 'shipping_exception_type'],
  ],
} as const;
/** A marketplace may have changed the first part of these names. */
const RENAMED = { _browse_node_id: 'marketplace_browse_node_id', _item_type_keyword: 'external_item_type_keyword' };
const OLD_PRICE_POLICIES = new Map([
  ...([
    ['Type0', '101'],
    ['Type1', '101'],
    ['Type2', '102'],
    ['Type3', '103'],
    ['Type4', '103'],
  ] as const),
]);

/** The fields of a body with several fields that the server knows. It ignores or refuses other fields, depending on the part. */
export const PART_FIELDS: Readonly<Partial<Record<Part, readonly string[]>>> = {
  sku: SKU_FIELDS,
  price: ['price', 'fulfillment_nodes'],
  inventory: ['fulfillment_nodes'],
  variation: ['relationship', 'variation_refinements', 'group_title', 'children_skus'],
};

/** Returns the unknown fields of a body, such as misspelled ones. */
export function unknownFields(part: Part, body: Entry): string[] {
  const known = PART_FIELDS[part] ?? [clearableField(part)];
  return Object.keys(body).filter((name) => !known.includes(part === 'sku' ? neutral(name) : name));
}

/** Returns the hash of a part; '' if the body clears the part, and undefined if the body is invalid and the server will refuse it. */
export function hashOf(part: Part, skuId: string, body: Entry): string | undefined {
  const textOf = TEXTS[part] ?? ((sent: Entry) => clearableText(clearable(sent, clearableField(part))));
  const text = textOf(body, skuId);
  return text ? createHash('sha1').update(text).digest('base64url') : text;
}

/** Returns the quantities that the body of an inventory update sets; undefined if it is invalid. */
export function quantitiesOf(body: Entry): ReadonlyMap<string, number> | undefined {
  const nodes = entriesOf(body.fulfillment_nodes);
  if (nodes?.every(({ quantity }) => typeof quantity === 'number') !== true) return undefined;
  return new Map(nodes.map((node) => [String(node.fulfillment_node_id), node.quantity as number]));
}

const TEXTS: Readonly<Partial<Record<Part, (body: Entry, skuId: string) => string | undefined>>> = {
  sku(body) {
    const sent = Object.fromEntries(
      Object.entries(body).flatMap(([name, value]) => (value === null ? [] : [[neutral(name), value] as const])),
    );
    const { prop_65 = false, ...sku } = picked(SKU_FIELDS, sent);
    for (const list of ['standard_product_codes', 'attributes_node_specific', 'alternate_images'] as const) {
      if (sku[list] === undefined) continue;
      const entries = entriesOf(sku[list]);
      if (entries === undefined) return undefined;
      sku[list] = entries.map((entry) => picked(ENTRY_FIELDS[list], entry));
    }
    if ((sku.standard_product_codes as unknown[] | undefined)?.length === 0) delete sku.standard_product_codes;
    const policy = sku.map_implementation;
    if (policy !== undefined) sku.map_implementation = OLD_PRICE_POLICIES.get(policy as 'Type0') ?? policy;
    return toJson({ ...sku, prop_65 });
  },
  price({ price, fulfillment_nodes }) {
    const nodes = entriesOf(fulfillment_nodes ?? []);
    if (typeof price !== 'number' || nodes === undefined) return undefined;
    const last = new Map(nodes.map((node) => [node.fulfillment_node_id, picked(ENTRY_FIELDS.node_prices, node)]));
    return `${price} ${toJson([...last.values()])}`;
  },
  inventory(body) {
    const quantities = quantitiesOf(body);
    if (quantities === undefined) return undefined;
    return [...quantities]
      .sort(([one], [other]) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
      .map(([id, quantity]) => `${JSON.stringify(id)}:${quantity},`)
      .join('');
  },
  variation({ variation_refinements: refinements, group_title, children_skus: children }, skuId) {
    if (!Array.isArray(refinements) || !Array.isArray(children)) return undefined;
    const others = [...new Set(children)].filter((child) => child !== skuId);
    return toJson([[...new Set(refinements)], group_title ?? null, others]);
  },
  shipping_exception(body) {
    const nodes = entriesOf(clearable(body, 'fulfillment_nodes'));
    if (nodes === undefined) return undefined;
    const merged = new Map<unknown, { fulfillment_node_id: unknown; shipping_exceptions: unknown[] }>();
    for (const { fulfillment_node_id: id, shipping_exceptions } of nodes) {
      const exceptions = entriesOf(shipping_exceptions);
      if (exceptions === undefined) return undefined;
      const node = merged.get(id) ?? { fulfillment_node_id: id, shipping_exceptions: [] };
      node.shipping_exceptions.push(...exceptions.map((entry) => picked(ENTRY_FIELDS.shipping_exceptions, entry)));
      merged.set(id, node);
    }
    return merged.size === 0 ? '' : toJson([...merged.values()]);
  },
};

/** Returns the text of a part whose JSON is stored as it was sent: a list or a number. */
function clearableText(value: unknown): string | undefined {
  if (!Array.isArray(value)) return typeof value === 'number' ? toJson(value) : undefined;
  return value.length === 0 ? '' : toJson(value);
}

/** Returns the value to hash. Only `{}` or an empty list clears the part, because the server refuses a body with a misspelled field. */
function clearable(body: Entry, field = ''): unknown {
  return Object.keys(body).length === 0 ? [] : body[field];
}

function picked(fields: readonly string[], entry: Entry): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const field of fields) {
    const value = entry[field];
    if (value !== undefined && value !== null) found[field] = value;
  }
  return found;
}

function neutral(name: string): string {
  for (const [end, field] of Object.entries(RENAMED)) if (name.endsWith(end)) return field;
  return name;
}

/** Returns undefined unless `list` is a list of objects. */
function entriesOf(list: unknown): readonly Entry[] | undefined {
  if (!Array.isArray(list)) return undefined;
  return list.every((entry) => typeof entry === 'object' && entry !== null) ? list : undefined;
}
