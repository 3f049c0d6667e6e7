/** Suggests a correction for a misspelled search text. */
import { distanceOf } from '#domain/check/near-names.ts';

/** Replaces each word with the nearest word of the other texts. Returns null if a word has no near one, or if nothing changes. */
export function nearestText(typed: string, texts: readonly string[]): string | null {
  const known = new Set(texts.flatMap(wordsIn));
  const words = wordsIn(typed).map((word) => nearest(word, known));
  const text = words.join(' ');
  return words.includes(undefined) || text === wordsIn(typed).join(' ') ? null : text;
}

function nearest(word: string, known: ReadonlySet<string>): string | undefined {
  if (Array.from(known).some((one) => one.startsWith(word))) return word;
  const [found] = Array.from(known, (one) => ({ one, edits: distanceOf(word, one) }))
    .filter(({ edits }) => edits <= (word.length > 4 ? 2 : 1))
    .sort((one, other) => one.edits - other.edits);
  return found?.one;
}

export function wordsIn(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
