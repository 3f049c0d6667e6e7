/** Checks the rows of a sheet with the rules of the server, and builds a bulk file of the rows that pass. */
import { type Column, columnsOf } from '#domain/sheets/columns.ts';
import type { Mapping } from '#domain/sheets/header.ts';
import { type ReadRow, SheetReader } from '#domain/sheets/read-row.ts';
import { bulkFileText } from '#domain/sheets/write-rows.ts';
import type { SheetType } from '#domain/vocabulary/file-types.ts';
import type { SheetFile } from './inspect-file.ts';

interface BadRow {
  readonly read: ReadRow;
  readonly cells: readonly string[];
}

export interface CheckedSheet {
  /** Reads rows again that the user corrects. */
  readonly reader: SheetReader;
  readonly good: readonly ReadRow[];
  readonly bad: readonly BadRow[];
}

export interface MissingLocation {
  readonly column: Column;
  readonly heading: string;
}

/** How many rows are checked before the page can react to the user. 1000 offers take about 25 ms. */
const ROWS_AT_ONCE = 1000;

interface SheetCheck {
  readonly sheet: SheetFile;
  readonly type: SheetType;
  readonly mapping: Mapping;
  /** The locations for which the sheet has no column. */
  readonly fixed: ReadonlyMap<Column, string>;
  readonly knownNodes: ReadonlySet<string> | undefined;
  /** The cells of rows that the user has corrected. */
  readonly edits: ReadonlyMap<number, readonly string[]>;
  readonly signal: AbortSignal;
}

export async function checkSheet({
  sheet,
  type,
  mapping,
  fixed,
  knownNodes,
  edits,
  signal,
}: SheetCheck): Promise<CheckedSheet> {
  const reader = new SheetReader({ type, mapping, fixed, knownNodes });
  const good: ReadRow[] = [];
  const bad: BadRow[] = [];
  for (const [at, stored] of sheet.rows.entries()) {
    const cells = edits.get(at + 2) ?? stored;
    const read = reader.read(cells, at + 2);
    if (read !== undefined && read.problems.length === 0) good.push(read);
    else if (read !== undefined) bad.push({ read, cells });
    if (at % ROWS_AT_ONCE === 0) {
      await new Promise((resolve) => setTimeout(resolve));
      signal.throwIfAborted();
    }
  }
  return { reader, good, bad };
}

export function bulkFile(name: string, rows: readonly ReadRow[]): File {
  return new File([...bulkFileText(rows)], name, { type: 'application/json' });
}

/** A column for the location of each assigned quantity or price that has none, with the heading of the quantity or price. */
export function missingLocations(type: SheetType, mapping: Mapping, headings: readonly string[]): MissingLocation[] {
  return mapping.flatMap((value, at) => {
    if (value?.member === undefined || !OF_LOCATIONS.has(value.member)) return [];
    const isItsLocation = (one: Column | undefined) =>
      one?.field === value.field && one.slot === value.slot && one.member === 'fulfillment_node_id';
    const column = mapping.some(isItsLocation) ? undefined : columnsOf(type).find(isItsLocation);
    return column === undefined ? [] : [{ column, heading: headings[at] ?? '' }];
  });
}

const OF_LOCATIONS: ReadonlySet<string> = new Set(['quantity', 'fulfillment_node_price']);
