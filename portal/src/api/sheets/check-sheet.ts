/** Checks the rows of a sheet with the rules of the server, and builds a bulk file of the rows that pass. */
import { type Column, columnNamed } from '#domain/sheets/columns.ts';
import type { Mapping } from '#domain/sheets/header.ts';
import type { RowProblem } from '#domain/sheets/read-cells.ts';
import { type ReadRow, SheetReader } from '#domain/sheets/read-row.ts';
import { bulkFileText } from '#domain/sheets/write-rows.ts';
import type { SheetType } from '#domain/vocabulary/file-types.ts';
import type { SheetFile } from './inspect-file.ts';

export interface BadRow extends Pick<ReadRow, 'row' | 'sku'> {
  readonly cells: readonly string[];
  readonly problems: readonly RowProblem[];
}

export interface CheckedSheet {
  readonly good: readonly ReadRow[];
  readonly bad: readonly BadRow[];
}

/** How many rows are checked before the page can react to the user. 1000 offers take about 25 ms. */
const ROWS_AT_ONCE = 1000;

interface SheetCheck {
  readonly sheet: SheetFile;
  readonly type: SheetType;
  readonly mapping: Mapping;
  /** The location of all rows, if the sheet has no column for it. */
  readonly nodeId: string | undefined;
  readonly knownNodes: ReadonlySet<string> | undefined;
  readonly signal: AbortSignal;
}

export async function checkSheet({
  sheet,
  type,
  mapping,
  nodeId,
  knownNodes,
  signal,
}: SheetCheck): Promise<CheckedSheet> {
  const reader = new SheetReader({ type, mapping, fixed: fixedNode(type, nodeId), knownNodes });
  const good: ReadRow[] = [];
  const bad: BadRow[] = [];
  for (const [at, cells] of sheet.rows.entries()) {
    const read = reader.read(cells, at + 2);
    if (read !== undefined && read.problems.length === 0) good.push(read);
    else if (read !== undefined) bad.push({ row: read.row, sku: read.sku, cells, problems: read.problems });
    if (at % ROWS_AT_ONCE === 0) {
      await new Promise((resolve) => setTimeout(resolve));
      signal.throwIfAborted();
    }
  }
  return { good, bad };
}

export function bulkFile(name: string, rows: readonly ReadRow[]): File {
  return new File([...bulkFileText(rows)], name, { type: 'application/json' });
}

function fixedNode(type: SheetType, nodeId: string | undefined): ReadonlyMap<Column, string> {
  const column = columnNamed(type, 'node_id');
  return new Map(column === undefined || nodeId === undefined ? [] : [[column, nodeId]]);
}
