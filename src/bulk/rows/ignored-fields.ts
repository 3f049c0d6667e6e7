/**
 * In charge of fields that rows have and no rule knows, misspelt ones above all: single calls name them in a header, of a
 * file they are counted by name. Few at most, whatever a file holds: names are few where a program wrote them.
 */
import { IGNORED_FIELDS_MAX } from '../../domain/problem.ts';

export interface IgnoredField {
  /** A JSON pointer; `*` stands for the places in lists. */
  readonly field: string;
  /** That have it. */
  readonly rows: number;
}

const FIELD_CHARACTERS_MAX = 100;

/** The same fields with those of further rows; the very list where they have none. */
export function countIgnored(
  known: readonly IgnoredField[],
  rows: readonly { readonly ignored: readonly string[] }[],
): readonly IgnoredField[] {
  let counts: Map<string, number> | undefined;
  for (const { ignored } of rows) {
    if (ignored.length === 0) continue;
    counts ??= new Map(known.map(({ field, rows: count }) => [field, count]));
    for (const field of new Set(ignored.map(fieldName))) {
      const count = counts.get(field);
      if (count !== undefined || counts.size < IGNORED_FIELDS_MAX) counts.set(field, (count ?? 0) + 1);
    }
  }
  return counts === undefined ? known : [...counts].map(([field, count]) => ({ field, rows: count }));
}

/** The pointer for all places of the lists it goes through. */
export function withoutPlaces(pointer: string): string {
  return pointer.replaceAll(/\/\d+(?=\/|$)/g, '/*');
}

function fieldName(pointer: string): string {
  const field = withoutPlaces(pointer);
  return field.length <= FIELD_CHARACTERS_MAX ? field : `${field.slice(0, FIELD_CHARACTERS_MAX).toWellFormed()}…`;
}
