/**
 * Product kinds of a generated catalog: each has a category of the starter taxonomy, its required attributes and some optional
 * ones. A test reviews all of them.
 */
import type { ProductTaxCode } from '../domain/vocabulary/tax-codes.ts';

/** Attribute ids of the starter taxonomy. */
export const ATTRIBUTE = Object.freeze({
  color: 119,
  colorFamily: 118,
  size: 120,
  shoeSize: 121,
  collection: 123,
  style: 124,
});

/** JSON of one attribute with each of its possible values; a product has one of them. */
type AttributeChoice = readonly string[];

function choice(id: number, values: readonly string[], unit?: string): AttributeChoice {
  return values.map((value) =>
    JSON.stringify({
      attribute_id: id,
      attribute_value: value,
      ...(unit === undefined ? {} : { attribute_value_unit: unit }),
    }),
  );
}

export interface ProductKind {
  /** Prefix of its SKU ids. */
  readonly mark: string;
  /** A leaf; for shoes, the product type. */
  readonly category: number;
  readonly taxCode: ProductTaxCode;
  readonly things: readonly string[];
  readonly choices: readonly AttributeChoice[];
  readonly dollars: readonly [from: number, to: number];
  readonly pounds: readonly [from: number, to: number];
}

/** A product in several sizes. Clothing also has several colors, and forms one variation group. */
export interface SizedKind extends ProductKind {
  readonly sizes: readonly string[];
}

const MATERIAL = 125;
const NET_WEIGHT = 142;
const NET_VOLUME = 143;
const CAPACITY = 154;
const CONNECTOR = 168;
const SCREEN_SIZE = 169;
const STORAGE = 172;

const MADE_FOR_ADULTS: AttributeChoice = choice(127, ['Women', 'Men', 'Unisex Adults']);
const FABRIC: AttributeChoice = choice(MATERIAL, [
  'Organic cotton',
  'Merino wool',
  'Linen blend',
  'Recycled polyester',
]);
const PATTERN: AttributeChoice = choice(126, ['Solid', 'Striped', 'Checked', 'Floral']);
const CARE: AttributeChoice = choice(133, ['Machine wash cold', 'Hand wash', 'Wash inside out at 30 degrees']);
const LETTER_SIZES = ['XS', 'S', 'M', 'L', 'XL', '2XL'];

function clothing(kind: Pick<SizedKind, 'mark' | 'category' | 'things'> & Partial<SizedKind>): SizedKind {
  return {
    taxCode: 'General Clothing',
    sizes: LETTER_SIZES,
    choices: [FABRIC, MADE_FOR_ADULTS, PATTERN, CARE],
    dollars: [14, 120],
    pounds: [0.3, 3],
    ...kind,
  };
}

export const CLOTHING: readonly SizedKind[] = Object.freeze([
  clothing({
    mark: 'TSH',
    category: 1_000_100,
    things: ['crew neck T-shirt', 'pocket T-shirt', 'long sleeve T-shirt'],
  }),
  clothing({ mark: 'SWT', category: 1_000_540, things: ['ribbed sweater', 'cable knit sweater', 'zip sweater'] }),
  clothing({
    mark: 'JNS',
    category: 1_000_200,
    things: ['straight jeans', 'tapered jeans'],
    sizes: ['28', '30', '32', '34', '36'],
  }),
  clothing({ mark: 'DRS', category: 1_001_510, things: ['wrap dress', 'shirt dress', 'day dress'] }),
  clothing({
    mark: 'JKT',
    category: 1_002_020,
    things: ['quilted jacket', 'field jacket', 'rain jacket'],
    dollars: [59, 290],
  }),
  clothing({ mark: 'PJM', category: 1_003_050, things: ['pajama set', 'flannel pajama set'] }),
  clothing({ mark: 'WRK', category: 1_003_510, things: ['training top', 'running top'], taxCode: 'Athletic Clothing' }),
  clothing({
    mark: 'BBY',
    category: 1_000_400,
    things: ['baby bodysuit', 'baby romper'],
    taxCode: 'Infant Clothing',
    sizes: ['Newborn', '0-3 Months', '3-6 Months', '6-9 Months', '9-12 Months'],
    choices: [FABRIC, choice(127, ['Unisex Children']), PATTERN, CARE],
  }),
]);

