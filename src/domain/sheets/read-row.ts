/** Reads the rows of a sheet: each becomes the key and body of a row of a bulk file, or the problems of its cells. */

import { createArchiveCheck } from '../bodies/archive.ts';
import type { BodyCheck } from '../bodies/body-check.ts';
import { createInventoryCheck } from '../bodies/inventory.ts';
import { createPriceCheck } from '../bodies/price.ts';
import { createShoeSkuCheck, createSkuCheck } from '../bodies/sku.ts';
import { readBodyValue } from '../body-text.ts';
import { Names, NEUTRAL_NAMES } from '../names.ts';
import type { Problem } from '../problem.ts';
import { skuIdFault } from '../sku-id.ts';
import type { SheetType } from '../vocabulary/file-types.ts';
import type { ProductCodeType } from '../vocabulary/product-codes.ts';
import { readCell } from './cells.ts';
import { type Column, columnAt, listOf, SKU_COLUMN } from './columns.ts';
import type { Mapping } from './header.ts';

export interface RowProblem {
  /** '' for the whole row. */
  readonly column: string;
  readonly message: string;
}

export interface ReadRow {
  /** Number of the row in the sheet; the header is row 1. */
  readonly row: number;
  readonly sku: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly problems: readonly RowProblem[];
}

export interface SheetReaderOptions {
  readonly type: SheetType;
  readonly mapping: Mapping;
  /** Values of columns that the sheet does not have, the same for all rows. */
  readonly fixed?: ReadonlyMap<Column, string>;
  /** Undefined: nodes are not checked. */
  readonly knownNodes?: ReadonlySet<string> | undefined;
}

/** By its digits, if the sheet has no column for the type. An ISBN-13 is also an EAN. */
const CODE_TYPES: ReadonlyMap<number, ProductCodeType> = new Map([
  [10, 'ISBN-10'],
  [12, 'UPC'],
  [13, 'EAN'],
  [14, 'GTIN-14'],
]);

/** Reads the rows in order. Remembers the SKU ids to find repeated ones. */
export class SheetReader {
  readonly #type: SheetType;
  readonly #columns: Mapping;
  readonly #fixed: readonly (readonly [Column, string])[];
  readonly #knownNodes: ReadonlySet<string> | undefined;
  readonly #check: (body: Readonly<Record<string, unknown>>) => readonly Problem[];
  readonly #rows = new Map<string, number>();

  constructor({ type, mapping, fixed = new Map(), knownNodes }: SheetReaderOptions) {
    this.#type = type;
    this.#columns = mapping;
    this.#fixed = [...fixed];
    this.#knownNodes = knownNodes;
    this.#check = bodyCheck(type);
  }

