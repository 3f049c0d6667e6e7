/** Tests that an account has one preview at a time, which ends with its connection. test/portal/change-offers.test.ts tests the figures. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate as eventLoopTick } from 'node:timers/promises';
import type { Account } from '../../domain/account.ts';
import { NO_FILTER } from '../../domain/offers/offer-list.ts';
import { accept, refuse } from '../../domain/outcome.ts';
import { requestProblem } from '../../domain/problem.ts';
import { NO_POLICIES } from '../../domain/review/policies.ts';
import { KNOWLEDGE } from '../../domain/review/testing/good-offer.ts';
import { previewOffersChange } from './preview-offers-change.ts';

type Contexts = Parameters<typeof previewOffersChange>[0];

/** Contexts with a list of offers that has no end. */
const CONTEXTS = {
  context: { bodies: { offersChange: () => accept({ change: 'archive' }) } },
  views: {
    rules: {
      taxonomy: { current: { tree: KNOWLEDGE.taxonomy, tag: 'first' } },
      policies: { current: NO_POLICIES },
      imageCheck: 'on',
      newProductData: [],
      code: 'as it is',
    },
    store: {
      offerList: {
        listOffers: async () => {
          await eventLoopTick();
          return { offers: [], next: { key: '', order: 1 } };
        },
      },
    },
  },
} as unknown as Contexts;

function preview(accountId: number) {
  const gone = new AbortController();
  const account = { ...KNOWLEDGE.account, accountId } as Account;
  return { gone, ended: previewOffersChange(CONTEXTS, account, NO_FILTER, { value: {}, problems: [] }, gone.signal) };
}

it('a second preview of the account is refused until the first one ends with its connection', async () => {
  const [first, other] = [preview(1), preview(2)];
  const problem = requestProblem('previews_too_many', 'Another preview is being prepared. Wait for it to finish.');
  assert.deepEqual(await preview(1).ended, refuse([problem]));
  for (const { gone, ended } of [first, other]) {
    gone.abort();
    assert.equal((await ended).ok, true);
  }
  const next = preview(1);
  next.gone.abort();
  assert.equal((await next.ended).ok, true);
});