function shoes(kind: Pick<SizedKind, 'mark' | 'category' | 'things'>): SizedKind {
  return {
    taxCode: 'General Clothing',
    sizes: ['6', '7', '8', '8.5', '9', '9.5', '10', '11', '12'],
    choices: [
      choice(122, ['Narrow', 'Regular', 'Wide']),
      choice(137, ['Full grain leather', 'Suede', 'Canvas', 'Recycled mesh']),
      choice(136, ['Natural rubber', 'Crepe', 'Cork']),
      MADE_FOR_ADULTS,
    ],
    dollars: [39, 240],
    pounds: [1, 4.5],
    ...kind,
  };
}

export const SHOES: readonly SizedKind[] = Object.freeze([
  shoes({ mark: 'BOO', category: 37_005_005_000, things: ['ankle boots', 'chukka boots'] }),
  shoes({ mark: 'OXF', category: 37_005_032_000, things: ['plain toe oxfords', 'cap toe oxfords'] }),
  shoes({ mark: 'SND', category: 37_005_037_000, things: ['strap sandals', 'cork sandals'] }),
  shoes({ mark: 'SNK', category: 37_005_045_000, things: ['low sneakers', 'court sneakers'] }),
]);

const SINGLE_KINDS: readonly (Omit<ProductKind, 'taxCode'> & Partial<ProductKind>)[] = [
  {
    mark: 'POT',
    category: 1_010_100,
    things: ['cast iron pot', 'sauté pan', 'stock pot'],
    choices: [
      choice(MATERIAL, ['Cast iron', 'Stainless steel', 'Enameled steel']),
      choice(CAPACITY, ['2', '3.5', '5', '7'], 'qt'),
      choice(153, ['8', '10', '12'], 'in'),
      choice(162, ['Yes', 'No']),
    ],
    dollars: [24, 210],
    pounds: [2, 14],
  },
  {
    mark: 'COF',
    category: 1_010_560,
    things: ['drip coffee maker', 'espresso machine'],
    choices: [
      choice(MATERIAL, ['Stainless steel', 'Glass and steel']),
      choice(164, ['900', '1200', '1450'], 'W'),
      choice(165, ['120', '230'], 'V'),
      choice(CAPACITY, ['0.6', '1.2', '1.8'], 'l'),
    ],
    dollars: [39, 520],
    pounds: [4, 22],
  },
  {
    mark: 'BLB',
    category: 1_013_040,
    things: ['LED light bulb', 'filament light bulb'],
    choices: [
      choice(179, ['E12', 'E26', 'GU10']),
      choice(178, ['450', '800', '1100'], 'lm'),
      choice(164, ['4', '8', '11'], 'W'),
    ],
    dollars: [3, 24],
    pounds: [0.1, 0.6],
  },
  {
    mark: 'MAT',
    category: 1_071_020,
    things: ['foam mattress', 'spring mattress'],
    choices: [
      choice(159, ['Twin', 'Full', 'Queen', 'King']),
      choice(161, ['Memory foam', 'Natural latex', 'Pocket springs']),
      choice(152, ['8', '10', '12'], 'in'),
      choice(157, ['No']),
    ],
    dollars: [180, 1400],
    pounds: [35, 120],
  },
  {
    mark: 'CHR',
    category: 1_072_020,
    things: ['office chair', 'task chair'],
    choices: [
      choice(MATERIAL, ['Mesh', 'Leather', 'Wool felt']),
      choice(155, ['250', '300', '350'], 'lb'),
      choice(157, ['Yes']),
    ],
    dollars: [90, 780],
    pounds: [22, 55],
  },
  {
    mark: 'HDP',
    category: 1_020_100,
    things: ['over-ear headphones', 'open headphones', 'in-ear headphones'],
    choices: [
      choice(167, ['Wired', 'Bluetooth']),
      choice(166, ['20', '30', '45'], 'h'),
      choice(CONNECTOR, ['USB-C', '3.5 mm']),
    ],
    dollars: [29, 480],
    pounds: [0.4, 1.6],
  },
  {
    mark: 'TVS',
    category: 1_021_510,
    things: ['LED television', 'OLED television'],
    choices: [
      choice(SCREEN_SIZE, ['43', '50', '55', '65', '75'], 'in'),
      choice(170, ['Full HD', '4K', '8K']),
      choice(CONNECTOR, ['HDMI']),
    ],
    dollars: [220, 2900],
    pounds: [18, 85],
  },
  {
    mark: 'LAP',
    category: 1_080_510,
    things: ['laptop computer', 'convertible laptop'],
    choices: [
      choice(SCREEN_SIZE, ['13.3', '14', '15.6', '16'], 'in'),
      choice(171, ['8', '16', '32'], 'GB'),
      choice(STORAGE, ['256', '512', '1000'], 'GB'),
      choice(174, ['8 cores, 3.2 GHz', '10 cores, 3.6 GHz']),
    ],
    dollars: [390, 2800],
    pounds: [2.2, 6],
  },
  {
    mark: 'USB',
    category: 1_082_020,
    things: ['flash drive', 'keyring flash drive'],
    choices: [choice(STORAGE, ['32', '64', '128', '256'], 'GB'), choice(CONNECTOR, ['USB-A', 'USB-C'])],
    dollars: [6, 65],
    pounds: [0.1, 0.2],
  },
  {
    mark: 'BEA',
    category: 1_030_100,
    taxCode: 'General Grocery Items',
    things: ['whole bean coffee', 'ground coffee', 'espresso beans'],
    choices: [
      choice(147, ['Light', 'Medium', 'Dark']),
      choice(148, ['Regular', 'Decaffeinated']),
      choice(NET_WEIGHT, ['8', '12', '16', '32'], 'oz'),
      choice(146, ['Yes', 'No']),
      choice(145, ['365', '540'], 'days'),
    ],
    dollars: [8, 42],
    pounds: [0.6, 2.4],
  },
  {
    mark: 'DOG',
    category: 1_040_100,
    taxCode: 'Pet Foods',
    things: ['dry dog food', 'grain free dog food'],
    choices: [
      choice(193, ['Young', 'Adult', 'Senior']),
      choice(192, ['Small', 'Medium', 'Large']),
      choice(141, ['Chicken', 'Salmon', 'Lamb']),
      choice(NET_WEIGHT, ['5', '15', '30'], 'lb'),
    ],
    dollars: [12, 84],
    pounds: [5.4, 31],
  },
  {
    mark: 'PUZ',
    category: 1_051_030,
    things: ['landscape jigsaw puzzle', 'map jigsaw puzzle'],
    choices: [choice(156, ['500', '1000', '1500', '2000']), choice(180, ['8', '12'], 'years')],
    dollars: [12, 48],
    pounds: [1, 3],
  },
  {
    mark: 'HEL',
    category: 1_060_100,
    taxCode: 'Helmets',
    things: ['road bicycle helmet', 'commuter bicycle helmet'],
    choices: [choice(207, ['S', 'M', 'L', 'XL'])],
    dollars: [32, 240],
    pounds: [0.8, 1.6],
  },
  {
    mark: 'SUN',
    category: 1_110_530,
    taxCode: 'SPF Suncare Products',
    things: ['mineral sunscreen', 'sport sunscreen'],
    choices: [
      choice(197, ['15', '30', '50']),
      choice(195, ['Dry', 'Sensitive', 'All']),
      choice(NET_VOLUME, ['1.7', '3.4', '6.8'], 'fl oz'),
    ],
    dollars: [7, 38],
    pounds: [0.2, 0.8],
  },
  {
    mark: 'PNT',
    category: 1_152_010,
    things: ['interior wall paint', 'exterior wood paint'],
    choices: [
      choice(225, ['Matte', 'Satin', 'Semi-gloss']),
      choice(242, ['Acrylic', 'Latex', 'Oil']),
      choice(NET_VOLUME, ['1', '5'], 'gal'),
      choice(226, ['400', '2000'], 'sq ft'),
    ],
    dollars: [24, 190],
    pounds: [10, 60],
  },
  {
    mark: 'YRN',
    category: 1_181_010,
    things: ['hand dyed yarn', 'sock yarn', 'chunky yarn'],
    choices: [
      choice(240, ['Fingering', 'Worsted', 'Bulky']),
      choice(241, ['100 % merino wool', '80 % wool, 20 % silk']),
      choice(NET_WEIGHT, ['1.75', '3.5', '7'], 'oz'),
    ],
    dollars: [6, 44],
    pounds: [0.2, 0.6],
  },
];

export const SINGLES: readonly ProductKind[] = Object.freeze(
  SINGLE_KINDS.map((kind): ProductKind => ({ taxCode: 'Generic Taxable Product', ...kind })),
);
