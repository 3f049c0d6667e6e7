/** Holds the offer under review, and caches what several checks derive from it. */
import { type KnownProduct, knownProducts } from './catalog.ts';
import { type Category, categoryOf, type NamedCategory } from './category.ts';
import type { Evidence, Knowledge, OfferFacts, ReviewedDocument, ReviewKnowledge } from './facts.ts';
import { type CatalogCode, catalogCodes } from './product-code.ts';
import { isShoeCategory } from './shoe-group.ts';

const NO_PRODUCTS: readonly KnownProduct[] = Object.freeze([]);

export class Subject<K extends Knowledge = Knowledge> {
  readonly facts: OfferFacts;
  readonly document: ReviewedDocument;
  readonly knowledge: K;
  readonly evidence: Evidence;
  #codes: readonly CatalogCode[] | undefined;
  #products: readonly KnownProduct[] | 'pending' | undefined;
  #category: Category | undefined;

  constructor(facts: OfferFacts, knowledge: K, evidence: Evidence) {
    this.facts = facts;
    this.document = facts.document;
    this.knowledge = knowledge;
    this.evidence = evidence;
  }

  isReviewed(): this is Subject<ReviewKnowledge> {
    return this.knowledge.review === 'on';
  }

  /** The valid codes. */
  get codes(): readonly CatalogCode[] {
    this.#codes ??= catalogCodes(this.document);
    return this.#codes;
  }

  /** The catalog's products for the codes; empty when the review is off. */
  get products(): readonly KnownProduct[] | 'pending' {
    this.#products ??= this.isReviewed() ? knownProducts(this.codes, this.evidence.catalog) : NO_PRODUCTS;
    return this.#products;
  }

  get category(): Category {
    // An offer with its own category needs no catalog lookup.
    const { product_type_id, marketplace_browse_node_id } = this.document;
    const hasOwn = product_type_id !== undefined || marketplace_browse_node_id !== undefined;
    this.#category ??= categoryOf(this.document, hasOwn ? NO_PRODUCTS : this.products, this.knowledge.taxonomy);
    return this.#category;
  }

  /** The category if offers can be listed in it; otherwise the reason why checks that need a category cannot run. */
  get usableCategory(): NamedCategory | 'pending' | 'unusable' {
    const { category } = this;
    if (category === 'pending') return 'pending';
    return category === 'none' || !category.isValid ? 'unusable' : category;
  }

  isShoe(): boolean {
    const { category } = this;
    return typeof category === 'object' && isShoeCategory(category.id);
  }
}
