/** Reads a stored offer into the facts that a review needs. */
import { parseExactJson } from '../domain/int64.ts';
import { type Evidence, NO_EVIDENCE, type OfferFacts, type ReviewedDocument } from '../domain/review/facts.ts';
import { readReviewedDocument } from '../domain/review/reviewed-document.ts';

export interface StoredFacts extends Omit<OfferFacts, 'document'> {
  /** JSON text of the uploaded fields. */
  readonly document: string;
  /** JSON text of the stored evidence; null if there is none yet. */
  readonly evidence: string | null;
}

export function factsOf({ document, archived, priced, stockNodeIds, inGroup }: StoredFacts): OfferFacts {
  return { document: readReviewedDocument(document), archived, priced, stockNodeIds, inGroup };
}

export function evidenceOf({ evidence }: Pick<StoredFacts, 'evidence'>): Evidence {
  return evidence === null ? NO_EVIDENCE : (parseExactJson(evidence) as Evidence);
}

/** The URLs of the offer's images, without duplicates. */
export function imageAddresses({ main_image_url, alternate_images = [] }: ReviewedDocument): readonly string[] {
  if (alternate_images.length === 0) return [main_image_url];
  return [...new Set([main_image_url, ...alternate_images.map(({ image_url }) => image_url)])];
}
