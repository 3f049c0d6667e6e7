/**
 * Defines the sample offers of the demo: a realistic homeware shop whose offers show every status and every issue.
 * `sample-offers.ts` uploads them.
 */
import { productCode } from '../catalog-generator/product-codes.ts';
import { BULLETS, SENTENCES } from '../catalog-generator/words.ts';
import { DEMO_NODES } from './demo-merchant.ts';
import { LATE_IMAGE } from './image-server.ts';
import { DEMO_SHADES, type DemoImageName, type DemoShade } from './images/demo-image.ts';

export interface DemoOffer {
  readonly skuId: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** The last price is the current one. If empty, no price is sent. */
  readonly prices: readonly number[];
  readonly fulfillment_nodes: readonly { readonly fulfillment_node_id: string; readonly quantity: number }[];
}

type Product = readonly [
  mark: string,
  title: string,
  brand: string,
  category: number,
  image: DemoImageName,
  dollars: number,
  pounds: number,
];

/** Categories of the starter taxonomy. */
const SHIRTS = 1_000_100;
const PRODUCTS: readonly Product[] = [
  ['HH-MUG', 'Stoneware mug, 12 oz', 'Hearth & Harbor', 1_011_010, 'mug', 14.5, 0.9],
  ['HH-BOWL', 'Stoneware cereal bowl, 6 in', 'Hearth & Harbor', 1_011_010, 'bowl', 16.95, 1.2],
  ['KW-KETTLE', 'Stovetop kettle, 1.8 qt', 'Kestrel Works', 1_010_590, 'kettle', 49.99, 3.1],
  ['VN-TABLE', 'Linen shade table lamp', 'Vela Nord', 1_013_010, 'lamp', 79, 4.6],
  ['VN-FLOOR', 'Tripod floor lamp', 'Vela Nord', 1_013_020, 'lamp', 149, 11.5],
  ['CL-CUSHION', 'Washed linen cushion, 18 in', 'Casa Lumière', 1_011_520, 'cushion', 32.5, 1.4],
  ['QU-CANDLE', 'Soy wax candle, 7 oz', 'Quillon', 1_012_530, 'candle', 18, 1.1],
  ['QU-VASE', 'Hand-thrown bud vase', 'Quillon', 1_012_570, 'vase', 24.95, 1.8],
  ['TG-TEE', 'Organic cotton T-shirt', 'Tallgrass', SHIRTS, 'shirt', 28, 0.4],
];

const FAMILIES: Readonly<Record<DemoShade, string>> = {
  terracotta: 'Red',
  slate: 'Gray',
  linen: 'Beige',
  moss: 'Green',
  ink: 'Blue',
  plum: 'Purple',
};

/** Attribute ids of the starter taxonomy. */
const COLOR = 119;
const COLOR_FAMILY = 118;
const SIZE = 120;
const SIZES = ['S', 'M', 'L'];
/** Keeps the product codes different from the codes of generated catalogs. */
const CODE_SEED = 99;

export const EXCLUDED_BRAND = 'Copperfake';
export const RESTRICTED_BRAND = 'Maison Aurèle';

/**
 * Faults of individual offers; `undefined` leaves a field out. A blank title or brand passes the upload but not the review.
 */
const defectsAt = (imageUrl: string): Readonly<Record<string, Readonly<Record<string, unknown>>>> => ({
  'HH-MUG-PLUM': { product_title: ' '.repeat(5) },
  'HH-BOWL-INK': { brand: ' ' },
  'HH-BOWL-PLUM': { product_title: 'Stoneware cereal bowl, 6 in, pack of 4' },
  'KW-KETTLE-MOSS': {
    standard_product_codes: [{ standard_product_code_type: 'UPC', standard_product_code: '012345678906' }],
  },
  'KW-KETTLE-INK': { marketplace_browse_node_id: undefined },
  'KW-KETTLE-PLUM': { marketplace_browse_node_id: 1_010_000 },
  'VN-TABLE-INK': { shipping_weight_pounds: undefined },
  'VN-TABLE-PLUM': { main_image_url: `${imageUrl}/sold-out.jpg` },
  'VN-FLOOR-PLUM': { alternate_images: [{ image_slot_id: 1, image_url: `${imageUrl}/detail.jpg` }] },
  'CL-CUSHION-PLUM': { brand: RESTRICTED_BRAND },
  'QU-CANDLE-PLUM': { brand: EXCLUDED_BRAND },
  // The product code of another offer, which is already in the catalog by then.
  'QU-VASE-PLUM': { brand: 'Umber Lane', standard_product_codes: codesOf(0) },
  'TG-TEE-PLUM-S': { attributes_node_specific: [attribute(COLOR, 'Plum')] },
});

