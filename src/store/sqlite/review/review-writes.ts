/**
 * Writes verdicts, and marks offers as due when a change to another offer affects them. Runs inside a transaction of the writer thread, in
 * slices of a few milliseconds.
 */
import { StatusChanges } from '../../../domain/events.ts';
import { stringifyExactJson } from '../../../domain/int64.ts';
import { issueBits, OfferCountChanges } from '../../../domain/offers/verdict-counts.ts';
import type { OfferReview } from '../../port/review.ts';
import type { WorkSize } from '../../port/work.ts';
import { countValues, MOVE_COUNTS } from '../../shared/offer-list/offer-counts.ts';
import { listsOf } from '../../shared/sql.ts';
import type { Connection } from '../engine/connection.ts';
import type { EventWrites } from '../history/event-writes.ts';
import { type ListingColumns, listingWrites } from '../offer-list/listing-writes.ts';
import { wordIndex } from '../offer-list/word-index.ts';
import type { ReviewMarks } from './review-marks.ts';

/** Maximum number of offers per command. With 600 bytes of evidence each, a command takes a few milliseconds. */
export const SLICE_OFFERS_MAX = 200;

export function reviewWrites(connection: Connection, marks: ReviewMarks, events: Pick<EventWrites, 'add'>) {
  const findSku = connection.query<[id: number]>('SELECT id FROM sku WHERE account_id = ? AND sku_id = ?');
  const words = wordIndex(connection);
  const putListing = listingWrites(connection, words);
  const readMark = connection.query<[mark: number]>('SELECT mark FROM review_due WHERE sku = ?');
  const selectReview = connection.query<ReviewColumns>(`
    SELECT status, sub_statuses, rules, shoe_key, evidence FROM review WHERE sku = ?`);
  const insertReview = connection.query(`
    INSERT INTO review (sku, account_id, status, sub_statuses, rules, shoe_key, evidence)
    VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
      status = excluded.status, sub_statuses = excluded.sub_statuses, rules = excluded.rules,
      shoe_key = excluded.shoe_key, evidence = excluded.evidence`);
  const removeMark = connection.query('DELETE FROM review_due WHERE sku = ?');

  function storeReviews(accountId: number, reviews: ReturnType<typeof reviewColumns>, nowMs: number): void {
    const counts = new OfferCountChanges();
    const changed = new StatusChanges();
    for (const index of reviews[0]?.keys() ?? []) {
      const row = reviews.map((column) => column[index]) as readonly unknown[] as ReviewRow;
      const [skuId, reviewedMark, subStatuses, rules, shoeKey, evidence, ...listing] = row;
      const sku = findSku.get(accountId, skuId)?.[0];
      const mark = sku === undefined ? undefined : readMark.get(sku)?.[0];
      if (sku === undefined || mark === undefined || mark < reviewedMark) continue;
      const [status, subStatusBits, categoryId] = listing;
      const review: ReviewColumns = [status, subStatuses, rules, shoeKey, evidence];
      const old = selectReview.get(sku);
      // Most changes to a document do not change its review, and the row of a review is long.
      if (review.some((value, column) => value !== old?.[column])) insertReview.run(sku, accountId, ...review);
      changed.add(sku, putListing(accountId, sku, listing, counts), { status, subStatusBits, categoryId });
      if (mark === reviewedMark) removeMark.run(sku);
    }
    const moved = counts.list();
    if (moved.length > 0) connection.run(MOVE_COUNTS, countValues(accountId, moved));
    for (const { type, detail, offers } of changed.batches(nowMs)) {
      for (const sku of offers) events.add(accountId, type, detail, nowMs, sku);
    }
  }

  function markDue(accountId: number, skuIds: readonly string[], size?: WorkSize): void {
    const found = skuIds.flatMap((skuId) => findSku.get(accountId, skuId) ?? []);
    marks.mark(accountId, found, size);
  }

  /** Merging the index frees pages, whose words SQLite overwrites only with this setting. */
  function indexWords(): 'more' | 'done' {
    connection.exec('PRAGMA secure_delete = ON');
    try {
      return words.indexWords();
    } finally {
      connection.exec('PRAGMA secure_delete = FAST');
    }
  }

  return { storeReviews, markDue, indexWords };
}

type ReviewColumns = readonly [
  status: string,
  subStatuses: string,
  rules: string,
  shoeKey: string | null,
  evidence: string,
];

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
    evidence: stringifyExactJson(review.evidence),
    words: review.listing.words.map((word) => ` ${word}`).join(''),
  }));
  const ofReview = listsOf(rows, 'skuId', 'mark', 'subStatuses', 'rules', 'shoeKey', 'evidence');
  return [...ofReview, ...listsOf(rows, 'status', 'subStatusBits', 'categoryId', 'titleKey', 'words')];
}
