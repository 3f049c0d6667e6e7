/**
 * Writes verdicts, and marks offers that other offers make due. Runs inside a transaction of the writer thread, in
 * slices of a few milliseconds.
 */
import { StatusChanges } from '../../../domain/events.ts';
import { issueBits, OfferCountChanges } from '../../../domain/offers/verdict-counts.ts';
import type { OfferReview } from '../../port/review.ts';
import { countValues, MOVE_COUNTS } from '../../shared/offer-list/offer-counts.ts';
import { listsOf } from '../../shared/sql.ts';
import type { Connection } from '../engine/connection.ts';
import type { EventWrites } from '../history/event-writes.ts';
import { type ListingColumns, listingWrites } from '../offer-list/listing-writes.ts';
import type { ReviewMarks } from './review-marks.ts';

/** Maximum number of offers per command. With 600 bytes of evidence each, a command takes a few milliseconds. */
export const SLICE_OFFERS_MAX = 200;

/** Maximum number of verdicts per command. They take longer than marks, because their words are indexed. */
export const SLICE_REVIEWS_MAX = 50;

export function reviewWrites(connection: Connection, marks: ReviewMarks, events: Pick<EventWrites, 'add'>) {
  const findSku = connection.query<[id: number]>('SELECT id FROM sku WHERE account_id = ? AND sku_id = ?');
  const putListing = listingWrites(connection);
  const readMark = connection.query<[mark: number]>('SELECT mark FROM review_due WHERE sku = ?');
  const insertReview = connection.query(`
    INSERT INTO review (sku, account_id, status, sub_statuses, rules, reviewed_ms, shoe_key, evidence)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
      status = excluded.status, sub_statuses = excluded.sub_statuses, rules = excluded.rules,
      reviewed_ms = excluded.reviewed_ms, shoe_key = excluded.shoe_key, evidence = excluded.evidence`);
  const removeMark = connection.query('DELETE FROM review_due WHERE sku = ?');

  function storeReviews(accountId: number, reviews: ReturnType<typeof reviewColumns>, nowMs: number): void {
    const counts = new OfferCountChanges();
    const changed = new StatusChanges();
    for (const place of reviews[0]?.keys() ?? []) {
      const row = reviews.map((column) => column[place]) as readonly unknown[] as ReviewRow;
      const [skuId, reviewedMark, subStatuses, rules, shoeKey, evidence, ...listing] = row;
      const sku = findSku.get(accountId, skuId)?.[0];
      const mark = sku === undefined ? undefined : readMark.get(sku)?.[0];
      if (sku === undefined || mark === undefined || mark < reviewedMark) continue;
      const [status, subStatusBits] = listing;
      insertReview.run(sku, accountId, status, subStatuses, rules, nowMs, shoeKey, evidence);
      changed.add(sku, putListing(accountId, sku, listing, counts), { status, subStatusBits });
      if (mark === reviewedMark) removeMark.run(sku);
    }
    connection.run(MOVE_COUNTS, countValues(accountId, counts.list()));
    for (const { type, detail, offers } of changed.batches(nowMs)) {
      for (const sku of offers) events.add(accountId, type, detail, nowMs, sku);
    }
  }

  function markDue(accountId: number, skuIds: readonly string[]): void {
    const found = skuIds.flatMap((skuId) => findSku.get(accountId, skuId) ?? []);
    marks.mark(accountId, found);
  }

  return { storeReviews, markDue };
}

type ReviewRow = readonly [
  skuId: string,
  mark: number,
  subStatuses: string,
  rules: string,
  shoeKey: string | null,
  evidence: string,
  ...listing: ListingColumns,
];

/** Converts reviews to a list for each column of `ReviewRow`: cloning lists between threads costs less than cloning objects. */
export function reviewColumns(reviews: readonly OfferReview[]): unknown[][] {
  const rows = reviews.map((review) => ({
    ...review,
    ...review.listing,
    subStatuses: JSON.stringify(review.subStatuses),
    subStatusBits: issueBits(review),
    words: review.listing.words.map((word) => ` ${word}`).join(''),
  }));
  const ofReview = listsOf(rows, 'skuId', 'mark', 'subStatuses', 'rules', 'shoeKey', 'evidence');
  return [...ofReview, ...listsOf(rows, 'status', 'subStatusBits', 'categoryId', 'titleKey', 'words')];
}
