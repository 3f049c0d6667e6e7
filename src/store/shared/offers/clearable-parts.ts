/**
 * Defines how the parts that can be cleared are stored: each as JSON text, with a number that outlives it. PostgreSQL has columns of the
 * table `offer`; SQLite has a table with the name of the part, and the number in the table `sku`. Everything else is derived from this
 * table: the schema, reads, writes, exports and reports.
 */
import { CLEARABLE_PARTS, type ClearablePart } from '../../../domain/vocabulary/offer-parts.ts';

interface Storage {
  /** The column of the table `offer` on PostgreSQL. */
  readonly column: string;
  /** The column of the part's own table on SQLite. */
  readonly sqliteColumn: string;
  /** The comment of both columns. */
  readonly about: string;
}

const STORAGE: Readonly<Record<ClearablePart, Storage>> = {
  shipping_exception: {
    column: 'shipping_exceptions',
    sqliteColumn: 'exceptions',
    about: 'JSON as it was sent',
  },
  returns_exception: {
    column: 'return_location_ids',
    sqliteColumn: 'location_ids',
    about: 'JSON list of return_location.location_id',
  },
};

export interface ClearableStorage extends Storage {
  readonly part: ClearablePart;
  /** The column of its sequence number. */
  readonly number: string;
}

export const CLEARABLE_STORAGE: readonly ClearableStorage[] = CLEARABLE_PARTS.map((part) => {
  return { part, number: `${part}_number`, ...STORAGE[part] };
});

/** The texts of the offer `o`, each after a comma: put them at the end of a row. */
export const CLEARABLE_COLUMNS = CLEARABLE_STORAGE.map(({ column }) => `, o.${column}`).join('');
/** The same on SQLite, with the tables of the SKU `s`. */
export const SQLITE_CLEARABLE_COLUMNS = CLEARABLE_STORAGE.map(
  ({ part, sqliteColumn }) => `, ${part}.${sqliteColumn}`,
).join('');
export const SQLITE_CLEARABLE_TABLES = CLEARABLE_STORAGE.map(
  ({ part }) => `LEFT JOIN ${part} ON ${part}.sku = s.id`,
).join('\n  ');

/** Returns a value for each part. A loop, because `Object.fromEntries` takes about twice as long, and every read of a SKU calls this. */
export function ofEachClearable<T>(
  valueFor: (storage: ClearableStorage, index: number) => T,
): Record<ClearablePart, T> {
  const values: Partial<Record<ClearablePart, T>> = {};
  CLEARABLE_STORAGE.forEach((storage, index) => {
    values[storage.part] = valueFor(storage, index);
  });
  return values as Record<ClearablePart, T>;
}

/** Returns the texts of a row, which start at this index. */
export function clearableIn(row: readonly unknown[], start: number): Record<ClearablePart, string | null> {
  return ofEachClearable((_, index) => row[start + index] as string | null);
}
