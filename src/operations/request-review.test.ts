/** Tests that a re-check fetches the images again, at most every 10 seconds, before the offer is reviewed. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Account } from '../domain/account.ts';
import { GOOD_DOCUMENT, MAIN_IMAGE } from '../domain/review/testing/good-offer.ts';
import type { Context } from './context.ts';
import { requestReview } from './request-review.ts';

function contextOf(imageCheck: 'on' | 'off', calls: unknown[]): Context {
  const offer = { document: JSON.stringify(GOOD_DOCUMENT), archived: false, stockNodeIds: [], evidence: {} };
  const store = {
    offers: { readOffer: () => offer },
    images: { wantImages: async (...args: unknown[]) => void calls.push(['want', ...args]) },
    review: { markDue: async (...args: unknown[]) => void calls.push(['mark', ...args]) },
  };
  return { store, rules: { imageCheck }, onOfferWritten: () => calls.push('wake') } as unknown as Context;
}

it('requests the images 10 seconds apart, then marks the offer', async () => {
  const calls: unknown[] = [];
  assert.ok((await requestReview(contextOf('on', calls), { accountId: 7 } as Account, 'pot')).ok);
  const wants = [{ accountId: 7, skuId: 'pot', address: MAIN_IMAGE }];
  assert.deepEqual(calls, [['want', wants, 10_000], ['mark', 7, ['pot']], 'wake']);
});

it('requests no images when image checks are off', async () => {
  const calls: unknown[] = [];
  assert.ok((await requestReview(contextOf('off', calls), { accountId: 7 } as Account, 'pot')).ok);
  assert.deepEqual(calls, [['mark', 7, ['pot']], 'wake']);
});
