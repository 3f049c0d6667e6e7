/** Defines the data about an offer that the lookups of a review use. */
import type { Evidence, OfferFacts } from '../domain/review/facts.ts';

export interface OfferInReview {
  readonly skuId: string;
  readonly facts: OfferFacts;
  /** Evidence of the previous review. */
  readonly evidence: Evidence;
}
