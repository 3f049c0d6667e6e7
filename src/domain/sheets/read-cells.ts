/** Converts the cells of a sheet row to the SKU id and body of a bulk file row. */
import type { FileType } from '../vocabulary/file-types.ts';
import { TYPE_OF_DIGITS } from '../vocabulary/product-codes.ts';
import { readCell, trimmedCell } from './cells.ts';
import { type Column, columnAt, listOf, nestedBody } from './columns.ts';
import type { Mapping } from './header.ts';

export interface RowProblem {
  /** '' for the whole row. */
  readonly column: string;
  readonly message: string;
}

export interface ReadCells {
  /** '' if the cell is empty or cannot be read. */
  readonly sku: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** For each list, the numbers of the columns that its entries come from. */
  readonly slots: ReadonlyMap<string, readonly number[]>;
  /** One problem for each cell that cannot be read; the body lacks its field. */
  readonly problems: readonly RowProblem[];
}

interface Source {
  readonly column: Column;
  /** The index of the cell in the row; -1 for a fixed value. */
  readonly at: number;
  readonly fixed: string;
  /** The path inside an entry of a list. */
  readonly path: readonly string[];
}

type Entry = Record<string, unknown>;
type ListColumn = Column & Required<Pick<Column, 'slot'>>;

/** A row that is being read. */
interface OpenRow {
  readonly body: Entry;
  readonly slots: Map<string, number[]>;
}

export class CellReader {
  readonly #type: FileType;
  readonly #width: number;
  readonly #sources: readonly Source[];

  /** `fixed`: values of columns that the sheet does not have, the same for all rows. */
  constructor(type: FileType, mapping: Mapping, fixed: ReadonlyMap<Column, string> = new Map()) {
    this.#type = type;
    this.#width = mapping.length;
    const source = (column: Column, at: number, text = ''): Source => {
      return { column, at, fixed: text, path: column.member?.split('/') ?? [] };
    };
    this.#sources = [
      ...mapping.flatMap((column, at) => (column === undefined ? [] : source(column, at))),
      ...Array.from(fixed, ([column, text]) => source(column, -1, text)),
    ].toSorted(inOrderOfLists);
  }

  /** Returns undefined for an empty row. */
  read(cells: readonly string[]): ReadCells | undefined {
    if (cells.every((cell) => cell.trim() === '')) return undefined;
    const problems: RowProblem[] = [];
    const body: Entry = {};
    const slots = new Map<string, number[]>();
    let sku = '';
    for (const { column, at, fixed, path } of this.#sources) {
      const cell = trimmedCell(at === -1 ? fixed : (cells[at] ?? ''));
      if (cell === '' || (at === -1 && isWithoutEntry(column, slots))) continue;
      const read = readCell(column.kind, cell, column.rule);
      if ('fault' in read) problems.push({ column: column.name, message: read.fault });
      else if (column.field === '') sku = String(read.value);
      else if (column.slot === undefined) body[column.field] = read.value;
      else this.#addToList({ body, slots }, column as ListColumn, path, read.value);
    }
    const codes = this.#type === 'Offers' ? 'sku/standard_product_codes' : 'standard_product_codes';
    if (body[codes] !== undefined) problems.push(...addCodeTypes(body[codes], slots.get(codes)));
    const extra = cells.slice(this.#width).filter((cell) => cell.trim() !== '').length;
    if (extra > 0) problems.push({ column: '', message: `The row has more cells than the header (${this.#width}).` });
    return { sku, body: nestedBody(this.#type, body), slots, problems };
  }

  /** Returns the column for a position in the body of this row, given as a JSON pointer; '' for a position without a column. */
  columnOf(pointer: string, slots: ReadCells['slots']): string {
    return columnAt(this.#type, pointer, (list, index) => slots.get(list)?.[index] ?? index + 1);
  }

  #addToList({ body, slots }: OpenRow, { field, slot }: ListColumn, path: readonly string[], value: unknown): void {
    const used = slots.get(field) ?? [];
    const list = (body[field] ?? []) as unknown[];
    if (used.length === 0) {
      slots.set(field, used);
      body[field] = list;
    }
    const isNew = used.at(-1) !== slot;
    if (isNew) used.push(slot);
    const [first, , inner] = path;
    if (first === undefined) {
      list.push(value);
      return;
    }
    if (isNew) {
      const slotMember = listOf(this.#type, field)?.slotMember;
      list.push(slotMember === undefined ? {} : { [slotMember]: slot });
    }
    const entry = list.at(-1) as Entry;
    if (inner === undefined) {
      entry[first] = value;
      return;
    }
    entry[first] ??= [{}];
    const [inside] = entry[first] as [Entry];
    inside[inner] = value;
  }
}

/** A fixed value of an optional entry is left out if the row has no other value of that entry. */
function isWithoutEntry({ field, slot, isRequired }: Column, slots: OpenRow['slots']): boolean {
  return !isRequired && slots.get(field)?.at(-1) !== slot;
}

/** The cells of a list are read in the order of its entries, wherever their columns are. */
function inOrderOfLists({ column: one }: Source, { column: other }: Source): number {
  if (one.slot === undefined || other.slot === undefined) return (one.slot ?? 0) - (other.slot ?? 0);
  return one.field === other.field ? one.slot - other.slot : one.field < other.field ? -1 : 1;
}

/** Adds missing types of product codes by their length. Reports other lengths: a spreadsheet drops leading zeros of numbers. */
function addCodeTypes(codes: unknown, slots: readonly number[] = []): RowProblem[] {
  return (codes as Record<string, string>[]).flatMap((entry, index) => {
    const { standard_product_code: code, standard_product_code_type: codeType } = entry;
    if (code === undefined || codeType !== undefined) return [];
    const known = TYPE_OF_DIGITS.get(code.length);
    if (known !== undefined) {
      entry.standard_product_code_type = known;
      return [];
    }
    const column = `product_code_${slots[index]}`;
    const rule = `must have 10, 12, 13 or 14 digits, not ${code.length}. Check for missing leading zeros`;
    return [{ column, message: rule }];
  });
}

/** Whether a rule complains about a cell only because the cell could not be read, so that the body lacks it. */
export function isDamaged(column: string, { problems }: Pick<ReadCells, 'problems'>): boolean {
  return problems.some(({ column: damaged }) => damaged === column || damaged === column.replace(/_type$/, ''));
}

/** Returns the message without the name of the field, which the name of the column replaces. */
export function withoutField(message: string): string {
  return message.replace(/^[\w.[\]]+: /, '');
}
