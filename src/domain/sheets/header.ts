/** Assigns the columns of a sheet to fields by their headings, and detects what a sheet or JSON row is about. */
import { PART_BODIES } from '../bodies/part-bodies.ts';
import { isObject } from '../check/compile.ts';
import type { FileType, SheetType } from '../vocabulary/file-types.ts';
import { CLEARABLE_PARTS, FILE_TYPE_OF, OFFER_PARTS } from '../vocabulary/offer-parts.ts';
import { type Column, columnNamed, columnsOf, PROBLEMS_COLUMN, SKU_COLUMN } from './columns.ts';

/** The field of each column of the sheet; undefined for a column that is not imported. */
export type Mapping = readonly (Column | undefined)[];

/** Headings used in sheets from other tools, in the form that `normalized` returns. */
const OTHER_HEADINGS: Readonly<Record<string, readonly string[]>> = {
  [SKU_COLUMN]: ['sku_id', 'merchant_sku', 'seller_sku', 'item_sku', 'variant_sku', 'item_id', 'offer_id'],
  product_title: ['title', 'item_name', 'product_name', 'name'],
  brand: ['brand_name', 'vendor'],
  product_description: ['description', 'body_html'],
  main_image_url: ['image', 'image_url', 'main_image', 'image_link', 'image_src'],
  product_code_1: ['upc', 'ean', 'gtin', 'isbn', 'barcode', 'variant_barcode', 'product_code'],
  product_code_1_type: ['product_code_type'],
  multipack_quantity: ['multipack', 'pack_quantity'],
  mfr_part_number: ['mpn', 'manufacturer_part_number', 'part_number'],
  shipping_weight_pounds: ['weight_pounds', 'weight_lb', 'weight_lbs'],
  category_id: ['browse_node_id', 'marketplace_browse_node_id'],
  item_type_keyword: ['external_item_type_keyword'],
  price: ['your_price', 'item_price', 'selling_price', 'variant_price'],
  quantity: ['qty', 'stock', 'inventory', 'on_hand', 'available', 'inventory_quantity', 'variant_inventory_qty'],
  node_id: ['fulfillment_node_id', 'node', 'location', 'location_id', 'warehouse', 'warehouse_id'],
  is_archived: ['archived', 'archive'],
};

const NAMES = new Map(
  Object.entries(OTHER_HEADINGS).flatMap(([name, others]) => others.map((other) => [other, name] as const)),
);

export function matchHeader(type: FileType, headings: readonly string[]): Mapping {
  const taken = new Set<string>();
  // Exact names come first, so that `title` does not take the field from a later `product_title`.
  const exact = headings.map((heading) => claim(columnNamed(type, normalized(heading))));
  return headings.map((heading, at) => exact[at] ?? claim(otherColumn(type, normalized(heading))));

  function claim(column: Column | undefined): Column | undefined {
    if (column === undefined || taken.has(column.name)) return undefined;
    taken.add(column.name);
    return column;
  }
}

/** As `matchHeader`, without the columns that uploads of whole offers ignore. */
export function matchImported(type: FileType, headings: readonly string[]): Mapping {
  return matchHeader(type, headings).map((column) => (column && isImported(type, column) ? column : undefined));
}

export function isImported(type: FileType, { field }: Column): boolean {
  return type !== 'Offers' || !(field.startsWith('variation/') || IGNORED_IN_OFFERS.includes(field));
}

const IGNORED_IN_OFFERS: readonly string[] = ['status', 'sub_status'];

/** Whether the heading names a column, even if another heading has taken it. */
export function isKnownHeading(type: FileType, heading: string): boolean {
  const name = normalized(heading);
  return columnNamed(type, name) !== undefined || otherColumn(type, name) !== undefined;
}

/** Returns the column for a heading that other tools use. In a sheet of whole offers, stock without a number is that of the first node. */
function otherColumn(type: FileType, heading: string): Column | undefined {
  const name = NAMES.get(heading) ?? heading;
  return columnNamed(type, name) ?? (type === 'Offers' ? columnNamed(type, FIRST_STOCK.get(name) ?? '') : undefined);
}

const FIRST_STOCK: ReadonlyMap<string, string> = new Map([
  ['node_id', 'stock_1_node_id'],
  ['quantity', 'stock_1_quantity'],
]);

/** Returns the separator that occurs most in the header, outside quotes. */
export function delimiterOf(text: string): string {
  const header = (/^(?:"(?:[^"]|"")*"|[^"\r\n])*/.exec(text)?.[0] ?? '').replace(/"(?:[^"]|"")*"/g, '');
  const counts = [',', ';', '\t'].map((delimiter) => ({ delimiter, count: header.split(delimiter).length }));
  return counts.reduce((most, one) => (one.count > most.count ? one : most)).delimiter;
}

