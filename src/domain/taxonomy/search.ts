/**
 * Finds nodes by words, ignoring letter case and accents. Singular and plural match, and so does the start of a word.
 * Every word must match the node's name, one of its everyday words, or those of an ancestor.
 */
import { foldedText, wordsOf } from '../text/folded-text.ts';

/** The score of one word: a whole word beats its start, the node's own name beats an ancestor's. */
const WHOLE_WORD = 4;
const BEGINNING = 3;
/** The score of an everyday word of a node, as a whole and its start. A name beats it. */
const EVERYDAY_WORD = 3;
const EVERYDAY_BEGINNING = 1;
const WHOLE_WORD_ABOVE = 2;
const BEGINNING_ABOVE = 1;
/** Maps the score of a parent to the score that its children get from it. */
const FIT_BELOW: readonly number[] = Object.freeze([
  0,
  BEGINNING_ABOVE,
  WHOLE_WORD_ABOVE,
  BEGINNING_ABOVE,
  WHOLE_WORD_ABOVE,
]);

/** Maps the score of a word in a name to its score among everyday words. */
const EVERYDAY_FIT: readonly number[] = Object.freeze([0, 0, 0, EVERYDAY_BEGINNING, EVERYDAY_WORD]);

/** Among equal matches, the name with the fewest words wins. Nine words cost less than any better match. */
const NAME_WORD_COST = 0.1;
const NAME_WORDS_MAX = 9;
/** Leaves come next, because offers need one. */
const LEAF_BONUS = 0.05;

/** Returns the words of a search text. Hyphens split words. */
export function queryWords(text: string): readonly string[] {
  return [...new Set(wordsOf(foldedText(text)))];
}

/** The names of a tree, each after its parent's. */
export class NameIndex {
  readonly #words: (readonly string[])[] = [];
  readonly #everyday: (readonly string[])[] = [];
  readonly #parents: number[] = [];

  /** `parent` is the index of the parent, undefined for a department. Returns the index of the name. */
  add(name: string, everyday: readonly string[], parent: number | undefined): number {
    this.#everyday.push(everyday.flatMap(nameWords));
    this.#parents.push(parent ?? -1);
    return this.#words.push(nameWords(name)) - 1;
  }

  /** Returns the indexes of the best matches, best first; equal matches are in the order of the tree. */
  search(words: readonly string[], limit: number, isLeaf: (index: number) => boolean): readonly number[] {
    if (words.length === 0) return [];
    const best = new BestFirst(limit);
    const fits = words.map((word) => this.#fitsOf(word));
    for (let index = 0; index < this.#words.length; index++) {
      let score = isLeaf(index) ? LEAF_BONUS : 0;
      let isMatch = true;
      for (const fit of fits) {
        score += fit[index] ?? 0;
        isMatch &&= fit[index] !== 0;
      }
      const nameLength = Math.min(this.#words[index]?.length ?? 0, NAME_WORDS_MAX);
      if (isMatch) best.add(index, score - nameLength * NAME_WORD_COST);
    }
    return best.indexes();
  }

  /** Returns, for each node, the score of the word in its name or in the names of its ancestors; 0: no match. */
  #fitsOf(word: string): Uint8Array {
    const fits = new Uint8Array(this.#words.length);
    const forms = [word, `${word}s`, ...(word.endsWith('s') ? [word.slice(0, -1)] : [])];
    for (let index = 0; index < fits.length; index++) {
      const parent = this.#parents[index] ?? -1;
      const above = parent === -1 ? 0 : (FIT_BELOW[fits[parent] ?? 0] ?? 0);
      const named = fitOf(this.#words[index] ?? [], word, forms);
      const called = EVERYDAY_FIT[fitOf(this.#everyday[index] ?? [], word, forms)] ?? 0;
      fits[index] = Math.max(named, called, above);
    }
    return fits;
  }
}

/** `forms` are the word's singular and plural. */
function fitOf(nameWordList: readonly string[], word: string, forms: readonly string[]): number {
  const initial = word.charCodeAt(0);
  let fit = 0;
  for (const candidate of nameWordList) {
    // Skips the comparisons for nearly every word.
    if (candidate.charCodeAt(0) !== initial) continue;
    if (forms.includes(candidate)) return WHOLE_WORD;
    if (candidate.startsWith(word)) fit = BEGINNING;
  }
  return fit;
}

/** Returns hyphenated words both split and joined, so that "tshirt" finds "T-Shirts". */
function nameWords(name: string): readonly string[] {
  return (foldedText(name).match(HYPHENATED) ?? []).flatMap((hyphenated) => {
    const words = wordsOf(hyphenated);
    return words.length > 1 ? [...words, words.join('')] : words;
  });
}

const HYPHENATED = /[\p{L}\p{N}-]+/gu;

/** Keeps the best few of many. */
class BestFirst {
  readonly #kept: { readonly index: number; readonly score: number }[] = [];
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(index: number, score: number): void {
    const kept = this.#kept;
    if (kept.length === this.#limit && score <= (kept.at(-1)?.score ?? 0)) return;
    let at = kept.length;
    while (at > 0 && (kept[at - 1]?.score ?? 0) < score) at--;
    kept.splice(at, 0, { index, score });
    if (kept.length > this.#limit) kept.pop();
  }

  indexes(): number[] {
    return this.#kept.map(({ index }) => index);
  }
}
