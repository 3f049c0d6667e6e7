/** Composes the review on SQLite: verdicts and marks are written in background slices of the writer thread. */
import type { OfferReviewStore } from '../../port/review.ts';
import { methodsOf, type RunCommand } from '../../shared/aggregates.ts';
import { dueOffersFrom } from '../../shared/review/review.ts';
import { slicesOf } from '../../shared/slices.ts';
import type { ThreadClient } from '../threads/thread-client.ts';
import type { WriterService } from '../threads/writer-service.ts';
import { reviewColumns, SLICE_OFFERS_MAX } from './review-writes.ts';

export function reviewOn(run: RunCommand, writer: ThreadClient<WriterService>): OfferReviewStore {
  const { readDueRows, ...commands } = methodsOf('review', run);
  const slices = writer.methods(['storeReviews', 'markDue', 'announceForgotten', 'indexWords'], 'background');
  return {
    ...commands,
    readDueOffers: dueOffersFrom(readDueRows),
    async storeReviews(accountId, reviews, nowMs) {
      for (const slice of slicesOf(reviews, SLICE_OFFERS_MAX)) {
        await slices.storeReviews(accountId, reviewColumns(slice), nowMs);
      }
    },
    async markDue(accountId, skuIds, size) {
      for (const slice of slicesOf(skuIds, SLICE_OFFERS_MAX)) await slices.markDue(accountId, slice, size);
    },
    sweep: (accountId, limit) => commands.sweep(accountId, Math.min(limit, SLICE_OFFERS_MAX)),
    announceForgotten: slices.announceForgotten,
    indexWords: slices.indexWords,
  };
}
