/** What all product feeds share: their settings, links, amounts and texts, and why a feed leaves out an offer. */
import { currencyDecimals } from '../../vocabulary/currencies.ts';
import type { StorefrontOffer, StorefrontProduct } from '../product.ts';

export interface FeedSetup {
  /** ISO 4217 code. */
  readonly currency: string;
  /** URL of an offer in the storefront, with `{code}` and `{sku}`, and `{merchant}` if it needs one. */
  readonly storefrontUrl: string;
  /** Returns a hash of the text, as at most 50 letters and digits. */
  readonly digest: (text: string) => string;
}

/** Why a feed leaves out an offer. */
export const LEFT_OUT = Object.freeze({
  image: 'No image has a URL and a file type that the format allows',
  price_decimals: 'The price has more decimals than the currency',
  price_on_request: 'The price may only be shown on request (policy 102), and the format requires a price',
});

export type LeftOut = keyof typeof LEFT_OUT;

export interface FeedText {
  /** Whole lines; empty if all offers are left out. */
  readonly text: string;
  /** Number of offers in the text. */
  readonly offers: number;
  /** One reason for each offer that is left out. */
  readonly leftOut: readonly LeftOut[];
}

/** Writes a feed product by product, so that a feed of any size needs little memory. */
export interface FeedFormat {
  readonly head: string;
  readonly tail: string;
  readonly write: (product: StorefrontProduct, offers: readonly StorefrontOffer[]) => FeedText;
}

/** Returns the URL of an offer in the storefront. */
export function offerLink(template: string, { code }: StorefrontProduct, offer: StorefrontOffer): string {
  const values: Record<string, string> = { code, sku: offer.merchant_sku, merchant: offer.merchant_id };
  return template.replace(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(values[name] ?? ''));
}

/** Returns the amount in minor units, such as cents; undefined if it has more decimals than the currency. */
export function minorUnits(amount: number, currency: string): number | undefined {
  const factor = 10 ** currencyDecimals(currency);
  const units = Math.round(amount * factor);
  // Division rounds to the double nearest to the decimal fraction, as parsing the fraction does.
  return units / factor === amount ? units : undefined;
}

/** What RFC 3986 does not allow after the host, but URL parsers leave as it is. */
const NOT_IN_URL = /[[\]{}|^`\\"<>]|%(?![0-9a-f]{2})/gi;

/** Writes an http or https URL in the characters of RFC 3986, without a fragment. */
export function plainUrl(text: string): string {
  const url = new URL(text);
  url.hash = '';
  const path = url.href.indexOf('/', 'https://'.length);
  return url.href.slice(0, path) + url.href.slice(path).replace(NOT_IN_URL, encodeURIComponent);
}

const CHARACTERS = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * Returns the text in one line, without characters that XML forbids, cut to a number of UTF-16 units. It is cut between characters as
 * people see them, so that no emoji loses its color and no letter its accent.
 */
export function lineOf(text: string, max: number): string {
  const line = text
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .replace(/[\p{Cs}\uFFFE\uFFFF]/gu, '')
    .trim();
  if (line.length <= max) return line;
  return line.slice(0, CHARACTERS.segment(line).containing(max)?.index).trimEnd();
}

/** Returns the names from the department down to the category. */
export function categoryPath({ category }: StorefrontProduct): readonly string[] {
  return category === null ? [] : category.path.map(({ name }) => name);
}
