/** Defines what the lookups of a review know about an offer. */
import type { Evidence, OfferFacts } from '../domain/review/facts.ts';

export interface OfferInReview {
  readonly skuId: string;
  readonly facts: OfferFacts;
  /** Evidence of the previous review. */
  readonly evidence: Evidence;
}
