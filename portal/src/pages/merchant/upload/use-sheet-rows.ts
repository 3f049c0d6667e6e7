/** Keeps the rows of a checked sheet while the user corrects those with problems. */
import { useMemo, useState } from 'react';
import type { RowProblem } from '#domain/sheets/read-cells.ts';
import type { ReadRow } from '#domain/sheets/read-row.ts';
import type { CheckedSheet } from '../../../api/sheets/check-sheet.ts';
import type { SheetFile } from '../../../api/sheets/inspect-file.ts';
import type { ProblemsByRow } from '../../../api/sheets/server-check.ts';

/** A row that has or had a problem. */
export interface CorrectedRow {
  readonly row: number;
  readonly cells: readonly string[];
  /** Undefined if all its cells were cleared: it is not uploaded. */
  readonly read: ReadRow | undefined;
  readonly problems: readonly RowProblem[];
  /** The columns that have or had a problem, so that a corrected cell stays where it is. */
  readonly columns: ReadonlySet<string>;
}

/** `edits`: keeps the corrected cells by row for the next check, after the columns are assigned to other fields. */
export function useSheetRows(sheet: SheetFile, checked: CheckedSheet, edits: Map<number, readonly string[]>) {
  const { reader, good, bad } = checked;
  const [corrected, setCorrected] = useState<ReadonlyMap<number, CorrectedRow>>(
    () => new Map(bad.map(({ read, cells }) => [read.row, withProblems(read, cells, read.problems)])),
  );
  const isGood = useMemo(() => new Set(good.map(({ row }) => row)), [good]);
  const rowsCorrected = [...corrected.values()].flatMap(({ read, problems }) =>
    read && problems.length === 0 ? [read] : [],
  );
  const recheckedGood = [...corrected.keys()].filter((row) => isGood.has(row)).length;
  /** Copies all rows of the sheet, so it is not called while the user types. */
  const ready = () =>
    // The server names a row by its line, so the rows are in the order of the sheet.
    [...good.filter(({ row }) => !corrected.has(row)), ...rowsCorrected].sort((one, other) => one.row - other.row);
  return {
    ready,
    readyRows: good.length - recheckedGood + rowsCorrected.length,
    corrected: useMemo(() => [...corrected.values()].sort((one, other) => one.row - other.row), [corrected]),
    edit: (row: number, at: number, cell: string) => {
      const before = corrected.get(row);
      if (before === undefined) return;
      const cells = Array.from({ length: Math.max(before.cells.length, at + 1) }, (_, index) =>
        index === at ? cell : (before.cells[index] ?? ''),
      );
      edits.set(row, cells);
      const read = reader.reread(cells, row);
      const after = withProblems(read, cells, read?.problems ?? [], before);
      setCorrected(new Map(corrected).set(row, after));
    },
    /** Adds the problems that the server found. */
    refuse: (problems: ProblemsByRow) => {
      const next = new Map(corrected);
      const byRow = new Map(ready().map((read) => [read.row, read]));
      for (const [row, found] of problems) {
        const cells = edits.get(row) ?? sheet.rows[row - 2] ?? [];
        next.set(row, withProblems(byRow.get(row), cells, found, next.get(row), row));
      }
      setCorrected(next);
    },
  };
}

function withProblems(
  read: ReadRow | undefined,
  cells: readonly string[],
  problems: readonly RowProblem[],
  before?: CorrectedRow,
  row = read?.row ?? before?.row ?? 0,
): CorrectedRow {
  const columns = new Set([...(before?.columns ?? []), ...problems.map(({ column }) => column)]);
  return { row, cells, read, problems, columns };
}
