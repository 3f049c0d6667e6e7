/** Tests that a body is valid against the schema of its category exactly if the review finds no issue that the body decides. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { isRun } from '../../../test/harness/scope.ts';
import { type Chance, seededChance } from '../../../test/harness/seeded-random.ts';
import { createShoeSkuCheck, createSkuCheck } from '../bodies/sku.ts';
import { attributeEntry, nodeEntry } from '../taxonomy/entries.ts';
import { TaxonomyBuilder } from '../taxonomy/tree.ts';
import { categorySchema, type TaxonomyFrom } from './category-schema.ts';
import type { CategoryBook, ReviewedDocument } from './facts.ts';
import { failedChecks } from './review-offer.ts';
import { Subject } from './subject.ts';
import { BOOTS, GOOD_DOCUMENT, GOOD_FACTS, KNOWLEDGE, NAMES, NO_BODY_CHECKS } from './testing/good-offer.ts';

const [POTS, SHIRTS, PLAIN, OLD] = [101, 201, 301, 401];
const CATEGORIES = [POTS, SHIRTS, BOOTS, PLAIN];
const BODIES = isRun('long') ? 10_000 : 1000;

function book(change?: 'with material required'): CategoryBook {
  const builder = new TaxonomyBuilder();
  const range = { data_type: 'number', min_value: 0.75, max_value: 120.5, units: ['qt', 'l'] } as const;
  builder.add(attributeEntry({ attribute: 'size', id: 1, description: 'Size', values: ['S', 'M', 'One Size'] }));
  builder.add(attributeEntry({ attribute: 'capacity', id: 2, description: 'Capacity', ...range }));
  builder.add(
    attributeEntry({ attribute: 'pieces', id: 3, description: 'Pieces', data_type: 'integer', min_value: -5 }),
  );
  builder.add(attributeEntry({ attribute: 'material', id: 4, description: 'Material' }));
  const required = change === undefined ? ['capacity'] : ['capacity', 'material'];
  const optional = change === undefined ? ['pieces', 'material'] : ['pieces'];
  builder.add(nodeEntry({ node: POTS, name: 'Pots', required, optional }));
  builder.add(nodeEntry({ node: SHIRTS, name: 'Shirts', required: ['size'], new_product_data: ['bullets'] }));
  builder.add(nodeEntry({ node: BOOTS, name: 'Boots', required: ['material'], optional: ['size'] }));
  builder.add(nodeEntry({ node: PLAIN, name: 'Plain', needs_code: false }));
  builder.add(nodeEntry({ node: OLD, name: 'Old', active: false }));
  return builder.build();
}

const BOOK = book();

function schemaOf(id: number, upcoming: readonly TaxonomyFrom[] = []) {
  const node = BOOK.node(id);
  assert.ok(node);
  return JSON.parse(JSON.stringify(categorySchema(node, { taxonomy: BOOK, newProductData: [] }, upcoming, NAMES)));
}

function validator(schema: object): ValidateFunction {
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  ajv.addFormat('uri', (text) => URL.canParse(text));
  ajv.addFormat('date-time', true);
  ajv.addFormat('int64', true);
  const sum = (code: string, weight: (fromEnd: number) => number) =>
    [...code].reverse().reduce((total, digit, fromEnd) => total + Number(digit) * weight(fromEnd), 0);
  ajv.addFormat('gs1-code', (code) => sum(code, (fromEnd) => (fromEnd % 2 === 0 ? 1 : 3)) % 10 === 0);
  ajv.addFormat('isbn-10-code', (code) => sum(code, (fromEnd) => fromEnd + 1) % 11 === 0);
  return ajv.compile(schema);
}

type Body = Record<string, unknown>;

const attributes = (...list: readonly [number, unknown, unknown?][]) => ({
  attributes_node_specific: list.map(([attribute_id, attribute_value, attribute_value_unit]) => ({
    attribute_id,
    attribute_value,
    ...(attribute_value_unit === undefined ? {} : { attribute_value_unit }),
  })),
});
const code = (standard_product_code_type: string, standard_product_code: string) => ({
  standard_product_codes: [{ standard_product_code_type, standard_product_code }],
});

const GOOD: Readonly<Record<number, Body>> = {
  [POTS]: attributes([2, '5.5', 'qt']),
  [SHIRTS]: attributes([1, 'M']),
  [BOOTS]: { ...attributes([4, 'Leather']), product_type_id: BOOTS },
  [PLAIN]: {},
};

const NUMBERS = [
  '0.75',
  '.75',
  '0.7',
  '0.749',
  '0.750',
  '00.76',
  '1',
  '+9',
  '-1',
  '-5',
  '-5.0',
  '-6',
  '-0',
  '99',
  '120.5',
];
const VALUES = [
  ...NUMBERS,
  '120.50',
  '120.51',
  '121',
  '119.9',
  '1000',
  '-0.1',
  '5.01',
  ' 5 ',
  '1e3',
  '5.',
  'S',
  'One Size',
];

/** Each replaces fields of a body; undefined removes a field. Values and units are spelled as in the taxonomy. */
const CHANGES: readonly ((chance: Chance) => Body)[] = [
  (chance) => ({
    product_title: chance.pick([undefined, ' ', '\u200b\u200b\u200b', 'ab', 'A pot', 'x'.repeat(3000), 5]),
  }),
  (chance) => ({ brand: chance.pick([undefined, '', '\u3000', 'Potter', 'x'.repeat(2000)]) }),
  (chance) => ({ multipack_quantity: chance.pick([0, 1, 1.5, '1', undefined, 1e9]) }),
  (chance) => ({
    main_image_url: chance.pick(['ftp://x/a.jpg', 'https://', 'HTTPS://x.example', 'https://[/a', 'https://x/a b', 7]),
  }),
  (chance) =>
    code(
      chance.pick(['UPC', 'EAN', 'GTIN-14', 'ISBN-10', 'ISBN-13', 'SKU']),
      chance.pick([
        '012345678905',
        '012345678906',
        '4006381333931',
        '00012345678905',
        '0306406152',
        '000000000000',
        'x',
        '',
      ]),
    ),
  (chance) => ({
    standard_product_codes: chance.pick([undefined, []]),
    ASIN: chance.pick([undefined, 'B000123456', 'B0']),
  }),
  (chance) => ({
    map_implementation: chance.pick(['101', '102', 'Type2', 'Type4', '104']),
    map_price: chance.pick([undefined, 5, 0, '5']),
  }),
  (chance) => ({
    cpsia_cautionary_statements: chance.pick([
      ['no warning applicable'],
      ['choking hazard balloon', 'no warning applicable'],
      ['choking hazard balloon'],
      [],
      ['none'],
    ]),
  }),
  (chance) => {
    const image = { image_slot_id: chance.pick([1, 2, 99]), image_url: 'https://img.example/1.jpg' };
    return { alternate_images: chance.pick([[], [image], [image, image], [image, { ...image, image_slot_id: 3 }]]) };
  },
  (chance) => attributes([2, chance.pick(VALUES), chance.pick(['qt', 'l', 'kg', ' ', undefined])]),
  (chance) => attributes([2, '9', 'l'], [3, chance.pick(VALUES)]),
  (chance) => attributes([1, chance.pick(['S', 'XL', ' ', '', 5])], [4, 'Wool'], [2, '1', 'qt']),
  (chance) =>
    attributes([4, chance.pick(['Wool', ' ', 'https://x.example/a.PNG', 'https://x.example/a', 'http://a.png'])]),
  (chance) => attributes([4, 'Wool'], [chance.pick([1, 99]), chance.pick(['M', 'other'])], [2, '1', 'qt']),
  () => ({ attributes_node_specific: [] }),
  (chance) => ({ marketplace_browse_node_id: chance.pick([POTS, SHIRTS, 999, undefined]) }),
  (chance) => ({ bullets: chance.pick([[''], ['a'], 'a']), ships_alone: chance.pick([true, 5, 'yes', ['a']]) }),
  (chance) => ({
    unknown_field: chance.pick([1, {}]),
    msrp: chance.pick([0, 5, 1e12]),
    prop_65: chance.pick([true, 'no']),
  }),
];

