/** Remembers in this browser how the columns of uploaded sheets were assigned, by their column names. */
import { columnNamed } from '#domain/sheets/columns.ts';
import { isImported, type Mapping } from '#domain/sheets/header.ts';
import { SHEET_TYPES, type SheetType } from '#domain/vocabulary/file-types.ts';

export interface KeptColumns {
  readonly type: SheetType;
  /** Each heading with the name of its field; '' for a column that is not imported. */
  readonly fields: readonly (readonly [heading: string, name: string])[];
  /** The chosen locations, by the names of the columns that the sheet lacks. */
  readonly locations: Readonly<Record<string, string>>;
}

const KEY = 'offerbook-sheet-columns';
const SHEETS_MAX = 20;
/** Sheets with longer headers are not remembered, so that all of them stay below 200,000 characters. */
const CHARACTERS_MAX = 10_000;

/** Returns what was chosen for a sheet with the same column names, in any order. */
export function keptColumns(headings: readonly string[]): KeptColumns | undefined {
  const key = keyOf(headings);
  return readAll().find(({ type, fields }) => SHEET_TYPES.includes(type) && keyOf(fields.map(([one]) => one)) === key);
}

export function keptMapping({ type, fields }: KeptColumns, headings: readonly string[]): Mapping {
  const left = [...fields];
  return headings.map((heading) => {
    const at = left.findIndex(([one]) => normalized(one) === normalized(heading));
    const [[, name] = ['', '']] = at === -1 ? [] : left.splice(at, 1);
    const column = columnNamed(type, name);
    return column !== undefined && isImported(type, column) ? column : undefined;
  });
}

export function keepColumns(
  headings: readonly string[],
  type: SheetType,
  mapping: Mapping,
  locations: Readonly<Record<string, string>>,
): void {
  const key = keyOf(headings);
  const others = readAll().filter(({ fields }) => keyOf(fields.map(([one]) => one)) !== key);
  const kept = { type, fields: headings.map((heading, at) => [heading, mapping[at]?.name ?? '']), locations };
  const own = JSON.stringify(kept).length > CHARACTERS_MAX ? [] : [kept];
  localStorage.setItem(KEY, JSON.stringify([...own, ...others].slice(0, SHEETS_MAX)));
}

/** Ignores what it cannot read: another release may have stored it. */
function readAll(): KeptColumns[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(kept) ? kept.filter((one) => Array.isArray(one?.fields)) : [];
  } catch {
    return [];
  }
}

function keyOf(headings: readonly string[]): string {
  return JSON.stringify(headings.map(normalized).sort());
}

function normalized(heading: string): string {
  return heading.trim().toLowerCase();
}
