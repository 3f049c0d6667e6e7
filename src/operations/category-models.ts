/** Trains the models that guess categories with the products of the catalog: one for each environment, in the background, when it is needed. */
import type { Environment } from '../domain/account.ts';
import { CategoryModel } from '../domain/review/fixes/category-model.ts';
import type { CategoryGuesses, FixClues } from '../domain/review/fixes/fix.ts';
import type { CatalogCode } from '../domain/review/product-code.ts';
import type { TaxonomyTree } from '../domain/taxonomy/tree.ts';
import type { CatalogStore } from '../store/port/catalog.ts';
import type { ReviewRules } from './review-knowledge.ts';

/** A page takes a few milliseconds of the request thread, and other requests are served between two pages. */
const PAGE_PRODUCTS = 500;
const PRODUCTS_MAX = 50_000;
const MODEL_AGE_MS_MAX = 3_600_000;
/** Between a failure and the next try. */
const RETRY_MS = 60_000;

interface Kept {
  readonly tree: TaxonomyTree;
  readonly trainedMs: number;
  readonly guess: FixClues['guessCategory'];
}

interface Sources {
  readonly store: Pick<CatalogStore, 'readProductPage'>;
  readonly rules: Pick<ReviewRules, 'taxonomy'>;
  readonly nowMs: () => number;
  readonly onFailure: (error: unknown) => void;
}

export class CategoryModels implements CategoryGuesses {
  readonly #sources: Sources;
  readonly #kept = new Map<Environment, Kept>();
  /** When the next model may be trained. */
  readonly #nextMs = new Map<Environment, number>();
  readonly #running = new Set<Promise<void>>();
  #isClosed = false;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  /**
   * Never waits. The first call starts to train the model, and so does one after an hour or with another taxonomy. Until the new model is
   * trained, the last one guesses.
   */
  guess(environment: Environment): FixClues['guessCategory'] {
    const { rules, nowMs } = this.#sources;
    const { tree } = rules.taxonomy.current;
    const kept = this.#kept.get(environment);
    const isCurrent = kept?.tree === tree && nowMs() - kept.trainedMs <= MODEL_AGE_MS_MAX;
    if (!isCurrent && !this.#isClosed && nowMs() >= (this.#nextMs.get(environment) ?? 0)) {
      const running = this.#renew(environment, tree).finally(() => this.#running.delete(running));
      this.#running.add(running);
    }
    return kept?.guess;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#running);
  }

  /** Never rejects. */
  async #renew(environment: Environment, tree: TaxonomyTree): Promise<void> {
    const { nowMs, onFailure } = this.#sources;
    this.#nextMs.set(environment, Number.POSITIVE_INFINITY);
    try {
      const model = await this.#train(environment, tree);
      this.#kept.set(environment, { tree, trainedMs: nowMs(), guess: model.guess.bind(model) });
      this.#nextMs.delete(environment);
    } catch (error) {
      this.#nextMs.set(environment, nowMs() + RETRY_MS);
      onFailure(error);
    }
  }

  async #train(environment: Environment, tree: TaxonomyTree): Promise<CategoryModel> {
    const model = new CategoryModel();
    for (const { id, name, isLeaf, active } of tree.nodes) if (isLeaf && active) model.learnName(name, id);
    let after: CatalogCode | '' = '';
    for (let read = 0; read < PRODUCTS_MAX && !this.#isClosed; read += PAGE_PRODUCTS) {
      const page = await this.#sources.store.readProductPage(environment, after, PAGE_PRODUCTS);
      for (const { title, categoryId } of page) if (categoryId !== null) model.learnProduct(title, categoryId);
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE_PRODUCTS) break;
      after = last.code;
    }
    return model;
  }
}
