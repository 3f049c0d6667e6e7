/** Writes rows of a bulk file as a sheet, which may have a column that says what is wrong with each. */

import { isObject } from '../check/compile.ts';
import { stringifyExactJson } from '../int64.ts';
import type { FileType, SheetType } from '../vocabulary/file-types.ts';
import { writtenCell } from './cells.ts';
import {
  type Column,
  columnAt,
  columnNamed,
  columnsOf,
  flatBody,
  type ListColumns,
  listOf,
  neutralField,
  PROBLEMS_COLUMN,
  SKU_COLUMN,
} from './columns.ts';
import { csvLine, escapedCell, plainCell } from './csv.ts';
import { isProblemsHeading } from './header.ts';
import { jsonEntries } from './json-entries.ts';
import { type RowProblem, withoutField } from './read-cells.ts';
import type { ReadRow } from './read-row.ts';

export interface SheetEntry {
  readonly sku: string;
  /** The body as in the bulk file. If it is not an object, its cells stay empty. */
  readonly body: unknown;
  readonly problems?: readonly RowProblem[];
}

/** The values of one row of a sheet, by the names of their columns. */
export type SheetValues = ReadonlyMap<string, unknown>;

/** Returns the header and the rows. Cells that a spreadsheet could run as formulas are escaped, as in csv.ts. */
export function sheetRows(type: SheetType, entries: readonly SheetEntry[]): string[][] {
  const written = entries.flatMap((entry) =>
    valuesOf(type, entry).map((values) => ({ values, problems: entry.problems })),
  );
  const columns = usedColumns(type, new Set(written.flatMap(({ values }) => [...values.keys()])));
  const hasProblems = entries.some(({ problems }) => problems !== undefined);
  const line = (problems: string, [sku = '', ...cells]: readonly string[]) =>
    hasProblems ? [sku, problems, ...cells] : [sku, ...cells];
  return [
    line(
      PROBLEMS_COLUMN,
      columns.map(({ name }) => name),
    ),
    ...written.map(({ values, problems = [] }) => line(escapedCell(problemsText(problems)), cellsOf(columns, values))),
  ];
}

/** Returns the values of the entry's rows. Stock of several nodes has a row for each node. */
export function valuesOf(type: FileType, { sku, body }: SheetEntry): SheetValues[] {
  return onePerNode(type, body).map((part) => valuesIn(type, sku, part));
}

/** Returns the columns that the sheet needs, the SKU first. `used`: the names of the columns with a value. */
export function usedColumns(type: FileType, used: ReadonlySet<string>): readonly Column[] {
  return columnsOf(type).filter(({ name, isRequired }) => isRequired || used.has(name));
}

export function cellsOf(columns: readonly Column[], values: SheetValues): string[] {
  return columns.map(({ name, kind }) => writtenCell(kind, values.get(name)));
}

/** Returns the rows of a sheet with their problems in the first column, which replaces an earlier column of problems. */
export function rowsWithProblems(
  headings: readonly string[],
  rows: readonly { readonly cells: readonly string[]; readonly problems: readonly RowProblem[] }[],
): string[][] {
  const kept = [...headings.keys()].filter((at) => !isProblemsHeading(headings[at] ?? ''));
  const line = (first: string, cells: readonly string[]) => [first, ...kept.map((at) => escapedOnce(cells[at] ?? ''))];
  return [
    line(PROBLEMS_COLUMN, headings),
    ...rows.map(({ cells, problems }) => line(escapedCell(problemsText(problems)), cells)),
  ];
}

/** The template of whole offers has product data, price, and the stock of each of the `nodes`. */
export function templateColumns(type: SheetType, nodes = 1): readonly Column[] {
  if (type !== 'Offers') return columnsOf(type).filter(({ isInTemplate }) => isInTemplate);
  return columnsOf(type).filter(({ field, slot = 0, isInTemplate }) =>
    field === 'inventory/fulfillment_nodes'
      ? slot <= Math.max(1, nodes)
      : isInTemplate && (field === '' || /^(?:sku|price)\//.test(field)),
  );
}

/** Without a byte order mark, spreadsheets read UTF-8 as another encoding. */
export function csvText(rows: readonly (readonly string[])[]): string {
  return `\uFEFF${csvLines(rows)}`;
}

export function csvLines(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => csvLine(cells.map(plainCell))).join('');
}

/** Returns the problems of the error file, at their columns. */
export function problemsOfError(
  type: SheetType,
  details: readonly { readonly field?: string; readonly message?: string }[],
  body: unknown,
): RowProblem[] {
  const fields = isObject(body) ? flatBody(type, body) : body;
  return details.map(({ field = '', message = '' }) => {
    const column = columnAt(type, field, (list, index) => slotOf(type, list, listValue(fields, list)[index], index));
    return { column, message: column === '' ? message : withoutField(message) };
  });
}

