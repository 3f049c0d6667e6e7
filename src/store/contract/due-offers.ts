/** Helpers for the contract tests: review due offers, which clears their marks, and take announced work. */

import type { Evidence } from '../../domain/review/facts.ts';
import { type DueOffer, type OfferReview, REVIEW_KIND } from '../port/review.ts';
import type { Store } from '../port.ts';
import { type EmptyDatabase, NOW_MS } from './subject.ts';

const LIMIT = 10_000;
const LEASE_MS = 600_000;

/** Returns evidence that contains the document, so that a test sees which version was reviewed. */
export function evidenceFor(document: string): Evidence {
  return { images: { [document]: { verdict: 'passed' } } };
}

export function reviewOf({ skuId, mark, document }: DueOffer, shoeKey: string | null = null): OfferReview {
  const listing = { titleKey: skuId, categoryId: null, words: [] };
  const found = { evidence: evidenceFor(document), rules: 'a', shoeKey, listing };
  return { skuId, mark, status: 'missing', subStatuses: ['Missing price'], ...found };
}

export async function dueIds(store: Store, accountId: number): Promise<string[]> {
  return (await store.review.readDueOffers(accountId, LIMIT)).map(({ skuId }) => skuId);
}

/** Reviews all due offers and returns their ids. `evidence` overrides the evidence of individual SKUs. */
export async function review(
  store: Store,
  accountId: number,
  evidence: Readonly<Record<string, Evidence>> = {},
): Promise<string[]> {
  const due = await store.review.readDueOffers(accountId, LIMIT);
  await store.review.storeReviews(
    accountId,
    due.map((offer) => {
      const review = reviewOf(offer);
      return { ...review, evidence: evidence[offer.skuId] ?? review.evidence };
    }),
    NOW_MS,
  );
  return due.map(({ skuId }) => skuId);
}

/** After this call, a search finds offers by the words of their last review. */
export async function wordsIndexed(store: Store): Promise<void> {
  while ((await store.review.indexWords()) === 'more');
}

/** Takes and finishes all due work, and returns the ids of its accounts. */
export async function takeAnnounced(store: Store, kind: string = REVIEW_KIND): Promise<number[]> {
  const accountIds: number[] = [];
  for (;;) {
    const lease = await store.work.takeWork(kind, 'a test', LEASE_MS);
    if (lease === undefined) return accountIds;
    accountIds.push(lease.accountId);
    await store.work.finishWork(lease, undefined);
  }
}

/** Waits until work for the account is announced, which may happen a moment after the write. The test's timeout bounds the wait. */
export async function untilAnnounced(store: Store, accountId: number, kind: string = REVIEW_KIND): Promise<void> {
  while (!(await takeAnnounced(store, kind)).includes(accountId)) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Runs `work` in a separate store. Closing that store announces the reviews of all its writes, which are then taken through `after`. */
export async function doneBefore<T>(
  database: EmptyDatabase,
  after: Store,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const store = await database.open();
  const result = await work(store).finally(() => store.close());
  await takeAnnounced(after);
  return result;
}
