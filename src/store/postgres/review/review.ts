/** The review on PostgreSQL. */
import type { OfferReviewStore } from '../../port/review.ts';
import { announceForgottenNews } from '../../shared/catalog/announcements.ts';
import { announceForgottenFilesAndReports } from '../../shared/files/unfinished.ts';
import { boundTo } from '../../shared/methods.ts';
import type { Database } from '../engine/engine.ts';
import { TableStatistics } from '../engine/table-statistics.ts';
import { readGroupsOf } from './group-standings.ts';
import {
  announceForgotten,
  markDue,
  readDueOffers,
  readReviewFigures,
  readShoeGroup,
  storeReviews,
} from './offer-reviews.ts';
import { sweep } from './review-sweeps.ts';

export function reviewOn(database: Database): OfferReviewStore {
  const listings = new TableStatistics(database, 'offer_listing');
  return {
    ...boundTo(database, { readDueOffers, markDue, sweep, readGroupsOf, readShoeGroup, readReviewFigures }),
    async storeReviews(accountId, reviews, nowMs) {
      await storeReviews(database, accountId, reviews, nowMs);
      listings.noteUploads(reviews.length);
    },
    async announceForgotten() {
      await announceForgotten(database);
      await announceForgottenNews(database);
      await announceForgottenFilesAndReports(database);
    },
  };
}
