/** In charge of keys for rows that have no id. */

/** Each with a key of its own: what two rows are alike in, and for the second and later ones their number. */
export function keyed<T>(rows: readonly T[], nameOf: (row: T) => string): readonly (readonly [key: string, row: T])[] {
  const seen = new Map<string, number>();
  return rows.map((row) => {
    const name = nameOf(row);
    const before = seen.get(name) ?? 0;
    seen.set(name, before + 1);
    return [before === 0 ? name : `${name} ${before}`, row];
  });
}