/** No price is sent for these, because an interrupted upload is repeated and archived offers refuse prices. */
export const ARCHIVED: readonly string[] = ['QU-CANDLE-INK', 'VN-FLOOR-INK'];
const UNPRICED: readonly string[] = [...ARCHIVED, 'QU-CANDLE-MOSS', 'QU-VASE-INK', 'TG-TEE-PLUM-L'];

/** Shirts in plum are in no variation group, although clothing needs one. */
export const GROUPS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'HH-MUG-TERRACOTTA': groupOf(
    'Stoneware mug, 12 oz',
    [COLOR],
    ['HH-MUG-SLATE', 'HH-MUG-LINEN', 'HH-MUG-MOSS', 'HH-MUG-INK'],
  ),
  'TG-TEE-INK-S': groupOf(
    'Organic cotton T-shirt',
    [COLOR, SIZE],
    ['TG-TEE-INK-M', 'TG-TEE-INK-L', 'TG-TEE-MOSS-S', 'TG-TEE-MOSS-M', 'TG-TEE-MOSS-L'],
  ),
};

/** Rows of the first bulk file that break a rule. */
export const BAD_ROWS: Readonly<Record<string, unknown>> = {
  'QU-VASE-TALL': { product_title: 'Tall vase, 14 in', brand: 'Quillon', multipack_quantity: 0 },
  'HH-PLATE-SLATE': {
    product_title: 'Stoneware dinner plate, 10.5 in, Slate',
    multipack_quantity: 1,
    main_image_url: 'plate.jpg',
  },
  'VN-TABLE-OAK': {
    product_title: 'Oak table lamp',
    brand: 'Vela Nord',
    multipack_quantity: 1,
    standard_product_codes: [{ standard_product_code_type: 'UPC', standard_product_code: '123' }],
  },
};

interface Variant {
  readonly product: Product;
  readonly shade: DemoShade;
  readonly size?: string;
}

const SHIRT_SHADES: readonly DemoShade[] = ['ink', 'moss', 'plum'];
const LATE: Variant = {
  product: ['QU-LANTERN', 'Glass lantern', 'Quillon', 1_012_530, 'candle', 36, 2.2],
  shade: 'slate',
};

/** The image of the last offer is not available yet, so the offer stays in review. `imageUrl`: URL of the demo's image server. */
export function demoOffers(imageUrl: string): readonly DemoOffer[] {
  return [...PRODUCTS.flatMap(variantsOf), LATE].map((variant, index) => offerOf(variant, index, imageUrl));
}

function variantsOf(product: Product): readonly Variant[] {
  if (product[3] !== SHIRTS) return DEMO_SHADES.map((shade) => ({ product, shade }));
  return SHIRT_SHADES.flatMap((shade) => SIZES.map((size) => ({ product, shade, size })));
}

function offerOf(variant: Variant, index: number, imageUrl: string): DemoOffer {
  const { product, shade, size = '' } = variant;
  const [mark, title, brand, category, image, dollars, pounds] = product;
  const skuId = `${mark}-${shade}${size && `-${size}`}`.toUpperCase();
  const color = `${shade.charAt(0).toUpperCase()}${shade.slice(1)}`;
  const reduced = Math.round(dollars * 90) / 100;
  return {
    skuId,
    body: {
      product_title: `${title}, ${color}${size && `, size ${size}`}`,
      brand,
      multipack_quantity: 1,
      standard_product_codes: codesOf(index),
      main_image_url: `${imageUrl}${variant === LATE ? LATE_IMAGE : `/${image}-${shade}.jpg`}`,
      marketplace_browse_node_id: category,
      product_description: `${title} by ${brand}. ${SENTENCES[index % SENTENCES.length]}`,
      bullets: [BULLETS[index % BULLETS.length], BULLETS[(index + 4) % BULLETS.length]],
      shipping_weight_pounds: pounds,
      attributes_node_specific: [
        attribute(COLOR, color),
        attribute(COLOR_FAMILY, FAMILIES[shade]),
        ...(size === '' ? [] : [attribute(SIZE, size)]),
      ],
      ...defectsAt(imageUrl)[skuId],
    },
    prices: UNPRICED.includes(skuId)
      ? []
      : ([[dollars, reduced, dollars], [dollars], [dollars, reduced]][index % 3] ?? []),
    // One in seven is out of stock; each node has its own pattern.
    fulfillment_nodes: DEMO_NODES.map(({ id }, node) => {
      return {
        fulfillment_node_id: id,
        quantity: index % 7 === 1 ? 0 : (index * (7 + 4 * node) + 5) % (60 - 35 * node),
      };
    }),
  };
}

function codesOf(index: number) {
  const { type, code } = productCode(CODE_SEED, index);
  return [{ standard_product_code_type: type, standard_product_code: code }];
}

function attribute(attribute_id: number, attribute_value: string) {
  return { attribute_id, attribute_value };
}

function groupOf(group_title: string, variation_refinements: readonly number[], children_skus: readonly string[]) {
  return { relationship: 'Variation', variation_refinements, children_skus, group_title };
}
