/** Reads numbers with units as people write them: `55"`, `5 quarts`, `1.5-liter`. */

/** Other names of the units that taxonomies use. Letter case, periods and a plural do not matter. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  in: ['inch', 'inches', '"', '”', '″'],
  ft: ['foot', 'feet'],
  yd: ['yard'],
  cm: ['centimeter'],
  mm: ['millimeter'],
  m: ['meter'],
  oz: ['ounce'],
  'fl oz': ['fluid ounce', 'floz'],
  lb: ['pound'],
  g: ['gram', 'gr', 'gm'],
  kg: ['kilogram', 'kilo'],
  mg: ['milligram'],
  mcg: ['microgram', 'ug', 'µg'],
  pt: ['pint'],
  qt: ['quart'],
  gal: ['gallon'],
  l: ['liter', 'ltr'],
  ml: ['milliliter'],
  cup: ['c'],
  'cu ft': ['cubic foot', 'cubic feet'],
  'sq ft': ['square foot', 'square feet'],
  'sq m': ['square meter'],
  w: ['watt'],
  kw: ['kilowatt'],
  v: ['volt'],
  hp: ['horsepower'],
  h: ['hour', 'hr'],
  days: ['day'],
  months: ['month', 'mo'],
  years: ['year', 'yr'],
  gb: ['gigabyte', 'gig'],
  mb: ['megabyte', 'meg'],
  tb: ['terabyte'],
  lm: ['lumen'],
  mp: ['megapixel'],
  '%': ['percent'],
};

/** Names of units by how people write them. */
const UNIT_BY_NAME = new Map(
  Object.entries(OTHER_NAMES).flatMap(([unit, others]) => [unit, ...others].map((name) => [keyOf(name), unit])),
);

function keyOf(name: string): string {
  const key = name.toLowerCase().replaceAll('.', '').replace(/\s+/g, ' ').trim();
  // Also as written in Britain.
  return key.length > 2 ? key.replace(/s$/, '').replace(/tre$/, 'ter') : key;
}

/** Returns the one unit among `units` with this name; undefined if it is none of them. */
export function unitNamed(name: string, units: readonly string[]): string | undefined {
  const key = keyOf(name);
  if (key === '') return undefined;
  const wanted = UNIT_BY_NAME.get(key) ?? key;
  const found = units.filter((unit) => (UNIT_BY_NAME.get(keyOf(unit)) ?? keyOf(unit)) === wanted);
  return found.length === 1 ? found[0] : undefined;
}

export interface WrittenNumber {
  readonly value: string;
  /** The words after the number that may be its unit; empty without any. */
  readonly rest: string;
}

const NUMBER =
  /(?<![\p{L}\p{N}.,/-])(\d+(?:\.\d+)?)(?:[\s-]?((?:fl\.? ?oz\.?|fluid ounces?|(?:cubic|square|cu|sq)\.? ?\p{L}+|\p{L}+\.?|["”″%])))?(?![\p{L}\p{N}]|[.,/]\d)/giu;

/** Returns the numbers of a text, each with the word after it. A number in a word, a range or a fraction is none. */
export function numbersIn(text: string): readonly WrittenNumber[] {
  return Array.from(text.matchAll(NUMBER), ([, value = '', rest = '']) => ({ value, rest }));
}
