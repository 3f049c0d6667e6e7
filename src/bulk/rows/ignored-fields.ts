/**
 * Counts unrecognized fields of rows by name. Single calls list them in a header. The number of names is bounded; files
 * written by a program have few.
 */
import type { IgnoredField } from '../../domain/bulk-files.ts';
import { LIMITS } from '../../domain/limits.ts';

const FIELD_CHARACTERS_MAX = 100;

/** Returns the list with the fields of further rows added; the same list if they have none. */
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
      if (count !== undefined || counts.size < LIMITS.ignored_fields_max) counts.set(field, (count ?? 0) + 1);
    }
  }
  return counts === undefined ? known : [...counts].map(([field, count]) => ({ field, rows: count }));
}

/** Returns the pointer with list indexes replaced by `*`. */
export function withoutPlaces(pointer: string): string {
  return pointer.replaceAll(/\/\d+(?=\/|$)/g, '/*');
}

function fieldName(pointer: string): string {
  const field = withoutPlaces(pointer);
  return field.length <= FIELD_CHARACTERS_MAX ? field : `${field.slice(0, FIELD_CHARACTERS_MAX).toWellFormed()}…`;
}
