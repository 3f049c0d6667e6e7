/** Derives the search and sort keys of an offer for the offer list. */
import { offerWords, titleKey } from '../text/search-words.ts';
import type { Evidence, Knowledge, OfferFacts } from './facts.ts';
import { Subject } from './subject.ts';

export interface Listing {
  /** The key by which offers are sorted by title. */
  readonly titleKey: string;
  /** The category as digits; from the catalog if the offer has none. */
  readonly categoryId: string | null;
  /** Words of folded letters and digits, without duplicates. */
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
