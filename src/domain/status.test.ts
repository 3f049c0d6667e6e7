/** Tests of status.ts: which judgement wins, and which reasons are listed. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Evidence, type JudgedDocument, judge, NO_EVIDENCE } from './status.ts';
import type { Taxonomy, TaxonomyNode } from './taxonomy.ts';
import type { Status, SubStatus } from './vocabulary/statuses.ts';

const LEAF = 10;
const DEPARTMENT = 20;
const RETIRED = 30;
const SHOE = 37_005_005_000;

function node(id: number, isLeaf: boolean, active: boolean): TaxonomyNode {
  return { id, name: `node ${id}`, parentId: null, level: 0, isLeaf, active, suggestedTaxCode: null };
}

const nodes = new Map(
  [node(LEAF, true, true), node(DEPARTMENT, false, true), node(RETIRED, true, false), node(SHOE, true, true)].map(
    (entry) => [entry.id, entry],
  ),
);
const taxonomy: Taxonomy = { node: (id) => nodes.get(Number(id)) };

const GOOD: JudgedDocument = {
  product_title: 'A pot',
  brand: 'Potter',
  marketplace_browse_node_id: LEAF,
  standard_product_codes: [{ standard_product_code_type: 'UPC', standard_product_code: '012345678905' }],
};

interface Facts {
  readonly document?: JudgedDocument;
  readonly archived?: boolean;
  readonly priced?: boolean;
  readonly evidence?: Partial<Evidence>;
}

function judgementOf({ document = GOOD, archived = false, priced = true, evidence = {} }: Facts) {
  return judge({ document, archived, priced }, taxonomy, { ...NO_EVIDENCE, ...evidence });
}

function without(field: keyof JudgedDocument): JudgedDocument {
  const { [field]: _gone, ...rest } = GOOD;
  return rest as JudgedDocument;
}

describe('judge', () => {
  it('finds nothing wrong with a good offer', () => {
    assert.deepEqual(judgementOf({}), { status: 'available', subStatuses: [] });
  });

  it('lets the first match win: archived, excluded, unauthorized, review, missing', () => {
    const [excluded, unauthorized, pending] = [true, true, true];
    const orderly: readonly (readonly [Status, Facts])[] = [
      ['archived', { archived: true, priced: false, evidence: { excluded, unauthorized, pending } }],
      ['excluded', { priced: false, evidence: { excluded, unauthorized, pending } }],
      ['unauthorized', { priced: false, evidence: { unauthorized, pending } }],
      ['review', { priced: false, evidence: { pending } }],
      ['missing', { priced: false }],
    ];
    for (const [status, facts] of orderly) assert.equal(judgementOf(facts).status, status);
  });

  it('needs only one fact for each status', () => {
    assert.equal(judgementOf({ archived: true }).status, 'archived');
    assert.equal(judgementOf({ evidence: { excluded: true } }).status, 'excluded');
    assert.equal(judgementOf({ evidence: { unauthorized: true } }).status, 'unauthorized');
    assert.equal(judgementOf({ evidence: { pending: true } }).status, 'review');
    assert.equal(judgementOf({ evidence: { subStatuses: ['Missing image'] } }).status, 'missing');
  });

  it('lists what is known whatever the status', () => {
    const missing: readonly SubStatus[] = ['Missing price', 'Missing category'];
    const document = without('marketplace_browse_node_id');
    for (const [facts, status] of [
      [{}, 'missing'],
      [{ archived: true }, 'archived'],
      [{ evidence: { excluded: true } }, 'excluded'],
      [{ evidence: { unauthorized: true } }, 'unauthorized'],
      [{ evidence: { pending: true } }, 'review'],
    ] as const)
      assert.deepEqual(judgementOf({ document, priced: false, ...facts }), { status, subStatuses: missing });
  });

  it('adds the sub-statuses of the evidence to its own, each once, in the order of the contract', () => {
    const evidence = { subStatuses: ['Incorrect multipack quantity', 'Missing price', 'Missing image'] as const };
    assert.deepEqual(judgementOf({ priced: false, document: { ...GOOD, brand: ' ' }, evidence }), {
      status: 'missing',
      subStatuses: ['Missing price', 'Missing image', 'Missing brand', 'Incorrect multipack quantity'],
    });
    assert.deepEqual(judgementOf({ evidence }).status, 'missing');
  });

  it('is available under no check at all', () => {
    assert.deepEqual(NO_EVIDENCE, { excluded: false, unauthorized: false, pending: false, subStatuses: [] });
  });
});

describe('reasons that the offer itself gives', () => {
  const cases: readonly (readonly [string, Facts, readonly SubStatus[]])[] = [
    ['no price', { priced: false }, ['Missing price']],
    ['a blank title', { document: { ...GOOD, product_title: ' \u200b\u00a0\t ' } }, ['Missing title']],
    ['a blank brand', { document: { ...GOOD, brand: '\u3000' } }, ['Missing brand']],
    ['no category', { document: without('marketplace_browse_node_id') }, ['Missing category']],
    ['a department', { document: { ...GOOD, marketplace_browse_node_id: DEPARTMENT } }, ['Invalid category']],
    ['a retired node', { document: { ...GOOD, marketplace_browse_node_id: RETIRED } }, ['Invalid category']],
    ['a node that is gone', { document: { ...GOOD, marketplace_browse_node_id: 999 } }, ['Invalid category']],
    ['a shoe type', { document: { ...without('marketplace_browse_node_id'), product_type_id: SHOE } }, []],
    [
      'a shoe type beside a department',
      { document: { ...GOOD, product_type_id: SHOE, marketplace_browse_node_id: DEPARTMENT } },
      [],
    ],
    ['an ASIN alone', { document: without('standard_product_codes') }, []],
    [
      'a wrong check digit among right ones',
      {
        document: {
          ...GOOD,
          standard_product_codes: [
            { standard_product_code_type: 'UPC', standard_product_code: '012345678905' },
            { standard_product_code_type: 'EAN', standard_product_code: '4006381333930' },
          ],
        },
      },
      ['Invalid SKU identifier'],
    ],
  ];
  for (const [what, facts, subStatuses] of cases) {
    it(`${what}: ${subStatuses.join(', ') || 'none'}`, () => {
      const status = subStatuses.length === 0 ? 'available' : 'missing';
      assert.deepEqual(judgementOf(facts), { status, subStatuses });
    });
  }
});
