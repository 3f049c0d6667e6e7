/** Port of the operator's taxonomy. */

export interface TaxonomyHead {
  /** Tells it from every other taxonomy. */
  readonly tag: string;
  /** Where it came from, for people. */
  readonly source: string;
  readonly nodes: number;
  readonly importedMs: number;
}

export interface StoredTaxonomy extends TaxonomyHead {
  /** Lines of domain/taxonomy/entries.ts, parents before their children, in parts of which each is read at once. */
  readonly parts: readonly string[];
}

/** It comes, goes and is replaced as a whole. Each change moves the set-up version. */
export interface TaxonomyStore {
  /** Undefined while there is none, and the starter taxonomy is in force. */
  readTaxonomyHead(): Promise<TaxonomyHead | undefined>;
  readTaxonomy(): Promise<StoredTaxonomy | undefined>;
  /** Replaces the one that there is. */
  putTaxonomy(taxonomy: StoredTaxonomy): Promise<void>;
  /** `unset`: there was none. */
  dropTaxonomy(): Promise<'stored' | 'unset'>;
}
