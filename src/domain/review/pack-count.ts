/**
 * In charge of how many items a title says are in the offer.
 *
 * `multipack_quantity` counts barcodes, not pieces, and a false alarm takes a good offer off sale, while a miss costs
 * little. So only forms are read that nearly always mean several items sold together:
 *
 * - "pack of 6", "pack-of-6", "multipack of 6", "pack of six" (words from two to twelve)
 * - "6-pack", "6 pack", "6pk"
 * - "case of 12" where the phrase ends there: "(Case of 12)", ", case of 12"; a title may tell of a case of 12 thieves
 *
 * Not read, because one barcode is as likely: "set of 4" (chairs, knives), "12 count" and "12 ct" (diapers in a bag), "8
 * packs" (sachets in a box), "box of 10", "bundle of 3", "6 x 330 ml", "twin pack", "six pack" (of muscles).
 * Nor are numbers beyond what `multipack_quantity` can say ("pack of 500" screws), numbers with a unit behind them ("pack
 * of 16 oz"), parts of a longer number ("1,000-pack", "3-in-1 pack", "pack of 6-8"), and titles that name several numbers
 * ("6-pack, pack of 2": two items or twelve).
 */
import { LIMITS } from '../limits.ts';

const NUMBER_WORDS = ['two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'];

/** Nearly all titles say nothing of packs: one quick look tells. */
const MAY_SAY = /p(?:ac)?k|case/i;

const UNITS =
  'oz|ounces?|fl|lbs?|pounds?|g|gr|grams?|kg|mg|ml|cl|l|liters?|litres?|inch(?:es)?|ft|feet|yards?|yds?|mm|cm|m|' +
  'gb|tb|mb|mah|w|watts?|v|volts?|days?|weeks?|months?|years?|hours?|hrs?|minutes?';

/** The number is whole, and counts things. */
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

/** The one number that the title names; undefined where it names none, or several. */
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
