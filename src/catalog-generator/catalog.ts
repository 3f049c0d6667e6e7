/**
 * Generates a realistic catalog: half of its SKUs are single products, three eighths clothing in sizes and colors, one eighth
 * shoes. Every SKU is a pure function of seed and index, and passes the review once it has a price and, for clothing, a
 * variation group.
 *
 * SKUs come in blocks of 32: twelve of one piece of clothing (3 colors in 4 sizes), four sizes of one shoe, sixteen single
 * products.
 *
 * Bodies are built as text from parts that are already JSON, because serializing objects took 5 of the 12 us per row.
 * None of the words needs escaping; a test checks this.
 */
import { productCode } from './product-codes.ts';
import { ATTRIBUTE, CLOTHING, type ProductKind, SHOES, SINGLES, type SizedKind } from './product-kinds.ts';
import { RowRandom } from './row-random.ts';
import { BRANDS, BULLETS, COLORS, COUNTRIES, type Color, SENTENCES, TRAITS } from './words.ts';

export interface CatalogPlan {
  readonly seed: number;
  /** Image URLs; products use them round-robin. */
  readonly images: readonly string[];
  /** Fulfillment nodes with stock. */
  readonly nodeIds: readonly string[];
}

const BLOCK_SKUS = 32;
const CLOTHING_SKUS = 12;
const VARIANT_SIZES = 4;
const SHOE_SKUS = 4;

/** Separate streams, so that the numbers of product, SKU, price and stock are independent. */
const SEED_OF = Object.freeze({ sku: 1 << 10, price: 2 << 10, stock: 3 << 10, details: 4 << 10 });

/** Common data of the SKUs of one product. */
interface Product {
  readonly kind: ProductKind | SizedKind;
  /** Index of its first SKU, which identifies the product. */
  readonly first: number;
  readonly brand: string;
  readonly name: string;
  readonly colors: readonly Color[];
  readonly sizes: readonly string[];
  readonly dollars: number;
}

/** Identical for all SKUs of a product; JSON without the outer braces and brackets. */
interface Details {
  readonly fields: string;
  readonly attributes: string;
}

/** Bodies use neutral names, which every server accepts. */
export class Catalog {
  readonly #seed: number;
  readonly #images: readonly string[];
  readonly #nodeIds: readonly string[];
  /** Caches the last product, because rows are mostly generated in order and a piece of clothing has twelve SKUs. */
  #last: Product | undefined;
  #lastDetails: Details | undefined;

  constructor({ seed, images, nodeIds }: CatalogPlan) {
    this.#seed = seed;
    this.#images = images.map((address) => JSON.stringify(address));
    this.#nodeIds = nodeIds.map((id) => JSON.stringify(id));
  }

  skuId(index: number): string {
    const product = this.#productOf(index);
    const { color, size } = variantOf(product, index);
    const id = `${product.kind.mark}${base36(this.#seed)}-${base36(product.first).padStart(5, '0')}`;
    return size === undefined ? id : `${id}-${color.mark}-${size.replaceAll(/[^0-9A-Za-z.]/g, '')}`;
  }

