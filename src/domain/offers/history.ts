/**
 * Defines the changes to an offer that its history shows, and how the history stores the old value of a part: as a code, an amount and a
 * text, which take less space than JSON and can be compared.
 */
import type { Author } from '../author.ts';
import { byCodePoint } from '../text/text-rules.ts';
import type { OfferPart } from '../vocabulary/offer-parts.ts';
import type { NodeChange, Part, PartChange, ValueOf } from './part.ts';
import { PARTS } from './parts.ts';

type Before<Change> = Change extends { readonly part: 'inventory' }
  ? { readonly part: 'inventory'; readonly nodes: readonly Omit<NodeChange, 'after'>[] }
  : Omit<Change, 'after'>;

/** The value of a part before a change. */
export type PartBefore = Before<PartChange>;

/** The parts whose changes by a file can be undone. */
export type UndoablePart = Exclude<OfferPart, 'variation'>;

/** A change that one author made to an offer. */
export interface ChangeBy {
  readonly skuId: string;
  readonly before: PartBefore;
  /** Whether the part, or for stock one of the same nodes, was changed again later. */
  readonly isChangedSince: boolean;
}

/** `id` is unique among the offer's changes, and higher for later changes. */
export type OfferChange = PartChange & { readonly id: number; readonly atMs: number; readonly by: Author };

export const PART_CODES = Object.freeze(
  Object.fromEntries(PARTS.map(({ name, code }) => [name, code])) as Readonly<Record<OfferPart, number>>,
);

const PART_OF_CODE: ReadonlyMap<number, Part> = new Map(PARTS.map((part) => [part.code, part]));

/**
 * Throws for a code that a newer version of the server wrote during an upgrade. The reader retries until the upgraded server answers: an
 * event or change that was left out would be lost for that reader.
 */
export function partOfCode(code: number): Part {
  const part = PART_OF_CODE.get(code);
  if (part === undefined)
    throw new Error(`Unknown part code ${code}. A newer version of the server may have written it.`);
  return part;
}

/**
 * The value of a part before a change; both are null if there was none. `amount`: the price, or 1 for archived and 0 for not archived.
 * `text`: the document, or JSON text of node prices, a group (list of refinements, title, children) or exceptions. For stock it is a JSON
 * object with the quantities of the changed nodes; null: the node had none.
 */
export type StoredValue = readonly [amount: number | null, text: string | null];

export type HistoryRecord = readonly [id: number, atMs: number, by: Author, part: number, ...StoredValue];

/** A record of one part; `isBy`: the given author made the change. */
export type RecordBy = readonly [skuId: string, isBy: boolean | 0 | 1, ...StoredValue];

/** Describes what an author changed. `records`: all records of the offer from the author's first one on, in order of time. */
export function changeBy(part: UndoablePart, records: readonly RecordBy[]): ChangeBy {
  const own = records.filter(([, isBy]) => isBy);
  const later = records.filter(([, isBy]) => !isBy);
  const [skuId, , amount, text] = own[0] as RecordBy;
  if (part !== 'inventory') {
    const before = { part, before: storedValue(PART_CODES[part], amount, text) } as ChangeBy['before'];
    return { skuId, before, isChangedSince: later.length > 0 };
  }
  // Records of one file have different nodes.
  const nodes = own.flatMap(([, , , text]) => nodesIn(text));
  const since = new Set(later.flatMap(([, , , text]) => nodesIn(text)).map(({ nodeId }) => nodeId));
  return { skuId, before: { part, nodes }, isChangedSince: nodes.some(({ nodeId }) => since.has(nodeId)) };
}

/** Maps each part, and each node of the stock, to its value after the record that is read next. */
export type PartValues = Map<string, unknown>;

export function valueKey(part: number, node: string | null): string {
  return `${part} ${node ?? ''}`;
}

/** Converts a record. Sets `values` to the values before it, for the preceding record. */
export function changeOf(
  [id, atMs, by, code, amount, text]: readonly [...HistoryRecord, ...unknown[]],
  values: PartValues,
): OfferChange {
  return { id, atMs, by, ...partChangeOf(code, [amount, text], values) };
}

/** Converts the value before a change. Sets `values` as `changeOf` does. */
export function partChangeOf(code: number, [amount, text]: StoredValue, values: PartValues): PartChange {
  const { name: part } = partOfCode(code);
  const beforeAndAfter = (node: string | null, before: unknown) => {
    const key = valueKey(code, node);
    const after = values.get(key) ?? null;
    values.set(key, before);
    return { before, after };
  };
  const change =
    part === 'inventory'
      ? { nodes: nodesIn(text).map(({ nodeId, before }) => ({ nodeId, ...beforeAndAfter(nodeId, before) })) }
      : beforeAndAfter(null, storedValue(code, amount, text));
  return { part, ...change } as PartChange;
}

/** Returns the quantities before a change, in order of node id. */
export function nodesIn(text: string | null): Omit<NodeChange, 'after'>[] {
  const before = Object.entries<number | null>(JSON.parse(text ?? '{}'));
  return before.sort(([one], [other]) => byCodePoint(one, other)).map(([nodeId, before]) => ({ nodeId, before }));
}

export function storedValue(part: number, amount: number | null, text: string | null): unknown {
  return partOfCode(part).decode(amount, text);
}

/** Returns the value of the part on one side of a change; null if it was or is not set. */
export function valueOn(side: 'before' | 'after', change: PartChange | PartBefore): ValueOf<OfferPart> | null {
  if (change.part !== 'inventory') return (change as Readonly<Record<typeof side, ValueOf<OfferPart> | null>>)[side];
  const nodes = (change.nodes as readonly NodeChange[]).flatMap(({ nodeId, [side]: quantity }) => {
    return quantity === null ? [] : [{ fulfillment_node_id: nodeId, quantity }];
  });
  return nodes.length === 0 ? null : { nodes };
}
