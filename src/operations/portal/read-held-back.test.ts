/** Tests the sums of what issues hold back, their limit, and that users share a reading. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { SubStatus } from '../../domain/vocabulary/statuses.ts';
import type { OfferListRequest } from '../../store/port/offer-list.ts';
import { readHeldBack, sumHeldBack } from './read-held-back.ts';
import { ACCOUNT, RULES, TAG } from './testing/known-account.ts';
import type { ViewContext } from './view-context.ts';

const OFFERS = [
  { status: 'missing', subStatuses: ['Missing image', 'Missing brand'], price: 2.5, quantity: 4 },
  { status: 'missing', subStatuses: ['Missing price', 'Missing brand'], price: null, quantity: 3 },
  { status: 'excluded', subStatuses: [], price: 10, quantity: 1 },
] as const;

function contextAt(nowMs: () => number) {
  let lists = 0;
  const listOffers = async (_account: number, { status }: OfferListRequest) => {
    lists += 1;
    const offers = OFFERS.filter((offer) => offer.status === status).map(({ price, quantity, ...verdict }) => {
      return { skuId: 'a', price, quantity, verdict: { ...verdict, rules: TAG } };
    });
    return { offers, next: undefined };
  };
  const store = { offerList: { listOffers } };
  const context = { rules: RULES, store, heldBack: new Map(), nowMs } as unknown as ViewContext;
  return { context, lists: () => lists };
}

it('sums units and price times units of each issue and status', async () => {
  const { context } = contextAt(() => 0);
  const { bySubStatus, byStatus, isMore } = await sumHeldBack(context, ACCOUNT);
  const expected: [SubStatus, object][] = [
    ['Missing image', { units: 4, listValue: 10 }],
    ['Missing brand', { units: 7, listValue: 10 }],
    ['Missing price', { units: 3, listValue: 0 }],
  ];
  assert.deepEqual([...bySubStatus], expected);
  assert.deepEqual(byStatus.get('excluded'), { units: 1, listValue: 10 });
  assert.equal(isMore, false);
});

it('says that the figures are lower bounds after a limited number of offers', async () => {
  const { context } = contextAt(() => 0);
  const { byStatus, isMore } = await sumHeldBack(context, ACCOUNT, 2);
  assert.deepEqual([...byStatus.keys(), isMore], ['missing', true]);
});

it('reads once for all users within 30 seconds', async () => {
  let nowMs = 0;
  const { context, lists } = contextAt(() => nowMs);
  const [first, second] = await Promise.all([readHeldBack(context, ACCOUNT), readHeldBack(context, ACCOUNT)]);
  assert.equal(first, second);
  const before = lists();
  nowMs = 30_000;
  await readHeldBack(context, ACCOUNT);
  assert.equal(lists(), 2 * before);
});
