/** The review on PostgreSQL: stores verdicts, and marks offers as due. */
import { stringifyExactJson } from '../../../domain/int64.ts';
import { type OfferReviewStore, REVIEW_KIND } from '../../port/review.ts';
import { methodsOf, type RunCommand } from '../../shared/aggregates.ts';
import { CURRENT_MARK, dueOffersFrom } from '../../shared/review/review.ts';
import { announceForgotten } from '../../shared/review/review-reads.ts';
import { slicesOf } from '../../shared/slices.ts';
import { listsOf } from '../../shared/sql.ts';
import { announceWork } from '../../shared/work.ts';
import { type Database, statement } from '../engine/engine.ts';
import { TableStatistics } from '../engine/table-statistics.ts';
import { DRAW_NUMBER, drawNumber } from '../engine/write-numbers.ts';
import { listingCommands, oldListingsCommand } from '../offer-list/listing-writes.ts';
import { assigned, assignedUnless, markedLast, UNMARKED } from './review-marks.ts';

/** A slice takes about 10 ms, for which writes to these offers wait. */
const SLICE_OFFERS = 200;

/**
 * A mark may be lower than the one before it, because processes may commit in another order than they draw numbers. An offer with
 * a lower mark than the reviewed one was written later, and stays due. The comparison uses CURRENT_MARK, which keeps the planner
 * from the long index of due offers.
 */
const STORE = statement<[skuId: string, uploadOrder: number]>('store reviews')`
  UPDATE offer SET review_evidence = i.evidence, review_status = i.status, review_sub_statuses = i.sub_statuses,
    shoe_key = i.shoe_key, review_rules = i.rules,
    ${assignedUnless(`${CURRENT_MARK} <> i.mark`, UNMARKED)}
  FROM unnest($2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
    AS i (sku_id, mark, evidence, status, sub_statuses, shoe_key, rules)
  WHERE offer.account_id = $1 AND offer.sku_id = i.sku_id AND ${CURRENT_MARK} >= i.mark
  RETURNING offer.sku_id, offer.upload_order`;
const MARK = statement<[skuId: string]>('mark offers due')`
  UPDATE offer SET ${assigned(markedLast('$2::bigint', '$3::bigint'))}
  FROM unnest($4::text[]) AS i (sku_id)
  WHERE offer.account_id = $1 AND offer.sku_id = i.sku_id RETURNING offer.sku_id`;

export function reviewOn(run: RunCommand, database: Database): OfferReviewStore {
  const { readDueRows, ...methods } = methodsOf('review', run);
  const listings = new TableStatistics(database, 'offer_listing');
  return {
    ...methods,
    readDueOffers: dueOffersFrom(readDueRows),
    announceForgotten: () => announceForgotten(database),
    /** Listings are indexed in their own commit. */
    indexWords: async () => 'done',

    /** Writes the listing in the same commit, so that the offer list agrees with the status. */
    async storeReviews(accountId, reviews, nowMs) {
      // Sorted by SKU, which prevents deadlocks.
      const sorted = reviews.toSorted((one, other) => (one.skuId < other.skuId ? -1 : 1));
      for (const slice of slicesOf(sorted, SLICE_OFFERS)) {
        const stored = slice.map((review) => ({
          ...review,
          subStatuses: JSON.stringify(review.subStatuses),
          evidence: stringifyExactJson(review.evidence),
        }));
        const lists = listsOf(stored, 'skuId', 'mark', 'evidence', 'status', 'subStatuses', 'shoeKey', 'rules');
        const storing = { statement: STORE, values: [accountId, ...lists] };
        // The number is drawn while the offers are locked.
        const first = [storing, oldListingsCommand(accountId, slice), DRAW_NUMBER];
        await database.runInRounds(first, [(found) => listingCommands(accountId, slice, found, nowMs)]);
      }
      listings.addWritten(reviews.length);
    },

    async markDue(accountId, skuIds, size) {
      for (const slice of slicesOf(skuIds.toSorted(), SLICE_OFFERS)) {
        const marked = await database.run(MARK, [accountId, await drawNumber(database), Date.now(), slice]);
        if (marked.length > 0) await announceWork(database, REVIEW_KIND, accountId, 0, size);
      }
    },
  };
}
