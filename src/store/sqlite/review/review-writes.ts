/**
 * Writes verdicts, and marks offers that other offers make due. Runs inside a transaction of the writer thread, in
 * slices of a few milliseconds.
 */
import type { OfferReview } from '../../port/review.ts';
import { StatusChanges } from '../../shared/feed/event-rows.ts';
import { countValues, issueBits, MOVE_COUNTS, OfferCountChanges } from '../../shared/offer-counts.ts';
import { type Connection, query } from '../engine/engine.ts';
import { runStatement } from '../engine/sql.ts';
import type { EventWrites } from '../history/event-writes.ts';
import { listingWrites } from '../offer-list/listing-writes.ts';
import type { ReviewMarks } from './review-marks.ts';

/** Maximum number of offers per command. With 600 bytes of evidence each, a command takes a few milliseconds. */
export const SLICE_OFFERS_MAX = 200;

/** Verdicts take longer than marks, because their words are indexed. */
export const SLICE_REVIEWS_MAX = 50;

export function reviewWrites(connection: Connection, marks: ReviewMarks, events: Pick<EventWrites, 'add'>) {
  const findSku = query<[id: number]>(connection, 'SELECT id FROM sku WHERE account_id = ? AND sku_id = ?');
  const putListing = listingWrites(connection);
  const readMark = query<[mark: number]>(connection, 'SELECT mark FROM review_due WHERE sku = ?');
  const insertReview = query(
    connection,
    `INSERT INTO review (sku, account_id, status, sub_statuses, rules, reviewed_ms, shoe_key, evidence)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
       status = excluded.status, sub_statuses = excluded.sub_statuses, rules = excluded.rules,
       reviewed_ms = excluded.reviewed_ms, shoe_key = excluded.shoe_key, evidence = excluded.evidence`,
  );
  const removeMark = query(connection, 'DELETE FROM review_due WHERE sku = ?');

  function storeReviews(accountId: number, reviews: ReturnType<typeof reviewColumns>, nowMs: number): void {
    const { skuIds, marks, evidence, statuses, subStatuses, rules, shoeKeys } = reviews;
    const counts = new OfferCountChanges();
    const changed = new StatusChanges();
    for (const [place, skuId] of skuIds.entries()) {
      const sku = findSku.get(accountId, skuId)?.[0];
      const mark = sku === undefined ? undefined : readMark.get(sku)?.[0];
      const reviewedMark = marks[place] as number;
      if (sku === undefined || mark === undefined || mark < reviewedMark) continue;
      insertReview.run(
        sku,
        accountId,
        statuses[place] as string,
        subStatuses[place] as string,
        rules[place] as string,
        nowMs,
        shoeKeys[place] as string | null,
        evidence[place] as string,
      );
      const verdict = { status: statuses[place] as string, subStatusBits: reviews.subStatusBits[place] as number };
      const row = [
        verdict.status,
        verdict.subStatusBits,
        reviews.categoryIds[place] as string | null,
        reviews.titleKeys[place] as string,
        reviews.words[place] as string,
      ] as const;
      const before = putListing(accountId, sku, row, counts);
      changed.add(sku, before, verdict);
      if (mark === reviewedMark) removeMark.run(sku);
    }
    runStatement(connection, MOVE_COUNTS, countValues(accountId, counts.list()));
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

/** Converts reviews to lists by field: cloning lists between threads costs less than cloning objects. */
export function reviewColumns(reviews: readonly OfferReview[]) {
  return {
    skuIds: reviews.map(({ skuId }) => skuId),
    marks: reviews.map(({ mark }) => mark),
    evidence: reviews.map(({ evidence }) => evidence),
    statuses: reviews.map(({ status }) => status),
    subStatuses: reviews.map(({ subStatuses }) => JSON.stringify(subStatuses)),
    rules: reviews.map(({ rules }) => rules),
    shoeKeys: reviews.map(({ shoeKey }) => shoeKey),
    subStatusBits: reviews.map(issueBits),
    categoryIds: reviews.map(({ listing }) => listing.categoryId),
    titleKeys: reviews.map(({ listing }) => listing.titleKey),
    words: reviews.map(({ listing }) => listing.words.map((word) => ` ${word}`).join('')),
  };
}

/** Splits a long list, so that single calls can run in between. */
export function* slicesOf<T>(list: readonly T[], items_max = SLICE_OFFERS_MAX): Generator<readonly T[]> {
  for (let start = 0; start < list.length; start += items_max) yield list.slice(start, start + items_max);
}
