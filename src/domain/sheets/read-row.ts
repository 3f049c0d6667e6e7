/** Reads the rows of a sheet. Each becomes the key and body of a bulk file row, or a list of problems with its cells. */

import { ANY_NODES, createBodyChecks } from '../bodies/all-bodies.ts';
import { readBodyValue } from '../body-text.ts';
import { isObject } from '../check/compile.ts';
import { Names, NEUTRAL_NAMES } from '../names.ts';
import { type Problem, problemBelow, requestProblem } from '../problem.ts';
import { skuIdFault } from '../sku-id.ts';
import type { SheetType } from '../vocabulary/file-types.ts';
import { OFFER_PARTS, type OfferPart } from '../vocabulary/offer-parts.ts';
import { type Column, flatBody, SKU_COLUMN } from './columns.ts';
import type { Mapping } from './header.ts';
import { CellReader, isDamaged, type ReadCells, type RowProblem, withoutField } from './read-cells.ts';

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

/** Reads the rows in order. Remembers the SKU ids to find duplicates. */
export class SheetReader {
  readonly #type: SheetType;
  readonly #cells: CellReader;
  readonly #knownNodes: ReadonlySet<string> | undefined;
  readonly #check: (body: Readonly<Record<string, unknown>>) => readonly Problem[];
  readonly #rows = new Map<string, number>();
  /** The keys of `#rows` by row: a sheet has up to 100,000, and a row is read again at each keystroke. */
  readonly #keys = new Map<number, string>();

  constructor({ type, mapping, fixed, knownNodes }: SheetReaderOptions) {
    this.#type = type;
    this.#cells = new CellReader(type, mapping, fixed);
    this.#knownNodes = knownNodes;
    this.#check = bodyCheck(type);
  }

  /** Returns undefined for an empty row. */
  read(cells: readonly string[], row: number): ReadRow | undefined {
    const read = this.#cells.read(cells);
    if (read === undefined) return undefined;
    const { sku, body, slots } = read;
    const problems = [...read.problems];
    const skuFault = skuIdFault(sku);
    const hasFault = problems.some(({ column }) => column === SKU_COLUMN);
    if (skuFault !== undefined && !hasFault) problems.push({ column: SKU_COLUMN, message: skuFault });
    for (const { field, message } of this.#check(body)) {
      const column = this.#cells.columnOf(field, slots);
      if (!isDamaged(column, read)) problems.push({ column, message: withoutField(message) });
    }
    problems.push(...this.#nodeProblems(body, slots), ...this.#repeated(sku, body, row));
    return { row, sku, body, problems };
  }

  /** Reads a row again after one of its cells was changed. */
  reread(cells: readonly string[], row: number): ReadRow | undefined {
    const key = this.#keys.get(row);
    if (key !== undefined) this.#rows.delete(key);
    this.#keys.delete(row);
    return this.read(cells, row);
  }

  #nodeProblems(body: ReadCells['body'], slots: ReadCells['slots']): RowProblem[] {
    const known = this.#knownNodes;
    if (known === undefined) return [];
    return Object.entries(flatBody(this.#type, body)).flatMap(([field, nodes]) => {
      if (!field.endsWith('fulfillment_nodes')) return [];
      return (nodes as readonly { fulfillment_node_id?: string }[]).flatMap(({ fulfillment_node_id: id }, index) => {
        if (id === undefined || known.has(id)) return [];
        const pointer = `/${field}/${index}/fulfillment_node_id`;
        return [{ column: this.#cells.columnOf(pointer, slots), message: 'is not one of your locations' }];
      });
    });
  }

  /** Stock has one row for each SKU and node, the other types one for each SKU. */
  #repeated(sku: string, body: Readonly<Record<string, unknown>>, row: number): RowProblem[] {
    if (sku === '') return [];
    const [node] = (body.fulfillment_nodes ?? []) as readonly { fulfillment_node_id?: string }[];
    const key = this.#type === 'Inventory' ? JSON.stringify([sku, node?.fulfillment_node_id]) : sku;
    const first = this.#rows.get(key);
    if (first === undefined) {
      this.#rows.set(key, row);
      this.#keys.set(row, key);
    }
    return first === undefined ? [] : [{ column: SKU_COLUMN, message: `repeats row ${first}. Keep one of them` }];
  }
}

const PART_OF_SHEET = { MerchantSKUs: 'sku', Price: 'price', Inventory: 'inventory', Archive: 'archive' } as const;
type Fields = Readonly<Record<string, unknown>>;

/** Checks the rules of the single call. Only the server knows whether a category or a SKU exists. */
function bodyCheck(type: SheetType): (body: Fields) => readonly Problem[] {
  const checks = createBodyChecks(new Names(NEUTRAL_NAMES), ANY_NODES);
  const checkPart = (part: OfferPart, body: Fields): readonly Problem[] => {
    const isShoe = part === 'sku' && body.product_type_id !== undefined;
    const outcome = checks[isShoe ? 'shoeSku' : part](readBodyValue(body));
    return outcome.ok ? [] : outcome.problems;
  };
  if (type !== 'Offers') return (body) => checkPart(PART_OF_SHEET[type], body);
  return (body) => {
    const parts = OFFER_PARTS.filter((part) => isObject(body[part]));
    if (parts.length === 0) return [requestProblem('required', 'The row has no value besides the SKU.')];
    return parts.flatMap((part) => checkPart(part, body[part] as Fields).map((one) => problemBelow(part, one)));
  };
}
