/** Generates products with offers of three merchants, some of them hostile: long texts, odd characters and URLs, and every price policy. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Catalog } from '../../../../catalog-generator/catalog.ts';
import { ATTRIBUTE } from '../../../../catalog-generator/product-kinds.ts';
import { readStarter } from '../../../../taxonomy/read-stored.ts';
import { Names, NEUTRAL_NAMES } from '../../../names.ts';
import { type BuiltOffer, buildOffer, type OfferSource } from '../../build-offer.ts';
import type { StorefrontOffer, StorefrontProduct } from '../../product.ts';
import type { FeedSetup } from '../feed.ts';

export const SETUP: FeedSetup = {
  currency: 'USD',
  storefrontUrl: 'https://shop.example/p/{code}?sku={sku}&by={merchant}',
  digest: (text) => createHash('sha256').update(text).digest('hex').slice(0, 40),
};

export interface GeneratedProduct {
  readonly product: StorefrontProduct;
  readonly offers: readonly StorefrontOffer[];
}

const IMAGES = ['https://img.example/a.jpg', 'https://img.example/b/é,漢 {1}.png?x=1,2|3#top', 'http://ü.example/c'];
const MERCHANTS = ['acme', 'b-2', `long${'-x'.repeat(30)}`];
const HOSTILE = '\t"A"\r\n<b>&amp;</b>\u0001\u0085\u2028\uFFFE]]> 👩‍👩‍👧 e\u0301 ';
const { tree } = readStarter();
const names = new Names(NEUTRAL_NAMES);

/** What differs from a plain offer: the first entry whose number divides the index. */
const DIFFERENT: readonly (readonly [every: number, fields: object])[] = [
  [31, { product_title: HOSTILE.repeat(15), product_description: HOSTILE.repeat(60), brand: HOSTILE.repeat(3) }],
  [29, { product_title: '\u0001\u0002\u0003\u0004\u0005', product_description: '\u0001', brand: '\u0001' }],
  [23, { standard_product_codes: [], ASIN: 'B000000001' }],
  [19, { main_image_url: 'https://img.example/a.svg', alternate_images: [] }],
  [17, { multipack_quantity: 6, product_title: `${'x'.repeat(149)}😀😀` }],
  [13, { map_implementation: '102', map_price: 100_000 }],
  [11, { main_image_url: `https://img.example/${'é'.repeat(1000)}.jpg`, mfr_part_number: undefined }],
  [7, { alternate_images: Array.from({ length: 8 }, (_, slot) => ({ image_slot_id: slot, image_url: image(slot) })) }],
];

function image(slot: number): string {
  return `https://img.example/%/a,${slot}.WEBP`;
}

export function* generatedProducts(count: number): Generator<GeneratedProduct> {
  const catalog = new Catalog({ seed: 3, images: IMAGES, nodeIds: [] });
  for (let index = 0; index < count; index++) {
    const built = MERCHANTS.slice(index % 3).map((merchantId) => offerOf(catalog, index, merchantId));
    const [first] = built as [BuiltOffer];
    yield { product: first.product, offers: built.map(({ offer }) => offer) };
  }
}

function offerOf(catalog: Catalog, index: number, merchantId: string): BuiltOffer {
  const [, different] = DIFFERENT.find(([every]) => index % every === 0) ?? [];
  const sku = JSON.parse(catalog.sku(index)) as { marketplace_browse_node_id: number };
  const { price } = JSON.parse(catalog.price(index)) as { price: number };
  const isClothing = index % 32 < 12;
  const parentSkuId = catalog.skuId(index - (index % 32));
  const refinements = JSON.stringify([ATTRIBUTE.size, ATTRIBUTE.color]);
  const source: OfferSource = {
    skuId: `${catalog.skuId(index)}/${index} ü`,
    document: JSON.stringify({ ...sku, ...different }),
    archived: false,
    status: 'available',
    categoryId: String(sku.marketplace_browse_node_id),
    price: { price: index % 37 === 0 ? price + 0.001 : price, nodes: [], updatedMs: 1 },
    stock: [{ fulfillment_node_id: 'east', quantity: 5 }],
    shippingExceptions: null,
    group: isClothing ? { parentSkuId, title: null, refinements } : null,
  };
  const account = { merchantId, suspended: false, timeToReturnDays: 14, nodes: new Map() };
  const setup = { account, merchant: { name: `Merchant ${merchantId}` }, taxonomy: tree, names };
  return buildOffer(source, setup) ?? assert.fail('The offer is live.');
}
