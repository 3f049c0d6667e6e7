/**
 * The review on PostgreSQL, and its sweeps (see shared/review-sweeps.ts), which mark offers slice by slice in the background. The
 * sweep's row is locked meanwhile, so that a change of settings comes before a slice or after it.
 */
import { type OfferReviewStore, REVIEW_KIND } from '../../port/review.ts';
import { announceForgottenNews } from '../../shared/catalog/announcements.ts';
import { announceForgottenFilesAndReports } from '../../shared/files/unfinished.ts';
import { boundTo } from '../../shared/methods.ts';
import { announceWork } from '../../shared/work.ts';
import { type Database, statement } from '../engine/engine.ts';
import { TableStatistics } from '../engine/table-statistics.ts';
import { drawNumber } from '../engine/write-numbers.ts';
import {
  announceForgotten,
  markDue,
  readDueOffers,
  readGroupsOf,
  readReviewFigures,
  readShoeGroup,
  storeReviews,
} from './offer-reviews.ts';
import { assigned, markedLast } from './review-marks.ts';

const HOLD = statement<[cursor: number]>(
  'hold sweep',
  'SELECT cursor FROM review_sweep WHERE account_id = $1 FOR UPDATE',
);
/** Returns no row if fewer are left. */
const SLICE_END = statement<[uploadOrder: number]>(
  'find end of sweep slice',
  `SELECT upload_order FROM offer WHERE account_id = $1 AND upload_order > $2
   ORDER BY upload_order OFFSET $3::bigint LIMIT 1`,
);
const MARK = statement<[]>(
  'mark sweep slice',
  `UPDATE offer SET ${assigned(markedLast('$2', '$3'))}
   WHERE account_id = $1 AND upload_order > $4 AND upload_order <= $5`,
);
const ADVANCE = statement<[]>('advance sweep', 'UPDATE review_sweep SET cursor = $2 WHERE account_id = $1');
const END = statement<[]>('end sweep', 'DELETE FROM review_sweep WHERE account_id = $1');

function sweep(database: Database, accountId: number, limit: number): Promise<'more' | 'done'> {
  return database.inTransaction(async (connection) => {
    const [held] = await connection.run(HOLD, [accountId]);
    if (held === undefined) return 'done';
    const [cursor] = held;
    const [end] = await connection.run(SLICE_END, [accountId, cursor, limit - 1]);
    const number = await drawNumber(connection);
    await connection.run(MARK, [accountId, number, Date.now(), cursor, end?.[0] ?? Number.MAX_SAFE_INTEGER]);
    await announceWork(connection, REVIEW_KIND, accountId, 0);
    if (end !== undefined) {
      await connection.run(ADVANCE, [accountId, end[0]]);
      return 'more';
    }
    await connection.run(END, [accountId]);
    return 'done';
  });
}

export function reviewOn(database: Database): OfferReviewStore {
  const listings = new TableStatistics(database, 'offer_listing');
  return {
    ...boundTo(database, { readDueOffers, markDue, sweep, readGroupsOf, readShoeGroup, readReviewFigures }),
    async storeReviews(accountId, reviews, nowMs) {
      await storeReviews(database, accountId, reviews, nowMs);
      listings.addWritten(reviews.length);
    },
    async announceForgotten() {
      await announceForgotten(database);
      await announceForgottenNews(database);
      await announceForgottenFilesAndReports(database);
    },
  };
}
