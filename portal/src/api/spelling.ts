/** Suggests a correction for a misspelled search text. */

/** Replaces each word with the nearest word of the other texts. Returns null if a word has no near one, or if nothing changes. */
export function nearestText(typed: string, texts: readonly string[]): string | null {
  const known = new Set(texts.flatMap(wordsIn));
  const words = wordsIn(typed).map((word) => nearest(word, known));
  const text = words.join(' ');
  return words.includes(undefined) || text === wordsIn(typed).join(' ') ? null : text;
}

function nearest(word: string, known: ReadonlySet<string>): string | undefined {
  if (Array.from(known).some((one) => one.startsWith(word))) return word;
  const [found] = Array.from(known, (one) => ({ one, edits: editsBetween(word, one) }))
    .filter(({ edits }) => edits <= (word.length > 4 ? 2 : 1))
    .sort((one, other) => one.edits - other.edits);
  return found?.one;
}

/** Counts the letters to insert, remove, replace or swap with the next one. */
function editsBetween(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, at) => at)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? 0;
  for (let row = 1; row <= one.length; row++) {
    rows.push([row]);
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwap = row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      const edits = [at(row - 1, column) + 1, at(row, column - 1) + 1, at(row - 1, column - 1) + (isSame ? 0 : 1)];
      if (isSwap) edits.push(at(row - 2, column - 2) + 1);
      rows[row]?.push(Math.min(...edits));
    }
  }
  return at(one.length, other.length);
}

export function wordsIn(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
