/**
 * Writes Google product data, as RSS 2.0 or tab-separated values: one item for each offer, because the format has one seller per item.
 * All texts are one line in both, because a line break ends the item in tab-separated values.
 */
import { currencyDecimals } from '../../vocabulary/currencies.ts';
import { ownCode } from '../build-offer.ts';
import type { StorefrontOffer, StorefrontProduct } from '../product.ts';
import {
  categoryPath,
  type FeedFormat,
  type FeedSetup,
  type FeedText,
  type LeftOut,
  lineOf,
  minorUnits,
  offerLink,
  plainUrl,
} from './feed.ts';

/** The attributes that a feed may have, in the order of the columns. */
const ATTRIBUTES = [
  'id',
  'title',
  'description',
  'link',
  'image_link',
  'additional_image_link',
  'availability',
  'price',
  'brand',
  'gtin',
  'mpn',
  'condition',
  'product_type',
  'item_group_id',
  'multipack',
  'external_seller_id',
] as const;

/** An attribute that does not apply is undefined or has no values. */
type Item = Readonly<Partial<Record<(typeof ATTRIBUTES)[number], string | readonly string[] | undefined>>>;

const LIMITS = Object.freeze({
  title: 150,
  description: 5000,
  url: 2000,
  additional_images: 10,
  brand: 70,
  product_type: 750,
  product_type_levels: 5,
  seller: 50,
});

export function googleXml(setup: FeedSetup): FeedFormat {
  const { origin, host } = new URL(setup.storefrontUrl.replace(/\{\w+\}/g, 'x'));
  return {
    head:
      '<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0">\n' +
      `<channel><title>${xmlText(host)}</title><link>${xmlText(origin)}</link><description>Offers</description>\n`,
    tail: '</channel>\n</rss>\n',
    write: (product, offers) => textOf(product, offers, setup, xmlItem),
  };
}

export function googleTsv(setup: FeedSetup): FeedFormat {
  return {
    head: `${ATTRIBUTES.join('\t')}\n`,
    tail: '',
    write: (product, offers) => textOf(product, offers, setup, tsvRow),
  };
}

function textOf(
  product: StorefrontProduct,
  offers: readonly StorefrontOffer[],
  setup: FeedSetup,
  format: (item: Item) => string,
): FeedText {
  const shared = productAttributes(product, setup);
  const items = offers.map((offer) => itemOf(product, shared, offer, setup));
  const leftOut = items.filter((item) => typeof item === 'string');
  const written = items.filter((item) => typeof item !== 'string');
  return { text: written.map(format).join(''), offers: written.length, leftOut };
}

function itemOf(product: StorefrontProduct, shared: Item, offer: StorefrontOffer, setup: FeedSetup): Item | LeftOut {
  const { merchant_id: merchant, multipack_quantity: items } = offer;
  const { currency, digest, storefrontUrl } = setup;
  if (shared.image_link === undefined) return 'image';
  if (offer.price_visibility === 'on_request') return 'price_on_request';
  if (minorUnits(offer.price, currency) === undefined) return 'price_decimals';
  return {
    ...shared,
    // A merchant's SKU may be longer than an id, and contain characters that an id cannot.
    id: digest(ownCode(merchant, offer.merchant_sku)),
    link: offerLink(storefrontUrl, product, offer),
    price: `${offer.price.toFixed(currencyDecimals(currency))} ${currency}`,
    multipack: items > 1 ? String(items) : undefined,
    external_seller_id: merchant.length > LIMITS.seller ? digest(merchant) : merchant,
  };
}

/** Returns the attributes that all offers of the product share. */
function productAttributes(product: StorefrontProduct, { digest }: FeedSetup): Item {
  const { bullets, description, group, mfr_part_number: part } = product;
  const title = lineOf(product.title, LIMITS.title) || product.code;
  const [image, ...others] = product.images.map(plainUrl).filter(isAllowedImage);
  const path = categoryPath(product).map((name) => name.replace(/\s*[,>]\s*/g, ' & '));
  return {
    title,
    description: lineOf(description ?? bullets.join(' '), LIMITS.description) || title,
    image_link: image,
    additional_image_link: others.slice(0, LIMITS.additional_images),
    availability: 'in_stock',
    brand: lineOf(product.brand, LIMITS.brand),
    gtin: product.codes.map(publicGtin).find((gtin) => gtin !== undefined),
    mpn: lineOf(part ?? '', LIMITS.brand),
    condition: 'new',
    product_type: lineOf(path.slice(0, LIMITS.product_type_levels).join(' > '), LIMITS.product_type),
    item_group_id: group === null ? undefined : digest(group.id),
  };
}

/** File types that Google refuses. A URL without one is allowed. */
const REFUSED_IMAGE = /\.(?:svgz?|avif|hei[cf]|ico|jfif|jxl)$/i;

function isAllowedImage(url: string): boolean {
  return url.length <= LIMITS.url && !REFUSED_IMAGE.test(new URL(url).pathname);
}

/** Prefixes for use within a company, and for coupons. */
const REFUSED_PREFIX = /^(?:2|02|04|05|98|99)/;

/** Returns the GTIN in its shortest form; undefined if the code is not a GTIN, or is not globally unique. */
function publicGtin(code: string): string | undefined {
  const digits = /^gtin:(\d{14})$/.exec(code)?.[1];
  if (digits === undefined) return undefined;
  const gtin = digits.replace(/^0{6}(?=\d{8}$)|^00(?=\d{12}$)|^0(?=\d{13}$)/, '');
  // The first of 14 digits tells the size of the package. The prefix of 12 digits has a zero in front.
  return REFUSED_PREFIX.test(gtin.length === 8 ? gtin : digits.slice(1)) ? undefined : gtin;
}

function valuesOf(item: Item, attribute: keyof Item): readonly string[] {
  const value = item[attribute] ?? [];
  return (typeof value === 'string' ? [value] : value).filter((text) => text !== '');
}

const XML_ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

function xmlText(text: string): string {
  return text.replace(/[&<>]/g, (character) => XML_ESCAPES[character] as string);
}

function xmlItem(item: Item): string {
  const elements = ATTRIBUTES.flatMap((attribute) => {
    return valuesOf(item, attribute).map((value) => `<g:${attribute}>${xmlText(value)}</g:${attribute}>`);
  });
  return `<item>${elements.join('')}</item>\n`;
}

/** Several values are separated by commas, so a comma in a URL is escaped. A quote would begin a quoted cell. */
function tsvRow(item: Item): string {
  const cells = ATTRIBUTES.map((attribute) => {
    const values = valuesOf(item, attribute);
    const isList = typeof item[attribute] === 'object';
    const cell = (isList ? values.map((value) => value.replaceAll(',', '%2C')) : values).join(',');
    return cell.includes('"') ? `"${cell.replaceAll('"', '""')}"` : cell;
  });
  return `${cells.join('\t')}\n`;
}
