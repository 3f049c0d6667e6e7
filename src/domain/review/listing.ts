/** Derives the search and sort keys of an offer for the offer list. */
import { offerWords, titleKey } from '../search-words.ts';
import type { Evidence, Knowledge, OfferFacts } from './facts.ts';
import { Subject } from './subject.ts';

export interface Listing {
  /** The key by which offers are sorted by title. */
  readonly titleKey: string;
  /** As digits; from the catalog when the offer has no category. */
  readonly categoryId: string | null;
  /** Without duplicates: folded letters and digits. */
  readonly words: readonly string[];
}

export function listingOf(skuId: string, facts: OfferFacts, knowledge: Knowledge, evidence: Evidence): Listing {
  const { document } = facts;
  const { category } = new Subject(facts, knowledge, evidence);
  return {
    titleKey: titleKey(document.product_title),
    categoryId: typeof category === 'object' ? String(category.id) : null,
    words: offerWords(skuId, document),
  };
}
