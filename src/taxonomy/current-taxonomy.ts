/** Holds the current taxonomy of a process in memory, and replaces it as a whole when the store has another one. */
import type { Int64 } from '../domain/int64.ts';
import type { TaggedTaxonomy, Taxonomy, TaxonomyNode } from '../domain/taxonomy/tree.ts';
import type { TaxonomyStore } from '../store/port/settings.ts';
import { readCurrentTaxonomy, readStarter } from './read-stored.ts';

export class CurrentTaxonomy implements Taxonomy {
  readonly #store: TaxonomyStore;
  readonly #starterTag: string;
  #current: TaggedTaxonomy;
  #version: number | undefined;
  #following: Promise<void> | undefined;

  /** Holds the starter taxonomy until the first call of `follow`. */
  constructor(store: TaxonomyStore) {
    this.#store = store;
    this.#current = readStarter();
    this.#starterTag = this.#current.tag;
  }

  /** Read it once per response, because it is replaced as a whole when another taxonomy has been read. */
  get current(): TaggedTaxonomy {
    return this.#current;
  }

  node(id: Int64): TaxonomyNode | undefined {
    return this.#current.tree.node(id);
  }

  /**
   * `setupVersion` is the current version of the store. A failure leaves the taxonomy unchanged; the next call retries.
   */
  async follow(setupVersion: number): Promise<void> {
    // One at a time: an older taxonomy that is read slowly must not replace a newer one.
    while (this.#following !== undefined) await this.#following.catch(() => {});
    if (setupVersion === this.#version) return;
    this.#following = this.#followTo(setupVersion);
    try {
      await this.#following;
    } finally {
      this.#following = undefined;
    }
  }

  /** Most settings changes do not concern the taxonomy. Then only the head is read. */
  async #followTo(setupVersion: number): Promise<void> {
    const head = await this.#store.readTaxonomyHead();
    if ((head?.tag ?? this.#starterTag) !== this.#current.tag) {
      this.#current = await readCurrentTaxonomy(this.#store);
    }
    this.#version = setupVersion;
  }
}
