/**
 * Tests that a row of the list shows the current status of the offer, and is left out if that status was not requested.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NO_FILTER } from '../../domain/offers/offer-list.ts';
import { GOOD_DOCUMENT, GOOD_EVIDENCE, POTS } from '../../domain/review/testing/good-offer.ts';
import type { Status, SubStatus } from '../../domain/vocabulary/statuses.ts';
import { DUE_COUNTED_MAX, type ListedOffer } from '../../store/port/offer-list.ts';
import type { StoredReview } from '../../store/port/offers.ts';
import { countOffers, listOffers } from './list-offers.ts';
import { ACCOUNT, RULES, TAG } from './testing/known-account.ts';
import type { ViewContext } from './view-context.ts';

/** Differs from the verdict of a new review, so that a test can tell the two apart. */
const REVIEWED: StoredReview = { status: 'missing', subStatuses: ['Missing price'], rules: TAG };
const DOCUMENT = JSON.stringify(GOOD_DOCUMENT);
const { marketplace_browse_node_id: _node, ...uncategorized } = GOOD_DOCUMENT;
const NEXT = { key: '', order: 5 };

function listed(skuId: string, verdict: StoredReview | null, change: Partial<ListedOffer> = {}): ListedOffer {
  const row = {
    document: DOCUMENT,
    archived: false,
    price: 1,
    priceNodes: [],
    quantity: 2,
    updatedMs: 3,
    categoryId: null,
  };
  return { skuId, verdict, ...row, ...change };
}

async function list(
  offers: readonly ListedOffer[],
  asked: { readonly status?: Status; readonly subStatus?: SubStatus } = {},
) {
  const stored = { document: DOCUMENT, archived: false, priced: true, stockNodeIds: [], inGroup: false };
  const context = {
    rules: RULES,
    store: {
      offerList: { listOffers: async () => ({ offers, next: NEXT }) },
      offers: {
        readOffer: async ({ skuId }: { skuId: string }) =>
          skuId === 'erased' ? undefined : { ...stored, evidence: GOOD_EVIDENCE },
      },
    },
  } as unknown as ViewContext;
  const any = { words: [], categoryId: undefined, inStock: undefined, archived: undefined, upcoming: undefined };
  const request = { ...any, status: asked.status, subStatus: asked.subStatus };
  const page = await listOffers(context, ACCOUNT, { ...request, sort: 'newest', after: undefined, limit: 50 });
  return page.ok ? page.value : assert.fail(page.problems[0]?.message);
}

const statuses = async (...args: Parameters<typeof list>) =>
  (await list(...args)).offers.map(({ skuId, verdict }) => [skuId, verdict.status]);

describe('list of offers', () => {
  const other = { ...REVIEWED, rules: 'other' };

  it('shows verdicts stored under the current rules, and reviews offers that are due or were reviewed under other rules', async () => {
    assert.deepEqual(await statuses([listed('same', REVIEWED), listed('due', null), listed('older', other)]), [
      ['same', 'missing'],
      ['due', 'available'],
      ['older', 'available'],
    ]);
  });

  it('skips offers whose current status or sub-status does not match, and continues after them', async () => {
    const offers = [listed('same', REVIEWED), listed('due', null)];
    assert.deepEqual(await statuses(offers, { status: 'missing' }), [['same', 'missing']]);
    assert.deepEqual(await statuses(offers, { subStatus: 'Missing price' }), [['same', 'missing']]);
    assert.deepEqual(await statuses(offers, { status: 'available' }), [['due', 'available']]);
    assert.equal((await list([listed('due', null)], { status: 'missing' })).next, NEXT);
  });

  it('leaves out offers that were erased after they were found', async () => {
    assert.deepEqual(await statuses([listed('erased', null), listed('due', null)]), [['due', 'available']]);
  });

  it('shows the category that the offer names, or the one of its last verdict, by name if the taxonomy has it', async () => {
    const document = JSON.stringify(uncategorized);
    const { offers } = await list([
      listed('named', REVIEWED, { categoryId: '200' }),
      listed('catalog', REVIEWED, { document, categoryId: '200' }),
      listed('gone', REVIEWED, { document, categoryId: '9223372036854775807' }),
      listed('none', REVIEWED, { document }),
    ]);
    assert.deepEqual(
      offers.map(({ category }) => category),
      [{ id: POTS, name: 'Pots' }, { id: 200, name: 'Clothing' }, { id: 9_223_372_036_854_775_807n, name: null }, null],
    );
  });
});

it('a list that is too long to sort is refused with advice', async () => {
  const offerList = { listOffers: async () => ({ offers: [], next: undefined, isTooMany: true }) };
  const context = { rules: RULES, store: { offerList } } as unknown as ViewContext;
  const page = await listOffers(context, ACCOUNT, { ...NO_FILTER, sort: 'price', after: undefined, limit: 50 });
  assert.ok(!page.ok);
  assert.deepEqual(
    page.problems.map(({ code, message }) => [code, message]),
    [
      [
        'sort_too_many',
        'Too many offers to sort this way (2,000,000 or more). Filter by status or category, or choose another order.',
      ],
    ],
  );
});

it('stored counts are used for all offers, a status or a sub-status; anything else is counted', async () => {
  const counts = {
    byStatus: new Map([['missing', 3] as const, ['archived', 4] as const]),
    bySubStatus: new Map([['Missing price', 2] as const]),
    due: 7,
    unreviewed: 5,
  };
  const counted = { offers: 1, isMore: true };
  const count = (filter: object, due = counts.due) => {
    const offerList = { readOfferCounts: async () => ({ ...counts, due }), countOffers: async () => counted };
    const context = { store: { offerList } } as unknown as ViewContext;
    return countOffers(context, ACCOUNT, { ...NO_FILTER, ...filter });
  };
  assert.deepEqual(await count({}), { offers: 12, isMore: false });
  assert.deepEqual(await count({}, DUE_COUNTED_MAX), { offers: 12, isMore: true });
  assert.deepEqual(await count({ status: 'archived' }), { offers: 4, isMore: false });
  assert.deepEqual(await count({ status: 'excluded' }), { offers: 0, isMore: false });
  assert.deepEqual(await count({ subStatus: 'Missing price' }), { offers: 2, isMore: false });
  const others = { words: ['a'], categoryId: '1', inStock: true, archived: false };
  for (const [name, value] of Object.entries(others)) assert.equal(await count({ [name]: value }), counted, name);
  assert.equal(await count({ status: 'missing', subStatus: 'Missing price' }), counted);
});
