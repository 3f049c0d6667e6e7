/** Tests which fixes a failed check gets, and when it gets none. bench/fixes.test.ts measures how many are right. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LeftOut } from '../offers/variation-group.ts';
import { attributeEntry, nodeEntry } from '../taxonomy/entries.ts';
import { TaxonomyBuilder } from '../taxonomy/tree.ts';
import type { KnownProduct } from './catalog.ts';
import type { UploadedAttribute } from './checks/attributes.ts';
import type { ReviewedDocument } from './facts.ts';
import { CategoryModel } from './fixes/category-model.ts';
import { codesToLookUp } from './fixes/code-fixes.ts';
import type { GroupClues } from './fixes/fix.ts';
import { areOpposed, fixesFor, patched } from './fixes.ts';
import { catalogCodes } from './product-code.ts';
import { reviewOffer } from './review-offer.ts';
import { Subject } from './subject.ts';
import {
  GOOD_DOCUMENT,
  GOOD_FACTS,
  KNOWLEDGE,
  NAMES,
  POT_PRODUCT,
  UPC,
  UPC_CODE,
  without,
} from './testing/good-offer.ts';

const KITCHEN = 1;
const PANS = 2;
const POTS = 3;
const OLD_PANS = 4;
const BAKING = 5;
const TINS = 6;
const ROUND_TINS = 7;
const COATS = 8;
const [CAPACITY, FINISH, PIECES] = [11, 12, 13];

const builder = new TaxonomyBuilder();
builder.add(
  attributeEntry({
    attribute: 'capacity',
    id: CAPACITY,
    description: 'Capacity',
    data_type: 'number',
    units: ['qt', 'l'],
  }),
);
builder.add(
  attributeEntry({
    attribute: 'finish',
    id: FINISH,
    description: 'Finish',
    values: ['Matte', 'Gloss', 'High Gloss', 'XL'],
  }),
);
builder.add(attributeEntry({ attribute: 'pieces', id: PIECES, description: 'Pieces', data_type: 'integer' }));
builder.add(nodeEntry({ node: KITCHEN, name: 'Kitchen', optional: ['pieces'] }));
builder.add(nodeEntry({ node: PANS, parent: KITCHEN, name: 'Pans', required: ['finish'] }));
builder.add(nodeEntry({ node: POTS, parent: KITCHEN, name: 'Pots', optional: ['capacity'] }));
builder.add(nodeEntry({ node: OLD_PANS, name: 'pans', active: false }));
builder.add(nodeEntry({ node: BAKING, name: 'Baking' }));
builder.add(nodeEntry({ node: TINS, parent: BAKING, name: 'Tins' }));
builder.add(nodeEntry({ node: ROUND_TINS, parent: TINS, name: 'Round Tins' }));
builder.add(nodeEntry({ node: COATS, name: 'Coats', needs_group: true }));
const tree = builder.build();

const model = new CategoryModel();
for (let n = 0; n < 20; n++) model.learnProduct('Cast-iron casserole with lid', POTS);
for (let n = 0; n < 20; n++) model.learnProduct('Frying skillet, cast-iron', PANS);

function fixesOf(
  change: Partial<ReviewedDocument>,
  catalog: readonly KnownProduct[] = [],
  archived = false,
  group?: GroupClues,
  leftOut: LeftOut | null = null,
) {
  const document = { ...GOOD_DOCUMENT, marketplace_browse_node_id: POTS, ...change };
  const facts = { ...GOOD_FACTS, document, archived, inGroup: group !== undefined };
  const knowledge = { ...KNOWLEDGE, taxonomy: tree, imageCheck: 'off' } as const;
  const codes = catalogCodes(document);
  const evidence = {
    catalog: { codes, products: catalog.filter(({ code }) => codes.includes(code)) },
    ...(group && { group: { parent: 'parent', leftOut } }),
  };
  const { checks } = reviewOffer(facts, knowledge, evidence, NAMES);
  const known = codesToLookUp(document);
  const products = catalog.filter(({ code }) => known.includes(code));
  const guessCategory: CategoryModel['guess'] = (words, among) => model.guess(words, among);
  const found = fixesFor(new Subject(facts, knowledge, evidence), checks, { tree, products, guessCategory, group });
  return found.map(({ kind, confidence, source, patch }) => [kind, confidence, source, ...patch]);
}

const upc = (standard_product_code: string) => {
  return [{ standard_product_code_type: 'UPC', standard_product_code } as const];
};
const sent = (attribute_id: number, attribute_value: string, attribute_value_unit?: string): UploadedAttribute => ({
  attribute_id,
  attribute_value,
  ...(attribute_value_unit === undefined ? {} : { attribute_value_unit }),
});
const attributes = (...all: UploadedAttribute[]) => ({ attributes_node_specific: all });
const replace = (path: string, value: unknown) => ({ op: 'replace', path, value });
const category = (id: number) => replace('/marketplace_browse_node_id', id);

describe('fixes', () => {
  it('are not offered for a good offer, and not for an archived one', () => {
    assert.deepEqual(fixesOf({}), []);
    assert.deepEqual(fixesOf({ product_title: 'Pots, pack of 6' }, [], true), []);
  });

  it('set the multipack quantity of the title', () => {
    assert.deepEqual(fixesOf({ product_title: 'Pots, pack of 6' }), [
      ['multipack_quantity', 'certain', 'title', replace('/multipack_quantity', 6)],
    ]);
    assert.deepEqual(fixesOf({ product_title: 'Pots, pack of 6', multipack_quantity: 6 }), []);
  });

  it('correct a mistyped product code only if the catalog has the product next to it', () => {
    const pot = { ...POT_PRODUCT, title: 'A pot with a lid' };
    const right = replace('/standard_product_codes/0', upc(UPC)[0]);
    const wrong = { standard_product_codes: upc('012345678995') };
    assert.deepEqual(fixesOf(wrong, [pot]), [['product_code', 'certain', 'catalog', right]]);
    assert.deepEqual(fixesOf({ standard_product_codes: upc('102345678905') }, [pot]), [
      ['product_code', 'certain', 'catalog', right],
    ]);
    assert.deepEqual(fixesOf(wrong, [{ ...pot, title: 'A pot with a glass lid' }]), [
      ['product_code', 'likely', 'catalog', right],
    ]);
    assert.deepEqual(fixesOf(wrong, [{ ...pot, title: 'Tongs' }]), []);
    assert.deepEqual(fixesOf(wrong, [{ ...pot, brand: 'Tinker' }]), []);
    assert.deepEqual(fixesOf({ standard_product_codes: upc('012345678119') }, [pot]), [], 'two digits differ');
    assert.deepEqual(fixesOf({ standard_product_codes: upc('400638133393') }), [
      [
        'product_code',
        'likely',
        'arithmetic',
        replace('/standard_product_codes/0', {
          standard_product_code_type: 'EAN',
          standard_product_code: '4006381333931',
        }),
      ],
    ]);
  });

  it('use the brand of the catalog for a mistyped one, not for another brand', () => {
    const brand = replace('/brand', 'Potter');
    const pot = { ...POT_PRODUCT, title: 'A pot with a lid' };
    assert.deepEqual(fixesOf({ brand: 'Poter' }, [pot]), [['product', 'certain', 'catalog', brand]]);
    assert.deepEqual(fixesOf({ brand: 'Poter' }, [{ ...pot, title: 'Tongs' }]), [
      ['product', 'likely', 'catalog', brand],
    ]);
    assert.deepEqual(fixesOf({ brand: 'Tinker' }, [pot]), []);
    assert.deepEqual(fixesOf({ brand: ' ' }, [pot]), [['brand', 'certain', 'catalog', brand]]);
    assert.deepEqual(fixesOf({ product_title: '     ' }, [pot]), [
      ['title', 'likely', 'catalog', replace('/product_title', pot.title)],
    ]);
  });

  it('keep the code of the product that the title names', () => {
    const other = { ...POT_PRODUCT, code: 'gtin:00036000291452', title: 'A pan' } as const;
    const codes = [...upc('036000291452'), ...upc(UPC)];
    const kept = replace('/standard_product_codes', upc(UPC));
    const named = { ...POT_PRODUCT, code: UPC_CODE, title: 'A pot with a lid' };
    assert.deepEqual(fixesOf({ standard_product_codes: codes }, [named, other]), [
      ['product', 'certain', 'catalog', kept],
    ]);
    assert.deepEqual(fixesOf({ standard_product_codes: codes }, [{ ...named, title: 'Tongs' }, other]), []);
  });

  it('replace a category from the catalog, the taxonomy, or live offers', () => {
    assert.deepEqual(fixesOf({ marketplace_browse_node_id: OLD_PANS }), [
      ['invalid_category', 'certain', 'category_rule', category(PANS)],
    ]);
    assert.deepEqual(fixesOf({ marketplace_browse_node_id: TINS }), [
      ['invalid_category', 'certain', 'category_rule', category(ROUND_TINS)],
    ]);
    const pot = { ...POT_PRODUCT, categoryId: POTS };
    assert.deepEqual(fixesOf({ marketplace_browse_node_id: KITCHEN }, [pot]), [
      ['invalid_category', 'certain', 'catalog', category(POTS)],
    ]);
    const skillet = { product_title: 'Skillet, 12 inch', marketplace_browse_node_id: KITCHEN };
    assert.deepEqual(fixesOf(skillet), [['invalid_category', 'likely', 'live_offers', category(PANS)]]);
    assert.deepEqual(fixesOf({ ...skillet, marketplace_browse_node_id: BAKING }), [], 'skillets are not below it');
    assert.deepEqual(fixesOf({ ...skillet, product_title: 'Cast-iron' }), [], 'both are cast-iron');
  });

  it('add a missing category that the title names', () => {
    const { marketplace_browse_node_id: _none, ...document } = { ...without('marketplace_browse_node_id') };
    const facts = { ...GOOD_FACTS, document: { ...document, product_title: 'Casserole' } };
    const knowledge = { ...KNOWLEDGE, taxonomy: tree, imageCheck: 'off' } as const;
    const evidence = { catalog: { codes: [UPC_CODE], products: [] } };
    const { checks } = reviewOffer(facts, knowledge, evidence, NAMES);
    const clues = {
      tree,
      products: [],
      guessCategory: (...asked: Parameters<CategoryModel['guess']>) => model.guess(...asked),
    };
    const found = fixesFor(new Subject(facts, knowledge, evidence), checks, clues);
    assert.deepEqual(
      found.map(({ kind, patch }) => [kind, ...patch]),
      [['missing_category', { ...category(POTS), op: 'add' }]],
    );
    assert.deepEqual(fixesFor(new Subject(facts, knowledge, evidence), checks, { tree, products: [] }), []);
  });

  it('repair numbers and units', () => {
    const fixed = (confidence: string, source: string, value: string, unit: string) => [
      ['attribute', confidence, source, replace('/attributes_node_specific/0', sent(CAPACITY, value, unit))],
    ];
    assert.deepEqual(fixesOf(attributes(sent(CAPACITY, '5 quarts'))), fixed('certain', 'category_rule', '5', 'qt'));
    assert.deepEqual(fixesOf(attributes(sent(CAPACITY, '5', 'Quarts'))), fixed('certain', 'category_rule', '5', 'qt'));
    assert.deepEqual(fixesOf(attributes(sent(CAPACITY, '5,5', 'qt'))), fixed('certain', 'arithmetic', '5.5', 'qt'));
    const titled = { product_title: 'A pot, 5-quart', ...attributes(sent(CAPACITY, '5')) };
    assert.deepEqual(fixesOf(titled), fixed('certain', 'title', '5', 'qt'));
    for (const [value, unit] of [
      ['5', undefined],
      ['5,500', 'qt'],
      ['5 to 6', 'qt'],
      ['5', 'gal'],
      ['5 qt', 'l'],
    ] as const) {
      assert.deepEqual(fixesOf(attributes(sent(CAPACITY, value, unit))), [], `${value} ${unit}`);
    }
  });

  it('correct values of closed lists, and find missing ones in the title or a bullet', () => {
    const pan = (change: object) => fixesOf({ marketplace_browse_node_id: PANS, product_title: 'A pan', ...change });
    const at = (value: string) => replace('/attributes_node_specific/0', sent(FINISH, value));
    assert.deepEqual(pan(attributes(sent(FINISH, 'high-gloss'))), [
      ['attribute', 'certain', 'category_rule', at('High Gloss')],
    ]);
    assert.deepEqual(pan(attributes(sent(FINISH, 'Mate'))), [['attribute', 'likely', 'category_rule', at('Matte')]]);
    assert.deepEqual(pan(attributes(sent(FINISH, 'Satin'))), []);
    assert.deepEqual(pan(attributes(sent(FINISH, '2XL'))), []);
    const added = [
      [
        'attribute',
        'likely',
        'title',
        { op: 'add', path: '/attributes_node_specific', value: [] },
        { op: 'add', path: '/attributes_node_specific/-', value: sent(FINISH, 'High Gloss') },
      ],
    ];
    assert.deepEqual(pan({ product_title: 'A high gloss pan' }), added);
    assert.deepEqual(pan({ bullets: ['High Gloss'] }), added);
    for (const title of ['A pan, matte or gloss', 'A pan', 'XL pan'])
      assert.deepEqual(pan({ product_title: title }), [], title);
  });

  it('take what is missing or refused from live offers of the group that agree', () => {
    const pan = { marketplace_browse_node_id: PANS, product_title: 'A pan' };
    const member = (change: Partial<ReviewedDocument>) => ({ ...GOOD_DOCUMENT, ...pan, ...change });
    const group = (...live: Partial<ReviewedDocument>[]) => ({ refinements: [], live: live.map(member) });
    const gloss = attributes(sent(FINISH, 'Gloss'));
    const two = group(gloss, attributes(sent(FINISH, 'gloss')));
    const of = (change: object, clues: GroupClues, leftOut: LeftOut | null = null) =>
      fixesOf({ ...pan, ...change }, [], false, clues, leftOut);
    const likely = (kind: string, ...patch: object[]) => [[kind, 'likely', 'variation_group', ...patch]];
    const added = { op: 'add', path: '/attributes_node_specific/-', value: sent(FINISH, 'Gloss') };
    const list = { op: 'add', path: '/attributes_node_specific', value: [] };
    const right = (value: UploadedAttribute) => replace('/attributes_node_specific/0', value);
    assert.deepEqual(of({}, two), likely('attribute', list, added));
    assert.deepEqual(of(attributes(sent(FINISH, 'Satin')), two), likely('attribute', right(sent(FINISH, 'Gloss'))));
    assert.deepEqual(of({ product_title: 'A matte pan' }, two)[0]?.slice(1, 3), ['likely', 'title']);
    assert.deepEqual(of({ marketplace_browse_node_id: KITCHEN }, two), likely('invalid_category', category(PANS)));
    assert.deepEqual(of({ ...gloss, brand: ' ' }, two), likely('brand', replace('/brand', 'Potter')));
    const pots = group(...['5', '5'].map((value) => ({ ...attributes(sent(CAPACITY, value, 'qt')) })));
    const pot = (value: string) => of({ marketplace_browse_node_id: POTS, ...attributes(sent(CAPACITY, value)) }, pots);
    assert.deepEqual(pot('5'), likely('attribute', right(sent(CAPACITY, '5', 'qt'))));
    assert.deepEqual(pot('6'), [], 'another value, which may have another unit');
    const coat = (brand: string) => of({ marketplace_browse_node_id: COATS, brand }, two, { why: 'brand_differs' });
    assert.deepEqual(coat('Poter'), likely('group_brand', replace('/brand', 'Potter')));
    assert.deepEqual(coat('Tinker'), [], 'another brand');
    for (const [why, clues] of [
      ['one offer', group(gloss)],
      ['other values', group(gloss, attributes(sent(FINISH, 'Matte')))],
      ['no value', group(gloss, {})],
      ['two values', group(gloss, attributes(sent(FINISH, 'Gloss'), sent(FINISH, 'Matte')))],
      ['a refinement', { ...two, refinements: [FINISH] }],
    ] as const)
      assert.deepEqual(of({}, clues), [], why);
    const inTins = group({ marketplace_browse_node_id: ROUND_TINS }, { marketplace_browse_node_id: ROUND_TINS });
    assert.deepEqual(of({ marketplace_browse_node_id: KITCHEN }, inTins), [], 'not below the category of the offer');
  });

  it('are applied together, and leave the document alone', () => {
    const document = { brand: 'Poter', list: [1, 2] };
    const add = [
      { op: 'add', path: '/more', value: [] },
      { op: 'add', path: '/more/-', value: 'x' },
    ] as const;
    const patches = [
      [
        { op: 'replace', path: '/brand', value: 'Potter' },
        { op: 'replace', path: '/list/1', value: 3 },
      ],
      add,
      add,
    ] as const;
    assert.deepEqual(patched(document, patches), { brand: 'Potter', list: [1, 3], more: ['x', 'x'] });
    assert.deepEqual(document, { brand: 'Poter', list: [1, 2] });
  });

  it('are opposed if one replaces a list and the other one an entry of it', () => {
    const whole = [{ op: 'replace', path: '/list', value: [1] }] as const;
    const entry = [{ op: 'replace', path: '/list/0', value: 2 }] as const;
    const added = [
      { op: 'add', path: '/list', value: [] },
      { op: 'add', path: '/list/-', value: 3 },
    ] as const;
    assert.deepEqual([areOpposed(whole, entry), areOpposed(entry, whole)], [true, true]);
    const fit = [
      [entry, entry],
      [added, added],
      [entry, [{ op: 'remove', path: '/listed' }]],
    ] as const;
    for (const [one, other] of fit) assert.equal(areOpposed(one, other), false);
  });
});
