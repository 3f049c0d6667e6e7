/** Compares short texts that people typed. */

/** Whether one edit separates the texts: a character added, left out or replaced, or two neighbors swapped. */
export function isOneEditAway(one: string, two: string): boolean {
  const [short, long] = one.length <= two.length ? [one, two] : [two, one];
  if (long.length - short.length > 1 || short === long) return false;
  let at = 0;
  while (at < short.length && short[at] === long[at]) at++;
  if (short.length < long.length) return short.slice(at) === long.slice(at + 1);
  if (short.slice(at + 1) === long.slice(at + 1)) return true;
  const isSwapped = short[at] === long[at + 1] && short[at + 1] === long[at];
  return isSwapped && short.slice(at + 2) === long.slice(at + 2);
}

/** Returns the share of words that both texts have. */
export function likeness(one: readonly string[], two: readonly string[]): number {
  const [first, second] = [new Set(one), new Set(two)];
  const shared = first.intersection(second).size;
  return shared === 0 ? 0 : shared / first.union(second).size;
}