function bodyIn(category: number, chance: Chance): Body {
  const { product_title, brand, multipack_quantity, main_image_url, standard_product_codes } = GOOD_DOCUMENT;
  const good = { product_title, brand, multipack_quantity, main_image_url, standard_product_codes };
  const node = category === BOOTS ? {} : { marketplace_browse_node_id: category };
  const changes = Array.from({ length: chance.below(4) }, () => chance.pick(CHANGES)(chance));
  const body = Object.assign({}, good, node, GOOD[category], ...changes);
  // A shoe's browse node must exist, but no schema lists all nodes.
  if (category === BOOTS && body.marketplace_browse_node_id === 999) delete body.marketplace_browse_node_id;
  return JSON.parse(JSON.stringify(body));
}

const checkSku = createSkuCheck(NAMES, (id) => BOOK.node(id) !== undefined);
const checkShoe = createShoeSkuCheck(NAMES, (id) => BOOK.node(id) !== undefined);

/** Returns what the body alone decides: problems of the upload, and checks of the review that look at nothing else. */
function findings(category: number, body: Body): readonly string[] {
  const checked = (category === BOOTS ? checkShoe : checkSku)({ value: body, problems: [], text: undefined });
  if (!checked.ok) return checked.problems.map(({ code: found }) => found);
  const document = checked.value as ReviewedDocument;
  if ((document.product_type_id ?? document.marketplace_browse_node_id) !== category) return ['other_category'];
  const subject = new Subject({ ...GOOD_FACTS, document }, { ...KNOWLEDGE, taxonomy: BOOK }, {});
  return failedChecks(subject).flatMap(({ id }) => (NO_BODY_CHECKS.includes(id) ? [] : [id]));
}