/** Returns what must be fixed before any row can be read. `fixed`: columns whose value is the same for all rows. */
export function mappingFaults(type: SheetType, mapping: Mapping, fixed: readonly string[] = []): string[] {
  const names = mapping.flatMap((column) => (column === undefined ? [] : [column.name]));
  const repeated = [...new Set(names.filter((name, at) => names.indexOf(name) !== at))];
  const missing = requiredNames(type, mapping).filter((name) => !names.includes(name) && !fixed.includes(name));
  if (names.length === 0) {
    return ['No column names were recognized. The first row must contain column names; assign the columns below.'];
  }
  return [
    ...repeated.map((name) => `Two columns are assigned to ${name}. Keep one of them.`),
    ...(missing.length === 0 ? [] : [`Missing: ${missing.join(', ')}. Assign a column to each.`]),
  ];
}

/** A sheet of whole offers needs the columns of the parts that it has. */
function requiredNames(type: SheetType, mapping: Mapping): string[] {
  const own = columnsOf(type).filter(({ isRequired }) => isRequired);
  const parts = type === 'Offers' ? partsOf(mapping) : new Set<string>();
  const ofParts = (['sku', 'price'] as const)
    .filter((part) => parts.has(part))
    .flatMap((part) => columnsOf(FILE_TYPE_OF[part]).filter(({ isRequired }) => isRequired));
  return [...new Set([...own, ...ofParts].map(({ name }) => name))];
}

/** Returns the parts of whole offers that the columns belong to. */
function partsOf(mapping: Mapping): Set<string> {
  return new Set(mapping.flatMap((column) => column?.field.split('/').slice(0, -1) ?? []));
}

export function isProblemsHeading(heading: string): boolean {
  return normalized(heading) === PROBLEMS_COLUMN;
}

/**
 * Detects the type by its typical fields. With fields of several types, the rows are whole offers. Undefined if a required column is missing
 * then: a sheet of prices may have a column with the title.
 */
export function detectSheetType(headings: readonly string[]): SheetType | undefined {
  const [match, ...others] = Object.keys(TELLING_FIELDS).filter((type): type is keyof typeof TELLING_FIELDS => {
    const fields = new Set(matchHeader(type as SheetType, headings).map((column) => column?.field));
    return TELLING_FIELDS[type as keyof typeof TELLING_FIELDS].some((field) => fields.has(field));
  });
  const offers = matchImported('Offers', headings);
  const parts = partsOf(offers);
  if (match !== undefined && others.length === 0 && parts.size <= 1) return match;
  const isOffers = parts.size > 1 || others.length > 0 || (parts.size === 1 && !parts.has('sku'));
  return isOffers && mappingFaults('Offers', offers).length === 0 ? 'Offers' : undefined;
}

const TELLING_FIELDS: Readonly<Record<Exclude<SheetType, 'Offers'>, readonly string[]>> = {
  MerchantSKUs: ['product_title', 'brand', 'main_image_url', 'standard_product_codes'],
  Price: ['price'],
  Inventory: ['fulfillment_nodes'],
  Archive: ['is_archived'],
};

/** Detects the type of a JSON file by the body of one of its rows. */
export function detectBodyType(body: unknown): FileType | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { fulfillment_nodes: nodes } = body as { fulfillment_nodes?: unknown };
  const [node] = Array.isArray(nodes) ? (nodes as unknown[]) : [];
  const has = (field: string) => field in body;
  if (OFFER_PARTS.some((part) => isObject((body as Record<string, unknown>)[part]))) return 'Offers';
  const nodeHas = (field: string) => typeof node === 'object' && node !== null && field in node;
  if (has('is_archived')) return 'Archive';
  if (has('children_skus')) return 'Variation';
  if (nodeHas('shipping_exceptions')) return 'ShippingException';
  const clearable = CLEARABLE_PARTS.find((part) => has(Object.keys(PART_BODIES[part].properties)[0] ?? ''));
  // Three bodies have a list of nodes.
  if (clearable !== undefined && clearable !== 'shipping_exception') return FILE_TYPE_OF[clearable];
  if (nodeHas('quantity')) return 'Inventory';
  if (TELLING_FIELDS.MerchantSKUs.some(has)) return 'MerchantSKUs';
  return has('price') ? 'Price' : undefined;
}

function normalized(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_|_$/g, '');
}
