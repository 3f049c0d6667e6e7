/** In charge of how reviews travel to the writer thread: by column, since copying lists costs less than as many objects. */
import type { OfferReview } from '../../port/review.ts';
import { subStatusBits } from '../../shared/sub-status-bits.ts';

/** By place. */
export interface ReviewColumns {
  readonly skuIds: readonly string[];
  readonly marks: readonly number[];
  readonly evidence: readonly string[];
  readonly statuses: readonly string[];
  /** JSON text of each list. */
  readonly subStatuses: readonly string[];
  readonly rules: readonly string[];
  readonly shoeKeys: readonly (string | null)[];
  readonly subStatusBits: readonly number[];
  readonly categoryIds: readonly (string | null)[];
  readonly titleKeys: readonly string[];
  /** Of each, with a space in front of every word. */
  readonly words: readonly string[];
}

export function reviewColumns(reviews: readonly OfferReview[]): ReviewColumns {
  return {
    skuIds: reviews.map(({ skuId }) => skuId),
    marks: reviews.map(({ mark }) => mark),
    evidence: reviews.map(({ evidence }) => evidence),
    statuses: reviews.map(({ status }) => status),
    subStatuses: reviews.map(({ subStatuses }) => JSON.stringify(subStatuses)),
    rules: reviews.map(({ rules }) => rules),
    shoeKeys: reviews.map(({ shoeKey }) => shoeKey),
    subStatusBits: reviews.map(({ subStatuses }) => subStatusBits(subStatuses)),
    categoryIds: reviews.map(({ listing }) => listing.categoryId),
    titleKeys: reviews.map(({ listing }) => listing.titleKey),
    words: reviews.map(({ listing }) => listing.words.map((word) => ` ${word}`).join('')),
  };
}