  /** Undefined for an empty row. */
  read(cells: readonly string[], row: number): ReadRow | undefined {
    if (cells.every((cell) => cell.trim() === '')) return undefined;
    const problems: RowProblem[] = [];
    const values: { column: Column; value: unknown }[] = [];
    const take = (column: Column, text: string): void => {
      const cell = text.trim();
      if (cell === '') return;
      const read = readCell(column.kind, cell);
      if ('fault' in read) problems.push({ column: column.name, message: read.fault });
      else values.push({ column, value: read.value });
    };
    for (const [at, column] of this.#columns.entries()) if (column !== undefined) take(column, cells[at] ?? '');
    for (const [column, text] of this.#fixed) take(column, text);
    const sku = String(values.find(({ column }) => column.name === SKU_COLUMN)?.value ?? '');
    const { body, slots } = this.#bodyOf(values);
    const hasFault = (name: string) => problems.some(({ column }) => column === name);
    const skuFault = skuIdFault(sku);
    if (skuFault !== undefined && !hasFault(SKU_COLUMN)) problems.push({ column: SKU_COLUMN, message: skuFault });
    problems.push(...codeProblems(body, slots));
    const damaged = new Set(problems.map(({ column }) => column));
    for (const { field, message } of this.#check(body)) {
      const column = columnAt(this.#type, field, (list, index) => slots.get(list)?.[index] ?? index + 1);
      // A cell that could not be read is absent from the body, so the rules say that it is required.
      if (!damaged.has(column) && !damaged.has(column.replace(/_type$/, '')))
        problems.push({ column, message: withoutField(message) });
    }
    problems.push(...this.#nodeProblems(body, slots), ...this.#repeated(sku, body, row));
    return { row, sku, body, problems };
  }

  #bodyOf(values: readonly { column: Column; value: unknown }[]) {
    const body: Record<string, unknown> = {};
    const slots = new Map<string, number[]>();
    const lists = Map.groupBy(
      values.filter(({ column }) => column.slot !== undefined),
      ({ column }) => column.field,
    );
    for (const { column, value } of values) {
      if (column.slot === undefined && column.field !== '') body[column.field] = value;
    }
    for (const [field, parts] of lists) {
      const bySlot = Map.groupBy(parts, ({ column }) => column.slot ?? 0);
      const used = [...bySlot.keys()].sort((a, b) => a - b);
      slots.set(field, used);
      body[field] = used.map((slot) => entryOf(this.#type, field, slot, bySlot.get(slot) ?? []));
    }
    return { body, slots };
  }

  #nodeProblems(body: Readonly<Record<string, unknown>>, slots: ReadonlyMap<string, readonly number[]>): RowProblem[] {
    const known = this.#knownNodes;
    const { fulfillment_nodes: nodes } = body as { fulfillment_nodes?: readonly { fulfillment_node_id?: string }[] };
    if (known === undefined || nodes === undefined) return [];
    return nodes.flatMap(({ fulfillment_node_id: id }, index) => {
      if (id === undefined || known.has(id)) return [];
      const pointer = `/fulfillment_nodes/${index}/fulfillment_node_id`;
      const column = columnAt(this.#type, pointer, (list, at) => slots.get(list)?.[at] ?? at + 1);
      return [{ column, message: 'is not one of your locations' }];
    });
  }

  /** Stock has one row for each SKU and node, the other types one for each SKU. */
  #repeated(sku: string, body: Readonly<Record<string, unknown>>, row: number): RowProblem[] {
    if (sku === '') return [];
    const [node] = (body.fulfillment_nodes ?? []) as readonly { fulfillment_node_id?: string }[];
    const key = this.#type === 'Inventory' ? JSON.stringify([sku, node?.fulfillment_node_id]) : sku;
    const first = this.#rows.get(key);
    if (first === undefined) this.#rows.set(key, row);
    return first === undefined ? [] : [{ column: SKU_COLUMN, message: `repeats row ${first}. Keep one of them` }];
  }
}

/** A code whose type neither the sheet nor its length tells. A spreadsheet drops the leading zeros of numbers. */
function codeProblems(
  { standard_product_codes: codes = [] }: Readonly<Record<string, unknown>>,
  slots: ReadonlyMap<string, readonly number[]>,
): RowProblem[] {
  const lengths = [...CODE_TYPES.keys()].join(', ');
  return (codes as readonly Readonly<Record<string, string>>[]).flatMap((entry, index) => {
    const { standard_product_code: code, standard_product_code_type: codeType } = entry;
    if (code === undefined || codeType !== undefined) return [];
    const column = `product_code_${slots.get('standard_product_codes')?.[index]}`;
    const rule = `must have one of these numbers of digits: ${lengths}; it has ${code.length}. Check for missing leading zeros`;
    return [{ column, message: rule }];
  });
}

/** The message without the name of the field, which the name of the column replaces. */
export function withoutField(message: string): string {
  return message.replace(/^[\w.[\]]+: /, '');
}

function entryOf(
  type: SheetType,
  field: string,
  slot: number,
  parts: readonly { column: Column; value: unknown }[],
): unknown {
  const [first] = parts;
  if (first?.column.member === undefined) return first?.value;
  const entry: Record<string, unknown> = Object.fromEntries(
    parts.map(({ column, value }) => [column.member ?? '', value]),
  );
  const slotMember = listOf(type, field)?.slotMember;
  if (slotMember !== undefined) entry[slotMember] = slot;
  const { standard_product_code: code, standard_product_code_type: codeType } = entry;
  const known = typeof code === 'string' && codeType === undefined ? CODE_TYPES.get(code.length) : undefined;
  if (known !== undefined) entry.standard_product_code_type = known;
  return entry;
}

/** The rules of the single call. Whether a category or a SKU exists is known to the server alone. */
function bodyCheck(type: SheetType): (body: Readonly<Record<string, unknown>>) => readonly Problem[] {
  const names = new Names(NEUTRAL_NAMES);
  const run = (check: BodyCheck<unknown>) => (body: Readonly<Record<string, unknown>>) => {
    const outcome = check(readBodyValue(body));
    return outcome.ok ? [] : outcome.problems;
  };
  switch (type) {
    case 'Price':
      return run(createPriceCheck(names));
    case 'Inventory':
      return run(createInventoryCheck(names));
    case 'Archive':
      return run(createArchiveCheck(names));
    default: {
      const sku = run(createSkuCheck(names, () => true));
      const shoe = run(createShoeSkuCheck(names, () => true));
      return (body) => (body.product_type_id === undefined ? sku : shoe)(body);
    }
  }
}
