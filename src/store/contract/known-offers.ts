/** Creates the offers for tests of the offer list, and stores the expected verdict of each. */

import assert from 'node:assert/strict';
import { STATUSES, type Status, SUB_STATUSES, type SubStatus } from '../../domain/vocabulary/statuses.ts';
import type { OfferReview } from '../port/review.ts';
import type { Store } from '../port.ts';
import { reviewOf, wordsIndexed } from './due-offers.ts';
import { patchInventory, putPrice, putSku, setArchived } from './put-parts.ts';
import { AUTHOR, LATER_MS, NOW_MS } from './subject.ts';

/** An offer with its expected verdict. */
export interface Known {
  readonly skuId: string;
  readonly upload: number;
  readonly titleKey: string;
  readonly categoryId: string | null;
  readonly words: readonly string[];
  readonly status: Status;
  readonly subStatuses: readonly SubStatus[];
  readonly inStock: boolean;
  readonly archived: boolean;
  readonly price: number | null;
  /** When price and stock were set, after the upload. */
  readonly changedMs: number;
  /** Announced changes under which it would fail: the first, the second or both. */
  readonly upcoming: readonly number[];
}

export const OFFERS = 64;
const WORDS = ['red', 'redwood', 'shirt', 'été', '0123', 'ß'];
const CATEGORIES = ['7', '9223372036854775807', null];

/** Derives the properties from the index, so that every combination occurs. */
export function knownOffer(position: number): Known {
  const status = (Object.keys(STATUSES) as Status[])[position % 4] as Status;
  return {
    skuId: `${['b', 'A', 'é', 'a'][position % 4]}-${(position * 37) % OFFERS}`,
    upload: position,
    titleKey: ['same', `title ${(position * 5) % 7}`, '\u{1F600}', '\uffee'][position % 4] as string,
    categoryId: CATEGORIES[position % 3] as string | null,
    words: WORDS.filter((_, word) => (position >> word) % 2 === 0 || word === position % 6),
    status,
    subStatuses: status === 'missing' ? SUB_STATUSES.filter((_, sub) => (position + sub) % 5 === 0) : [],
    inStock: position % 5 < 2,
    archived: position % 7 === 0,
    price: [null, 12.5, 0.1, 100, 12.5][position % 5] as number | null,
    changedMs: NOW_MS + ((position * 11) % 9),
    // The second has more offers than small limits gather.
    upcoming: [11, 3].flatMap((every, change) => (position % every === 1 ? [change] : [])),
  };
}

/** Returns the stock of an offer; 0 if it is out of stock. */
export function stockOf({ upload, inStock }: Known): number {
  return inStock ? 1 + (upload % 11) : 0;
}

export async function upload(store: Store, accountId: number, offer: Known): Promise<void> {
  const { skuId, archived, price, changedMs } = offer;
  const key = { accountId, skuId, by: AUTHOR };
  await putSku(store.offers, key, '{}', NOW_MS);
  const quantities = [
    { fulfillment_node_id: 'empty', quantity: 0 },
    { fulfillment_node_id: 'node', quantity: stockOf(offer) },
  ];
  await patchInventory(store.offers, key, quantities, changedMs);
  if (price !== null) await putPrice(store.offers, key, { price, nodes: [] }, changedMs);
  if (archived) await setArchived(store.offers, key, true, changedMs);
}

/** Reviews all due offers with their expected verdicts. */
export async function reviewAs(store: Store, accountId: number, offers: readonly Known[]): Promise<void> {
  const bySku = new Map(offers.map((offer) => [offer.skuId, offer]));
  const due = await store.review.readDueOffers(accountId, 10_000);
  const reviews = due.map((offer): OfferReview => {
    const { titleKey, categoryId, words, status, subStatuses } = bySku.get(offer.skuId) ?? assert.fail(offer.skuId);
    return { ...reviewOf(offer), status, subStatuses, listing: { titleKey, categoryId, words } };
  });
  // Stores some reviews twice, like a process that has lost its lease without noticing.
  const half = Math.ceil(reviews.length / 2);
  await Promise.all([
    store.review.storeReviews(accountId, reviews.slice(0, half + 3), NOW_MS),
    store.review.storeReviews(accountId, reviews.slice(half), NOW_MS),
  ]);
  await wordsIndexed(store);
}

/** Announces two changes and returns their ids. */
export async function announceTwo({ policies }: Store): Promise<readonly number[]> {
  const note = { atMs: NOW_MS, by: 'ann', act: 'addPolicy', subject: 'Listed', impact: null, enforcedFromMs: LATER_MS };
  for (const brand of ['Listed 1', 'Listed 2']) await policies.addPolicy({ kind: 'excluded_brand', brand }, note);
  const changes = await policies.listAnnouncedChanges(200);
  const own = changes.filter(({ state, subject }) => state === 'announced' && subject === 'Listed');
  return own.map(({ announcedId }) => announcedId);
}

/** Notes under which announced changes the offers would fail, and cancels the changes. */
export async function noteFailing(
  { review, policies }: Store,
  accountId: number,
  offers: readonly Known[],
  announcedIds: readonly number[],
): Promise<void> {
  const noted = offers.map(({ skuId, upcoming }) => {
    return { skuId, announcedIds: upcoming.map((change) => announcedIds[change] ?? 0) };
  });
  await review.noteUpcoming(accountId, noted, NOW_MS);
  for (const id of announcedIds) await policies.cancelAnnouncedChange(id, NOW_MS, 'ann');
}
