/** Advises how to improve an offer. Advice affects no status, and is computed only when it is read. */
import { isBlank } from '../text/text-rules.ts';
import type { KnownImage, ReviewedDocument } from './facts.ts';

/** Never renamed. */
export const ADVICE_CODES = Object.freeze([
  'title_in_capitals',
  'bullets_missing',
  'alternate_image_small',
  'image_below_recommended',
  'freight_without_exception',
] as const);

export type AdviceCode = (typeof ADVICE_CODES)[number];

export interface Advice {
  readonly code: AdviceCode;
  /** Points to the field in the data of the SKU; empty if the advice is about another part of the offer. */
  readonly field: string;
  readonly text: string;
}

export interface AdvisedOffer {
  readonly document: ReviewedDocument;
  readonly hasShippingException: boolean;
  /** Results by URL. Images whose size is not known get no advice. */
  readonly images: Readonly<Record<string, KnownImage>> | undefined;
}

/** The shorter side of an image that the specification recommends, and that it accepts for alternate images. */
export const RECOMMENDED_PIXELS = 1500;
const ALTERNATE_PIXELS_MIN = 500;
/** Shorter titles may consist of names that are written in capitals: LG OLED TV. */
const CAPITALS_MIN = 10;
/** Parcel carriers take no heavier or larger packages, so these always ship as freight. */
const PARCEL = Object.freeze({ pounds_max: 150, length_inches_max: 108, length_and_girth_inches_max: 165 });

export function adviceFor({ document, hasShippingException, images }: AdvisedOffer): readonly Advice[] {
  const { product_title: title = '', bullets = [] } = document;
  const advice: Advice[] = [];
  const add = (code: AdviceCode, field: string, text: string) => advice.push({ code, field, text });
  if (!/\p{Ll}/u.test(title) && (title.match(/\p{Lu}/gu)?.length ?? 0) >= CAPITALS_MIN) {
    add('title_in_capitals', '/product_title', 'The title is in capitals. Normal case is easier to read.');
  }
  if (bullets.every(isBlank)) add('bullets_missing', '/bullets', 'Add bullets: up to 5 short texts about the product.');
  for (const { field, name, address } of imagesOf(document)) {
    const { verdict, width, height } = images?.[address] ?? {};
    const side = verdict === 'passed' && width && height ? Math.min(width, height) : RECOMMENDED_PIXELS;
    if (side >= RECOMMENDED_PIXELS) continue;
    const isSmall = side < ALTERNATE_PIXELS_MIN && field !== MAIN_IMAGE;
    const least = isSmall ? ALTERNATE_PIXELS_MIN : RECOMMENDED_PIXELS;
    const text = `${name} has ${width} x ${height} pixels. Use at least ${least} x ${least}.`;
    add(isSmall ? 'alternate_image_small' : 'image_below_recommended', field, text);
  }
  if (isFreight(document) && !hasShippingException) {
    add(
      'freight_without_exception',
      '',
      'The package is too heavy or too large for parcels. Add a shipping exception.',
    );
  }
  return advice;
}

const MAIN_IMAGE = '/main_image_url';

function imagesOf({ main_image_url, alternate_images = [] }: ReviewedDocument) {
  const others = alternate_images.map(({ image_slot_id, image_url: address }, index) => {
    return { field: `/alternate_images/${index}/image_url`, name: `Image ${image_slot_id}`, address };
  });
  return [{ field: MAIN_IMAGE, name: 'The main image', address: main_image_url }, ...others];
}

function isFreight(document: ReviewedDocument): boolean {
  const { shipping_weight_pounds: pounds = 0, package_length_inches: length = 0 } = document;
  const sides = [length, document.package_width_inches ?? 0, document.package_height_inches ?? 0];
  const longest = Math.max(...sides);
  const girth = 2 * (sides.reduce((sum, side) => sum + side) - longest);
  const isLong = longest > PARCEL.length_inches_max || longest + girth > PARCEL.length_and_girth_inches_max;
  return pounds > PARCEL.pounds_max || isLong;
}
