/** Creates random bodies: JSON-like text, or a valid body with one or two values replaced. */
import { minimalSku } from './api-client.ts';
import type { Chance } from './seeded-random.ts';

const NAMES = [
  ...['price', 'fulfillment_nodes', 'fulfillment_node_id', 'fulfillment_node_price', 'quantity', 'is_archived'],
  ...['return_location_ids', 'relationship', 'variation_refinements', 'children_skus', 'group_title', 'brand'],
  ...['shipping_exceptions', 'service_level', 'shipping_method', 'shipping_exception_type', 'override_type'],
  ...['product_title', 'multipack_quantity', 'standard_product_codes', 'standard_product_code', 'ASIN', 'msrp'],
  ...['standard_product_code_type', 'main_image_url', 'attributes_node_specific', 'attribute_id', 'attribute_value'],
  ...['alternate_images', 'image_slot_id', 'image_url', 'marketplace_browse_node_id', 'bullets', 'ships_alone'],
  ...['__proto__', 'constructor', 'toString', 'length', '', '\\ud800', '\\u0000', '0', 'a/b~c', 'ü'],
];

const VALUES = [
  ...['null', 'true', 'false', '0', '-0', '1', '5', '1.5', '-1', '1e400', '1e-400', '9007199254740993', '119'],
  ...['9223372036854775807', '9223372036854775808', '123456789012345678901234567890', '1010100', '37005005000'],
  ...['""', '"x"', '"demo-node-west"', '"Variation"', '"Standard"', '"<carrier_2> Ground"', '"restricted"', '"UPC"'],
  ...['"exclusive"', '"012345678905"', '"B000123456"', '"https://i.example/a.jpg"', '"102"', '"😀"', '[]', '{}'],
  ...['"\\ud800"', '"\\u0000"', `"${'x'.repeat(3000)}"`, '[null]', '[[]]', '[{}]'],
];

const STRAY = ['{', '}', '[', ']', '"', ',', ':', '\\', '\0', '1', 'e', '.', ' ', '😀', '\\u', 'null'];

const node = { fulfillment_node_id: 'demo-node-east' };
const service = { service_level: 'Standard', shipping_method: '<carrier_2> Ground' };
const charge = { override_type: 'Additional charge', shipping_charge_amount: 1 };

/** A valid body for the update of each part, by the end of its path. */
const GOOD_PARTS = {
  '': {
    ...minimalSku(),
    ASIN: 'B000123456',
    bullets: ['a', 'b'],
    map_implementation: '102',
    map_price: 5,
    attributes_node_specific: [{ attribute_id: 119, attribute_value: 'red', attribute_value_unit: '' }],
    alternate_images: [{ image_slot_id: 1, image_url: 'https://i.example/a.jpg' }],
    cpsia_cautionary_statements: ['no warning applicable'],
    ships_alone: true,
  },
  '/v2': { ...minimalSku(), product_type_id: 37_005_005_000 },
  '/price': { price: 5, fulfillment_nodes: [{ ...node, fulfillment_node_price: 4 }] },
  '/inventory': { fulfillment_nodes: [{ ...node, quantity: 3 }] },
  '/variation': { relationship: 'Variation', variation_refinements: [119], children_skus: ['x'], group_title: 't' },
  '/shippingexception': {
    fulfillment_nodes: [
      { ...node, shipping_exceptions: [{ ...service, ...charge, shipping_exception_type: 'include' }] },
      { ...node, shipping_exceptions: [{ ...service, shipping_exception_type: 'restricted' }] },
    ],
  },
  '/returnsexception': { return_location_ids: ['demo-returns-east'] },
  '/status/archive': { is_archived: false },
};

const GOOD_BODIES: Readonly<Record<string, unknown>> = {
  ...GOOD_PARTS,
  '/offer': {
    sku: GOOD_PARTS[''],
    price: GOOD_PARTS['/price'],
    inventory: GOOD_PARTS['/inventory'],
    shipping_exception: GOOD_PARTS['/shippingexception'],
    returns_exception: GOOD_PARTS['/returnsexception'],
  },
};

export function randomBody(chance: Chance, addressEnd: string): string {
  const body = chance.fraction() < 0.6 ? mutated(chance, GOOD_BODIES[addressEnd]) : randomObject(chance, 0);
  const at = chance.below(body.length + 1);
  const fate = chance.fraction();
  if (fate < 0.05) return body.slice(0, at);
  if (fate < 0.1) return `${body.slice(0, at)}${chance.pick(STRAY)}${body.slice(at)}`;
  return fate < 0.12 ? randomValue(chance, 0) : body;
}

/** Returns the JSON of a valid body in which random values are replaced. */
function mutated(chance: Chance, value: unknown): string {
  if (chance.fraction() < 0.06) return randomValue(chance, 3);
  if (Array.isArray(value)) return `[${value.map((entry) => mutated(chance, entry)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `"${name}":${mutated(chance, member)}`);
  return `{${members.join(',')}}`;
}

function randomValue(chance: Chance, depth: number): string {
  const kind = depth > 5 ? 2 : chance.below(4);
  if (kind === 0) return randomObject(chance, depth + 1);
  if (kind === 1) return `[${Array.from({ length: chance.below(4) }, () => randomValue(chance, depth + 1)).join(',')}]`;
  return chance.pick(VALUES);
}

function randomObject(chance: Chance, depth: number): string {
  const members = Array.from(
    { length: chance.below(8) },
    () => `"${chance.pick(NAMES)}":${randomValue(chance, depth)}`,
  );
  return `{${members.join(',')}}`;
}
