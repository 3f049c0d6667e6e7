/** Gives rows without an id a unique React key: their name, with a counter for duplicates. */
export function keyed<T>(rows: readonly T[], nameOf: (row: T) => string): readonly (readonly [key: string, row: T])[] {
  const seen = new Map<string, number>();
  return rows.map((row) => {
    const name = nameOf(row);
    const before = seen.get(name) ?? 0;
    seen.set(name, before + 1);
    return [before === 0 ? name : `${name} ${before}`, row];
  });
}