/** Both files list the failed rows in the same order. The error file also has errors of the whole file, with the key ''. */
export function failedEntries(type: SheetType, errors: string, retry: string): SheetEntry[] {
  const failed = [...jsonEntries(errors)];
  let next = 0;
  return Array.from(jsonEntries(retry), ([sku, body]): SheetEntry => {
    while (next < failed.length && failed[next]?.[0] !== sku) next++;
    const { details = [] } = (failed[next++]?.[1] ?? {}) as { details?: Parameters<typeof problemsOfError>[1] };
    return { sku, body, problems: problemsOfError(type, details, body) };
  });
}

/** Yields a bulk file in which each row is on the line that it has in the sheet, so that errors name the row of the sheet. */
export function* bulkFileText(rows: Iterable<ReadRow>): Generator<string> {
  let text = '{';
  let line = 1;
  let isFirst = true;
  for (const { row, sku, body } of rows) {
    const gap = '\n'.repeat(Math.max(0, row - line));
    text += `${isFirst ? '' : ','}${gap}${JSON.stringify(sku)}: ${stringifyExactJson(body)}`;
    line = Math.max(line, row);
    isFirst = false;
    if (text.length > CHUNK_CHARACTERS) {
      yield text;
      text = '';
    }
  }
  yield `${text}\n}\n`;
}

const CHUNK_CHARACTERS = 65_536;

export function problemsText(problems: readonly RowProblem[]): string {
  return problems.map(({ column, message }) => (column === '' ? message : `${column}: ${message}`)).join('; ');
}

/** A sheet's own cells may be escaped already. */
function escapedOnce(cell: string): string {
  return cell.startsWith("'") ? cell : escapedCell(cell);
}

function valuesIn(type: FileType, sku: string, body: unknown): SheetValues {
  const values = new Map<string, unknown>(sku === '' ? [] : [[SKU_COLUMN, sku]]);
  const add = (name: string | undefined, value: unknown): void => {
    const isSet = value !== undefined && value !== null;
    if (name !== undefined && name !== '' && isSet) values.set(name, value);
  };
  for (const [sent, value] of Object.entries(isObject(body) ? flatBody(type, body) : {})) {
    const field = neutralField(type, sent);
    if (field === undefined) continue;
    const list = listOf(type, field);
    if (list === undefined || !Array.isArray(value)) {
      add(columnOfField(type, field), value);
      continue;
    }
    const entries = onePerSlot(list, value);
    if (type === 'Offers' && !hasColumns(list, entries.length)) continue;
    for (const [index, entry] of entries.entries()) {
      const slot = slotOf(type, field, entry, index);
      for (const [member, name] of Object.entries(list.names)) add(name(slot), valueAt(entry, member));
    }
  }
  return values;
}

const columnOfField = (type: FileType, field: string) => columnAt(type, `/${field}`, (_list, index) => index + 1);

/** If a whole offer has too many entries for a sheet, none is written: an upload of some would delete the others. */
function hasColumns(list: ListColumns, entries: number): boolean {
  const [name] = Object.values(list.names);
  return entries === 0 || (name !== undefined && columnNamed('Offers', name(entries)) !== undefined);
}

/** An entry with a list inside takes a slot for each entry of that list. */
function onePerSlot(list: ListColumns, entries: readonly unknown[]): readonly unknown[] {
  const [inner] = Object.keys(list.names).flatMap((member) => member.split('/0/').slice(0, -1));
  if (inner === undefined) return entries;
  return entries.flatMap((entry) =>
    listValue(entry, inner).map((inside) => ({ ...(entry as object), [inner]: [inside] })),
  );
}

function valueAt(entry: unknown, member: string): unknown {
  if (member === '') return entry;
  return member
    .split('/')
    .reduce<unknown>((at, part) => (Array.isArray(at) ? at[Number(part)] : isObject(at) ? at[part] : undefined), entry);
}

/** Splits stock of several nodes into several rows. */
function onePerNode(type: FileType, body: unknown): unknown[] {
  const nodes = listValue(body, 'fulfillment_nodes');
  if (type !== 'Inventory' || nodes.length < 2) return [body];
  return nodes.map((node) => ({ fulfillment_nodes: [node] }));
}

function slotOf(type: FileType, field: string, entry: unknown, index: number): number {
  const list = listOf(type, field);
  if (list?.slotMember === undefined || !isObject(entry)) return index + 1;
  const slot = entry[list.slotMember];
  return typeof slot === 'number' && Number.isInteger(slot) && slot > 0 ? slot : index + 1;
}

function listValue(body: unknown, field: string): readonly unknown[] {
  const value = isObject(body) ? body[field] : undefined;
  return Array.isArray(value) ? value : [];
}
