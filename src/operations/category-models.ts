/** Trains the models that guess categories with the products of the catalog: one for each environment, when it is needed. */
import type { Environment } from '../domain/account.ts';
import { CategoryModel } from '../domain/review/fixes/category-model.ts';
import type { CategoryGuesses } from '../domain/review/fixes/fix.ts';
import type { CatalogCode } from '../domain/review/product-code.ts';
import type { TaxonomyTree } from '../domain/taxonomy/tree.ts';
import type { CatalogStore } from '../store/port/catalog.ts';
import type { ReviewRules } from './review-knowledge.ts';

/** A page takes a few milliseconds of the request thread, and other requests are served between two pages. */
const PAGE_PRODUCTS = 500;
const PRODUCTS_MAX = 50_000;
const MODEL_AGE_MS_MAX = 3_600_000;

interface Kept {
  readonly tree: TaxonomyTree;
  readonly trainedMs: number;
  readonly model: Promise<CategoryModel>;
}

interface Sources {
  readonly store: Pick<CatalogStore, 'readProductPage'>;
  readonly rules: Pick<ReviewRules, 'taxonomy'>;
  readonly nowMs: () => number;
}

export class CategoryModels implements CategoryGuesses {
  readonly #sources: Sources;
  readonly #kept = new Map<Environment, Kept>();

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  /** The first call trains the model, and so does one after an hour or with another taxonomy. A failure is retried by the next call. */
  async guess(environment: Environment) {
    const { rules, nowMs } = this.#sources;
    const { tree } = rules.taxonomy.current;
    let kept = this.#kept.get(environment);
    if (kept === undefined || kept.tree !== tree || nowMs() - kept.trainedMs > MODEL_AGE_MS_MAX) {
      kept = { tree, trainedMs: nowMs(), model: this.#train(environment, tree) };
      this.#kept.set(environment, kept);
    }
    try {
      const model = await kept.model;
      return model.guess.bind(model);
    } catch (error) {
      if (this.#kept.get(environment) === kept) this.#kept.delete(environment);
      throw error;
    }
  }

  async #train(environment: Environment, tree: TaxonomyTree): Promise<CategoryModel> {
    const model = new CategoryModel();
    for (const { id, name, isLeaf, active } of tree.nodes) if (isLeaf && active) model.learnName(name, id);
    let after: CatalogCode | '' = '';
    for (let read = 0; read < PRODUCTS_MAX; read += PAGE_PRODUCTS) {
      const page = await this.#sources.store.readProductPage(environment, after, PAGE_PRODUCTS);
      for (const { title, categoryId } of page) if (categoryId !== null) model.learnProduct(title, categoryId);
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE_PRODUCTS) break;
      after = last.code;
    }
    return model;
  }
}
