/**
 * Defines writes to offers, and groups writes that are sent together into few statements without reordering the writes of a SKU.
 *
 * A statement writes one kind of part for many SKUs, each once. Consecutive writes of one kind and author to a SKU are folded
 * into one, which the history shows as one change. A write of another kind is part of a later wave. Waves run one after the
 * other; within a wave no two statements touch the same SKU.
 */
import type { Author } from '../../../domain/author.ts';
import type { ClearableWrite, PartWrite } from '../../../domain/offers/part.ts';
import type { Precondition } from '../../../domain/precondition.ts';
import type { TagScope } from '../../port/offers.ts';

/** Author and time of a change, for the history. */
export interface Attribution {
  readonly by: Author;
  readonly atMs: number;
}

/** Changes one part of one offer. */
export type RowWrite = Attribution & { readonly skuId: string } & RowChange;

type RowChange =
  /** `firstMs` is the time of the first of the folded uploads. */
  | { readonly part: 'sku'; readonly document: string; readonly firstMs: number }
  /** `nodes` is JSON text. */
  | { readonly part: 'price'; readonly price: number; readonly nodes: string }
  | { readonly part: 'inventory'; readonly nodes: ReadonlyMap<string, { quantity: number; updatedMs: number }> }
  | ClearableWrite
  /** `isChanged` is set if several rows of a file were folded into one: whether any of them changed the flag. */
  | { readonly part: 'archive'; readonly archived: boolean; readonly isChanged?: boolean };

export type RowPart = RowWrite['part'];
export type WriteOf<Name extends RowPart> = Extract<RowWrite, { readonly part: Name }>;

/** A row of a file that changes several offers, or a single call in the same form. */
export type GroupWrite = Attribution & Extract<PartWrite, { readonly part: 'variation' }>;

/** Several parts of one offer, or a group, in their own transaction. */
export interface PartsWrite extends Attribution {
  readonly skuId: string;
  readonly parts: readonly PartWrite[];
  readonly precondition: Precondition | undefined;
  readonly scope: TagScope;
}

export type OfferWrite = RowWrite | PartsWrite;

/** One part without a precondition needs no transaction of its own, unless it is a group or written as a whole offer. */
export function offerWriteOf(write: PartsWrite): OfferWrite {
  const [first, ...others] = write.parts;
  if (first === undefined) throw new Error('A write has at least one part.');
  const isPlain = write.precondition === undefined && write.scope === 'part';
  const isAlone = others.length === 0 && isPlain && first.part !== 'variation';
  return isAlone ? rowWriteOf(first, write) : write;
}

/** A row of a file, or a single call in the same form. */
export type PartRow = Exclude<PartWrite, { readonly part: 'variation' }>;

export function rowWriteOf(row: PartRow, { by, atMs }: Attribution): RowWrite {
  const change = { skuId: row.skuId, by, atMs };
  switch (row.part) {
    case 'sku':
      return { part: 'sku', document: row.document, firstMs: atMs, ...change };
    case 'price': {
      const nodes = row.nodes.length === 0 ? '[]' : JSON.stringify(row.nodes);
      return { part: 'price', price: row.price, nodes, ...change };
    }
    case 'inventory': {
      const nodes = row.quantities.map(
        ({ fulfillment_node_id, quantity }) => [fulfillment_node_id, { quantity, updatedMs: atMs }] as const,
      );
      return { part: 'inventory', nodes: new Map(nodes), ...change };
    }
    case 'archive':
      return { part: 'archive', archived: row.archived, ...change };
    default:
      return { part: row.part, text: row.text, ...change };
  }
}

export interface StepRow {
  /** The result of the folded writes. */
  write: RowWrite;
  /** Positions of the folded writes in the given list. Each write gets a response. */
  readonly indexes: number[];
}

/** The rows of one statement: all of one kind, each SKU once. */
export type Step = readonly [part: RowPart, rows: readonly StepRow[]];

/** Returns the steps in the order in which to send them. */
export function stepsOf(writes: readonly RowWrite[]): Step[] {
  const waves: StepRow[][] = [];
  const lastOfSku = new Map<string, { readonly row: StepRow; readonly wave: number }>();
  writes.forEach((write, index) => {
    const last = lastOfSku.get(write.skuId);
    const folded = last && last.row.write.by === write.by ? foldedWrite(last.row.write, write) : undefined;
    if (last !== undefined && folded !== undefined) {
      last.row.write = folded;
      last.row.indexes.push(index);
      return;
    }
    const row: StepRow = { write, indexes: [index] };
    const wave = last === undefined ? 0 : last.wave + 1;
    waves[wave] = waves[wave] ?? [];
    waves[wave].push(row);
    lastOfSku.set(write.skuId, { row, wave });
  });
  return waves.flatMap((rows) => {
    // All processes write SKUs in the same order, which prevents deadlocks.
    const sorted = rows.sort((a, b) => (a.write.skuId < b.write.skuId ? -1 : 1));
    return [...Map.groupBy(sorted, ({ write }) => write.part)];
  });
}

/** Returns undefined if the two writes to a SKU cannot be merged. */
function foldedWrite(earlier: RowWrite, later: RowWrite): RowWrite | undefined {
  if (earlier.part === 'sku' && later.part === 'sku') return { ...later, firstMs: earlier.firstMs };
  if (earlier.part === 'inventory' && later.part === 'inventory') {
    return { ...later, nodes: new Map([...earlier.nodes, ...later.nodes]) };
  }
  // Setting the flag again changes nothing, not even its time.
  if (earlier.part === 'archive' && later.part === 'archive') {
    return earlier.archived === later.archived ? earlier : undefined;
  }
  return earlier.part === later.part ? later : undefined;
}
