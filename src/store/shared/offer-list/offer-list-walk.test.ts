/** Tests which indexes a page of the list is read by, and what a page is while its list is being sorted. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { LIST_LIMITS, NO_FILTER } from '../../../domain/offers/offer-list.ts';
import type { OfferListRequest } from '../../port/offer-list.ts';
import { type GatherRequest, OfferList, type WalkRequest } from './offer-list-walk.ts';

const REQUEST: OfferListRequest = {
  ...NO_FILTER,
  sort: 'newest',
  after: undefined,
  limit: 50,
  limits: LIST_LIMITS,
};

/** Records the calls to a store that finds nothing and whose walks never end. */
async function asked(request: Partial<OfferListRequest>): Promise<{ walks: WalkRequest[]; gathers: GatherRequest[] }> {
  const [walks, gathers]: [WalkRequest[], GatherRequest[]] = [[], []];
  const list = new OfferList({
    walk: async (_account, walk) => {
      walks.push(walk);
      return { found: [], end: { key: '', order: 1 } };
    },
    gather: async (_account, gather) => {
      gathers.push(gather);
      return 'too_many';
    },
    readRun: () => assert.fail(),
    nameOffers: () => assert.fail(),
    readListed: async () => [],
  });
  await list.list(7, { ...REQUEST, ...request });
  return { walks, gathers };
}

it('walks if all words have one letter, with the limit of a plain walk', async () => {
  const { walks, gathers } = await asked({ words: ['a', 'b', 'c'] });
  assert.deepEqual(gathers, []);
  assert.deepEqual(
    walks.map(({ words, examined_max }) => [words, examined_max]),
    [[['a', 'b', 'c'], LIST_LIMITS.examined_max]],
  );
});

it('gathers by longer words, and by other filters with any words', async () => {
  const byWords = await asked({ words: ['a', 'red'] });
  assert.deepEqual(
    byWords.gathers.map(({ selector, words }) => [selector, words]),
    [['words', ['a', 'red']]],
  );
  assert.deepEqual(
    byWords.walks.map(({ examined_max }) => examined_max),
    [LIST_LIMITS.first_examined_max, LIST_LIMITS.examined_max - LIST_LIMITS.first_examined_max],
  );
  const bySku = await asked({ words: ['a'], status: 'missing', sort: 'sku' });
  assert.deepEqual(
    bySku.gathers.map(({ selector }) => selector),
    ['status'],
  );
});

it('lists nothing while a long list is being sorted, and continues at the same position', async () => {
  const numbers = Float64Array.of(1);
  const isSorted = Promise.withResolvers<void>();
  const list = new OfferList({
    walk: () => assert.fail(),
    gather: () => assert.fail(),
    async readRun(_account, { after }) {
      if (after !== -1) await isSorted.promise;
      return { values: numbers, orders: numbers, end: after === -1 ? 5 : undefined };
    },
    nameOffers: async (_account, orders) => orders.map(String),
    readListed: async () => [],
  });
  const limits = { ...LIST_LIMITS, sort_ms_max: 1 };
  const pageAfter = (after: OfferListRequest['after'], sort: OfferListRequest['sort']) =>
    list.list(7, { ...REQUEST, sort, after, limit: 1, limits });
  const last = { key: String(Number.MAX_SAFE_INTEGER), order: Number.MAX_SAFE_INTEGER };
  for (const [sort, start] of [
    ['price', { key: '-2', order: 0 }],
    ['-price', last],
  ] as const) {
    assert.deepEqual(await pageAfter(undefined, sort), { offers: [], next: start });
    assert.deepEqual(await pageAfter(start, sort), { offers: [], next: start });
    assert.deepEqual(await pageAfter({ key: '0.5', order: 3 }, sort), { offers: [], next: { key: '0.5', order: 3 } });
  }
  isSorted.resolve();
  assert.deepEqual((await pageAfter({ key: '-2', order: 0 }, 'price')).next, { key: '1', order: 1 });
});
