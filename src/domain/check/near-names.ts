/** Finds the known name that a misspelled name probably stands for. */

const DISTANCE_MAX = 3;
/** At most this share of the letters may differ, so that short names match only short names like them. */
const DISTANCE_SHARE_MAX = 0.34;

/** Ignores letter case and the characters between words. Returns undefined if no name is close. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  const letters = lettersOf(name);
  let nearest: { readonly name: string; readonly distance: number } | undefined;
  for (const candidate of known) {
    const other = lettersOf(candidate);
    const longest = Math.max(letters.length, other.length);
    const distance_max = Math.min(DISTANCE_MAX, Math.floor(longest * DISTANCE_SHARE_MAX));
    // Checked first, because a name can be as long as a body.
    if (Math.abs(letters.length - other.length) > distance_max) continue;
    const distance = distanceOf(letters, other);
    if (distance <= distance_max && distance < (nearest?.distance ?? Number.POSITIVE_INFINITY)) {
      nearest = { name: candidate, distance };
    }
  }
  return nearest?.name;
}

/** Returns the text to add to a message about an unknown name; empty if no name is close. */
export function suggestion(name: string, known: Iterable<string>): string {
  const nearest = nearestName(name, known);
  return nearest === undefined ? '' : ` (Did you mean ${nearest}?)`;
}

/** Returns the text to add to a message about a missing name, if one of the unknown names that were sent is close to it. */
export function misspelling(missing: string, unknown: readonly string[] = []): string {
  const sent = nearestName(missing, unknown);
  return sent === undefined ? '' : ` (Did you send it as ${JSON.stringify(sent)}?)`;
}

function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_.-]/g, '');
}

/** Counts the letters to insert, delete, replace, or swap with their neighbor. */
export function distanceOf(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const now = [row];
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      now[column] = Math.min(
        at(last, column) + 1,
        at(now, column - 1) + 1,
        at(last, column - 1) + (isSame ? 0 : 1),
        isSwapped ? at(before, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, last] = [last, now];
  }
  return at(last, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] as number;
}