describe('the schema of a category', () => {
  const counts = { valid: 0, invalid: 0 };
  before(() => {
    const chance = seededChance(38);
    const validators = new Map(CATEGORIES.map((id) => [id, validator(schemaOf(id))]));
    for (let made = 0; made < BODIES; made++) {
      const category = chance.pick(CATEGORIES);
      const body = bodyIn(category, chance);
      const validate = validators.get(category);
      assert.ok(validate);
      const found = findings(category, body);
      const isValid = validate(body);
      assert.equal(isValid, found.length === 0, JSON.stringify({ body, found, errors: validate.errors }));
      counts[isValid ? 'valid' : 'invalid'] += 1;
    }
  });

  it('agrees with the review on generated bodies, of which many are valid and many are not', () => {
    assert.ok(counts.valid > BODIES / 5 && counts.invalid > BODIES / 5, JSON.stringify(counts));
  });

  it('accepts no body in a category that is not in use', () => {
    assert.equal(validator(schemaOf(OLD))({ ...GOOD_DOCUMENT, marketplace_browse_node_id: OLD }), false);
  });

  it('lists what only new products need', () => {
    assert.deepEqual(schemaOf(SHIRTS).allOf.at(-1)['x-required-when-new'], ['bullets', 'standard_product_codes']);
    assert.deepEqual(schemaOf(PLAIN).allOf.at(-1)['x-required-when-new'], []);
  });

  it('shows an upcoming requirement with its date, only in the categories that it changes', () => {
    const taxonomy = book('with material required');
    const change = { id: 7, rule: 'Taxonomy', enforced_from: '2027-01-01T00:00:00.000Z' };
    const upcoming = [{ ...change, taxonomy }];
    assert.equal(schemaOf(SHIRTS, upcoming)['x-upcoming'], undefined);
    const schema = schemaOf(POTS, upcoming);
    const { schema: after, ...said } = schema['x-upcoming'][0];
    assert.deepEqual(said, change);
    const body = { ...GOOD_DOCUMENT, ...GOOD[POTS], marketplace_browse_node_id: POTS };
    assert.equal(validator(schema)(body), true);
    assert.equal(validator(after)(body), false);
    assert.equal(validator(after)({ ...body, ...attributes([2, '5', 'qt'], [4, 'Steel']) }), true);
  });
});
