/** In charge of what the list of offers finds an offer by, beside its verdict. */
import { offerWords, titleKey } from '../search-words.ts';
import type { Evidence, Knowledge, OfferFacts } from './facts.ts';
import { Subject } from './subject.ts';

export interface Listing {
  /** By which offers are in order of title. */
  readonly titleKey: string;
  /** Digits; the catalog's where the offer names none. */
  readonly categoryId: string | null;
  /** Each once: letters and digits, folded. */
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