  /** JSON of a SKU upload. */
  sku(index: number): string {
    const product = this.#productOf(index);
    const { kind, brand, name } = product;
    this.#lastDetails ??= detailsOf(this.#seed, product);
    const { fields, attributes } = this.#lastDetails;
    const { color, size } = variantOf(product, index);
    const random = new RowRandom(this.#seed + SEED_OF.sku, index);
    const { type, code } = productCode(this.#seed, index);
    const image = random.below(this.#images.length);
    return (
      `{${isShoe(kind) ? `"product_type_id":${kind.category},` : ''}` +
      `"product_title":"${brand} ${name}, ${color.name}${size === undefined ? '' : `, size ${size}`}",` +
      `"multipack_quantity":1,` +
      `"standard_product_codes":[{"standard_product_code_type":"${type}","standard_product_code":"${code}"}],` +
      `"mfr_part_number":"${kind.mark}-${index}",` +
      `"main_image_url":${this.#images[image]},` +
      `"alternate_images":[{"image_slot_id":1,"image_url":${this.#images[(image + 1) % this.#images.length]}}],` +
      `"attributes_node_specific":[${attributesOf(product, color, size)},${attributes}],` +
      `"package_length_inches":${random.between(4, 40)},` +
      `"package_width_inches":${random.between(3, 24)},` +
      `"package_height_inches":${random.between(1, 18)},` +
      `${fields}}`
    );
  }

  /** JSON of a price; one SKU in four has another price at one node. */
  price(index: number): string {
    const random = new RowRandom(this.#seed + SEED_OF.price, index);
    const dollars = Math.floor(this.#productOf(index).dollars);
    const cents = random.pick(['49', '95', '99']);
    if (random.below(4) > 0 || this.#nodeIds.length === 0) return `{"price":${dollars}.${cents}}`;
    const node = `{"fulfillment_node_id":${random.pick(this.#nodeIds)},"fulfillment_node_price":${dollars + 1}.${cents}}`;
    return `{"price":${dollars}.${cents},"fulfillment_nodes":[${node}]}`;
  }

  /** JSON of the stock at every node; one quantity in ten is 0. */
  inventory(index: number): string {
    const random = new RowRandom(this.#seed + SEED_OF.stock, index);
    const nodes = this.#nodeIds.map((id) => {
      const quantity = random.below(10) === 0 ? 0 : random.between(1, 400);
      return `{"fulfillment_node_id":${id},"quantity":${quantity}}`;
    });
    return `{"fulfillment_nodes":[${nodes.join(',')}]}`;
  }

  /** JSON of the variation group whose first SKU is at this index, limited to a catalog of `skus`. */
  group(index: number, skus: number): string | undefined {
    const children = Math.min(CLOTHING_SKUS, skus - index) - 1;
    if (index % BLOCK_SKUS !== 0 || children < 1) return undefined;
    const { brand, name } = this.#productOf(index);
    const ids = Array.from({ length: children }, (_, child) => `"${this.skuId(index + 1 + child)}"`);
    return (
      `{"relationship":"Variation","variation_refinements":[${ATTRIBUTE.size},${ATTRIBUTE.color}],` +
      `"children_skus":[${ids.join(',')}],"group_title":"${brand} ${name}"}`
    );
  }

  #productOf(index: number): Product {
    const first = firstOf(index);
    if (this.#last?.first === first) return this.#last;
    this.#lastDetails = undefined;
    this.#last = makeProduct(this.#seed, first);
    return this.#last;
  }
}

function firstOf(index: number): number {
  const within = index % BLOCK_SKUS;
  if (within < CLOTHING_SKUS) return index - within;
  return within < CLOTHING_SKUS + SHOE_SKUS ? index - within + CLOTHING_SKUS : index;
}

function makeProduct(seed: number, first: number): Product {
  const random = new RowRandom(seed, first);
  const within = first % BLOCK_SKUS;
  const kinds: readonly (ProductKind | SizedKind)[] =
    within === 0 ? CLOTHING : within === CLOTHING_SKUS ? SHOES : SINGLES;
  const kind = random.pick(kinds);
  const name = `${random.pick(TRAITS)} ${random.pick(kind.things)}`;
  const brand = random.pick(BRANDS);
  return {
    kind,
    first,
    brand,
    name,
    dollars: random.between(kind.dollars[0], kind.dollars[1]),
    colors: random.some(COLORS, within === 0 ? CLOTHING_SKUS / VARIANT_SIZES : 1),
    sizes: 'sizes' in kind ? kind.sizes.slice(random.below(kind.sizes.length - VARIANT_SIZES + 1)) : [],
  };
}

/** Built only for SKU files, because it takes most of the time. */
function detailsOf(seed: number, { kind, first, brand, name, dollars }: Product): Details {
  const random = new RowRandom(seed + SEED_OF.details, first);
  let attributes = '';
  for (const texts of kind.choices) attributes += (attributes === '' ? '' : ',') + random.pick(texts);
  const sentences = random.some(SENTENCES, random.between(2, 3)).join(' ');
  const bullets = random.some(BULLETS, random.between(2, 3)).join('","');
  return {
    attributes,
    fields:
      `"brand":"${brand}",` +
      `"product_description":"The ${name} by ${brand}. ${sentences}",` +
      `"bullets":["${bullets}"],` +
      `"marketplace_browse_node_id":${kind.category},` +
      `"shipping_weight_pounds":${random.between(kind.pounds[0], kind.pounds[1], 1)},` +
      `"country_of_origin":"${random.pick(COUNTRIES)}",` +
      `"product_tax_code":"${kind.taxCode}",` +
      `"msrp":${Math.ceil(dollars * 1.2)}.99`,
  };
}

/** Sizes change fastest, as in usual lists of variants. */
function variantOf({ first, colors, sizes }: Product, index: number): { color: Color; size: string | undefined } {
  const variant = index - first;
  const color = colors[Math.floor(variant / VARIANT_SIZES) % colors.length] as Color;
  return { color, size: sizes[variant % VARIANT_SIZES] };
}

function attributesOf({ first, kind, name }: Product, color: Color, size: string | undefined): string {
  const colors =
    `{"attribute_id":${ATTRIBUTE.color},"attribute_value":"${color.name}"},` +
    `{"attribute_id":${ATTRIBUTE.colorFamily},"attribute_value":"${color.family}"}`;
  if (size === undefined) return colors;
  if (!isShoe(kind)) return `{"attribute_id":${ATTRIBUTE.size},"attribute_value":"${size}"},${colors}`;
  return (
    `{"attribute_id":${ATTRIBUTE.shoeSize},"attribute_value":"${size}","attribute_value_unit":"US"},` +
    `{"attribute_id":${ATTRIBUTE.collection},"attribute_value":"No. ${first % 40}"},` +
    `{"attribute_id":${ATTRIBUTE.style},"attribute_value":"${name}"},${colors}`
  );
}

function isShoe(kind: ProductKind): boolean {
  return SHOES.includes(kind as SizedKind);
}

function base36(number: number): string {
  return number.toString(36).toUpperCase();
}
