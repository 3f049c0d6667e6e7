/** Writes the product feed of the Agentic Commerce Protocol, version 2026-04-17: one product per line, with a variant for each offer. */
import { ownCode } from '../build-offer.ts';
import type { StorefrontOffer, StorefrontProduct } from '../product.ts';
import {
  categoryPath,
  type FeedFormat,
  type FeedSetup,
  type LeftOut,
  minorUnits,
  offerLink,
  plainUrl,
} from './feed.ts';

/** Writes `products.jsonl`. Objects have no other fields than the version defines: unknown fields make a document invalid. */
export function acpProducts(setup: FeedSetup): FeedFormat {
  return { head: '', tail: '', write: (product, offers) => line(product, offers, setup) };
}

/** Writes `metadata.json`. */
export function acpMetadata(id: string, updatedMs: number): string {
  return `${JSON.stringify({ id, updated_at: new Date(updatedMs).toISOString() })}\n`;
}

function line(product: StorefrontProduct, offers: readonly StorefrontOffer[], setup: FeedSetup) {
  const shared = sharedFields(product);
  const all = offers.map((offer) => variantOf(product, shared, offer, setup));
  const leftOut = all.filter((variant) => typeof variant === 'string');
  const variants = all.filter((variant) => typeof variant !== 'string');
  const { code: id, title, images } = product;
  const media = images.map((url) => ({ type: 'image', url: plainUrl(url) }));
  const fields = { id, title, description: plainDescription(product), media, variants };
  return { text: variants.length === 0 ? '' : `${JSON.stringify(fields)}\n`, offers: variants.length, leftOut };
}

function plainDescription({ description, bullets }: StorefrontProduct) {
  const plain = [...(description === null ? [] : [description]), ...bullets].join('\n');
  return plain === '' ? undefined : { plain };
}

/** Returns the fields that all variants of the product share. */
function sharedFields(product: StorefrontProduct) {
  const { attributes, codes, group } = product;
  const path = categoryPath(product).join(' > ');
  const differing = attributes.filter(({ id, name }) => name !== null && group?.attribute_ids.includes(id));
  return {
    barcodes: codes.filter((code) => code.startsWith('gtin:')).map((code) => ({ type: 'GTIN', value: code.slice(5) })),
    availability: { available: true, status: 'in_stock' },
    categories: path === '' ? [] : [{ value: path, taxonomy: 'merchant' }],
    condition: ['new'],
    variant_options: differing.map(({ name, value, unit }) => {
      return { name, value: unit === null ? value : `${value} ${unit}` };
    }),
  };
}

function variantOf(product: StorefrontProduct, shared: object, offer: StorefrontOffer, setup: FeedSetup) {
  const { multipack_quantity: items, merchant_name: name, msrp, price_visibility: visibility } = offer;
  const { currency, storefrontUrl } = setup;
  const amount = minorUnits(offer.price, currency);
  if (amount === undefined) return 'price_decimals' satisfies LeftOut;
  const isPublic = visibility === 'public';
  const listed = minorUnits((isPublic ? msrp : offer.display_price) ?? 0, currency) ?? 0;
  return {
    id: ownCode(offer.merchant_id, offer.merchant_sku),
    title: items > 1 ? `${product.title} (pack of ${items})` : product.title,
    url: offerLink(storefrontUrl, product, offer),
    price: isPublic ? { amount, currency } : undefined,
    list_price: listed > amount ? { amount: listed, currency } : undefined,
    seller: { name },
    ...shared,
  };
}
