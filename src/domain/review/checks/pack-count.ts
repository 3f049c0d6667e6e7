/**
 * Reads from a title how many items the offer contains.
 *
 * `multipack_quantity` counts barcodes, not pieces. A false alarm takes a good offer off sale, while a miss costs
 * little. So only phrases count that nearly always mean several items sold together:
 *
 * - "pack of 6", "pack-of-6", "multipack of 6", "pack of six" (words from two to twelve)
 * - "6-pack", "6 pack", "6pk"
 * - "case of 12" at the end of a phrase: "(Case of 12)", ", case of 12"; a book may be about a case of 12 thieves
 *
 * These do not count, because they often share one barcode: "set of 4" (chairs, knives), "12 count" and "12 ct"
 * (diapers in a bag), "8 packs" (sachets in a box), "box of 10", "bundle of 3", "6 x 330 ml", "twin pack", "six pack"
 * (of muscles). Neither do numbers above the limit of `multipack_quantity` ("pack of 500" screws), numbers with a unit
 * ("pack of 16 oz"), parts of a longer number ("1,000-pack", "3-in-1 pack", "pack of 6-8"), and titles with several
 * different numbers ("6-pack, pack of 2": two items or twelve).
 */
import { LIMITS } from '../../limits.ts';

const NUMBER_WORDS = ['two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'];

/** Skips titles without a pack phrase, which are nearly all, with one cheap test. */
const MAY_SAY = /p(?:ac)?k|case/i;

const UNITS =
  'oz|ounces?|fl|lbs?|pounds?|g|gr|grams?|kg|mg|ml|cl|l|liters?|litres?|inch(?:es)?|ft|feet|yards?|yds?|mm|cm|m|' +
  'gb|tb|mb|mah|w|watts?|v|volts?|days?|weeks?|months?|years?|hours?|hrs?|minutes?';

/** Requires that the number is whole and counts items. */
const ENDS = `(?![\\d/]|[.,–-]\\d|\\s*[%"”″'’]|[\\s-]*(?:${UNITS})\\b)`;
const STARTS = '(?<![\\p{L}\\d/$€£#]|\\d[.,–-]|in[\\s-])';

const FORMS: readonly RegExp[] = [
  new RegExp(
    `(?<![\\p{L}\\d])(?:multi-?)?pack[\\s-]+of[\\s-]+(\\d{1,4}|${NUMBER_WORDS.join('|')})(?!\\p{L})${ENDS}`,
    'giu',
  ),
  new RegExp(`${STARTS}(\\d{1,4})[\\s-]?(?:pack|pk)(?![\\p{L}\\d])`, 'giu'),
  /(?<![\p{L}\d])case[\s-]+of[\s-]+(\d{1,4})(?=\s*(?:$|[)\],;|]))/giu,
];

/** Returns the only number in the title; undefined if there is none, or several different ones. */
export function packCount(title: string): number | undefined {
  if (!MAY_SAY.test(title)) return undefined;
  let count: number | undefined;
  for (const form of FORMS) {
    for (const [, said = ''] of title.matchAll(form)) {
      const number = numberOf(said);
      if (count !== undefined && number !== count) return undefined;
      count = number;
    }
  }
  return count !== undefined && count >= 1 && count <= LIMITS.multipack_quantity_max ? count : undefined;
}

function numberOf(said: string): number {
  const word = NUMBER_WORDS.indexOf(said.toLowerCase());
  return word === -1 ? Number(said) : word + 2;
}
