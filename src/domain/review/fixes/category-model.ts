/**
 * Guesses the category of a product from the words that describe it, after learning from titles of products with known categories: a naive
 * Bayes model. Its memory is bounded: once it holds as many pairs of word and category as it may, it learns no new ones.
 */
import type { Int64 } from '../../int64.ts';
import { foldedText, wordsOf } from '../../text/folded-text.ts';

/** About 100 bytes each. */
const PAIRS_MAX = 300_000;
/** Words of titles that are compared. Titles have at most 500 characters. */
const WORDS_MAX = 60;
const SMOOTHING = 0.05;
/** The best category must be this many times as probable as the second. Measured with bench/fixes.ts. */
const ODDS_MIN = Math.log(5);
/** How often a name or everyday word of a category counts, compared with a word of a title. */
const NAME_WEIGHT = 3;

interface Category {
  readonly id: Int64;
  words: number;
  products: number;
  /** Set by `#prepare`: the logarithms of the prior, and of the total of words. */
  prior: number;
  total: number;
}

export class CategoryModel {
  readonly #categories = new Map<Int64, Category>();
  readonly #counts = new Map<string, Map<Category, number>>();
  #pairs = 0;
  #products = 0;
  #isPrepared = false;

  learnProduct(title: string, id: Int64): void {
    const category = this.#category(id);
    category.products += 1;
    this.#products += 1;
    this.#learn(stemsOf(wordsOf(foldedText(title))), category, 1);
  }

  /** Learns what the taxonomy calls the category. */
  learnName(name: string, id: Int64): void {
    this.#learn(stemsOf(wordsOf(foldedText(name))), this.#category(id), NAME_WEIGHT);
  }

  /** Returns the category among these that the words describe; undefined unless it is much more probable than all others. */
  guess(words: readonly string[], among: (id: Int64) => boolean): Int64 | undefined {
    const known = stemsOf(words).flatMap((stem) => this.#counts.get(stem) ?? []);
    if (known.length === 0) return undefined;
    this.#prepare();
    // Most categories have none of the words, so only those that have some are counted.
    const gains = new Map<Category, number>();
    for (const counts of known) {
      for (const [category, count] of counts) {
        gains.set(category, (gains.get(category) ?? 0) + Math.log(count + SMOOTHING) - UNKNOWN);
      }
    }
    let [best, second]: { readonly id: Int64 | undefined; readonly score: number }[] = [NONE, NONE];
    for (const category of this.#categories.values()) {
      const score = category.prior + known.length * (UNKNOWN - category.total) + (gains.get(category) ?? 0);
      if (score <= (second as typeof NONE).score || !among(category.id)) continue;
      if (score > (best as typeof NONE).score) [best, second] = [{ id: category.id, score }, best];
      else second = { id: category.id, score };
    }
    return best !== undefined && best.score - (second?.score ?? 0) >= ODDS_MIN ? best.id : undefined;
  }

  /** Once after it has learned. */
  #prepare(): void {
    if (this.#isPrepared) return;
    for (const category of this.#categories.values()) {
      // Half of the prior: merchants also make mistakes with rare products.
      category.prior = Math.log((category.products + 1) / (this.#products + 1)) / 2;
      category.total = Math.log(category.words + SMOOTHING * this.#counts.size);
    }
    this.#isPrepared = true;
  }

  #category(id: Int64): Category {
    const known = this.#categories.get(id);
    if (known !== undefined) return known;
    const category = { id, words: 0, products: 0, prior: 0, total: 0 };
    this.#categories.set(id, category);
    return category;
  }

  #learn(stems: readonly string[], category: Category, weight: number): void {
    this.#isPrepared = false;
    for (const stem of new Set(stems)) {
      const counts = this.#counts.get(stem) ?? new Map<Category, number>();
      const count = counts.get(category);
      if (count === undefined && this.#pairs >= PAIRS_MAX) continue;
      if (count === undefined) this.#pairs += 1;
      this.#counts.set(stem, counts.set(category, (count ?? 0) + weight));
      category.words += weight;
    }
  }
}

/** The logarithm of the count of a word that a category does not have. */
const UNKNOWN = Math.log(SMOOTHING);
const NONE: { readonly id: Int64 | undefined; readonly score: number } = {
  id: undefined,
  score: Number.NEGATIVE_INFINITY,
};

/** Without numbers, single letters and plurals. */
function stemsOf(words: readonly string[]): readonly string[] {
  const named = words.filter((word) => word.length > 1 && !/\p{N}/u.test(word));
  return named.slice(0, WORDS_MAX).map((word) => (word.length > 3 ? word.replace(/s$/, '') : word));
}
