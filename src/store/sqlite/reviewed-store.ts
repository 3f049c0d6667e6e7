/**
 * In charge of the part of the store that the review of offers uses: which thread does what. Reads are of the reader thread,
 * findings and marks go in the second lane of the writer thread.
 */
import type { GroupStanding } from '../../domain/variation-group.ts';
import type { DueFigures, DueOffer, OfferReview, OfferReviewStore } from '../port/review.ts';
import { SqliteImageStore } from './image-store.ts';
import { reviewColumns } from './review-columns.ts';
import { SLICE_OFFERS_MAX, SLICE_REVIEWS_MAX } from './review-writes.ts';
import { lengthOfAll, slicesOf } from './slices.ts';

export class SqliteReviewedStore extends SqliteImageStore implements OfferReviewStore {
  readDueOffers(accountId: number, limit: number): Promise<readonly DueOffer[]> {
    return this.scanner.call('readDueOffers', [accountId, limit], 0);
  }

  async storeReviews(accountId: number, reviews: readonly OfferReview[], nowMs: number): Promise<void> {
    for (const slice of slicesOf(reviews, SLICE_REVIEWS_MAX)) {
      const characters = slice.reduce((sum, { skuId, evidence }) => sum + skuId.length + evidence.length, 0);
      await this.writer.callBehind('storeReviews', [accountId, reviewColumns(slice), nowMs], characters);
    }
  }

  async markDue(accountId: number, skuIds: readonly string[]): Promise<void> {
    for (const slice of slicesOf(skuIds)) {
      await this.writer.callBehind('markDue', [accountId, slice], lengthOfAll(slice));
    }
  }

  sweep(accountId: number, limit: number): Promise<'more' | 'done'> {
    return this.writer.callBehind('sweep', [accountId, Math.min(limit, SLICE_OFFERS_MAX)], 0);
  }

  announceForgotten(): Promise<void> {
    return this.writer.callBehind('announceForgotten', [], 0);
  }

  readGroupsOf(accountId: number, memberSkuIds: readonly string[]): Promise<readonly GroupStanding[]> {
    return this.scanner.call('readGroupsOf', [accountId, memberSkuIds], lengthOfAll(memberSkuIds));
  }

  readShoeGroup(accountId: number, shoeKey: string, limit: number): Promise<readonly string[]> {
    return this.scanner.call('readShoeGroup', [accountId, shoeKey, limit], shoeKey.length);
  }

  readReviewFigures(): Promise<DueFigures> {
    return this.scanner.call('readReviewFigures', [], 0);
  }
}
