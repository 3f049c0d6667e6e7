/**
 * Defines how both adapters store the history of offers: parts as codes, and the old value as an amount and a text, which take
 * less space than JSON and can be compared.
 */
import type { Author } from '../../domain/author.ts';
import { parseExactJson, stringifyExactJson } from '../../domain/int64.ts';
import type { HistoryPart } from '../../domain/vocabulary/history-parts.ts';
import type { HistoryPage, NodeChange, OfferChange } from '../port/history.ts';
import type { GroupUpload } from '../port/offers.ts';

/** Stored, so never reuse a number. */
export const PART_CODES = Object.freeze({
  sku: 1,
  price: 2,
  inventory: 3,
  archive: 4,
  variation: 5,
  shipping_exception: 6,
  returns_exception: 7,
}) satisfies Readonly<Record<HistoryPart, number>>;

const PARTS: ReadonlyMap<number, HistoryPart> = new Map(
  Object.entries(PART_CODES).map(([part, code]) => [code, part as HistoryPart]),
);

/** Records shown per offer, because the new value of a record is looked up among the newer ones. */
export const SHOWN_MAX = 2_000;

/** Newest records of an offer among which a file's earlier record of a part is looked up. */
export const TOLD_AMONG_MAX = 100;

/** A page ends early after this many characters, because documents may be large. */
export const PAGE_CHARACTERS_MAX = 2_000_000;

/**
 * The value of a part; both null if there was none. `amount`: the price, or 1 for archived and 0 for not archived. `text`: the
 * document, or JSON text of node prices, a group (list of refinements, title, children) or exceptions. For stock it is a
 * JSON object with the quantities of the changed nodes; null: the node had none.
 */
interface StoredValue {
  readonly amount: number | null;
  readonly text: string | null;
}

/** A row of a page of the history, as both engines read it. A stock record has a row for each node, with quantities as amounts. */
export type HistoryColumns = readonly [
  /** Order of the records; rows of one record share it. */
  seq: number,
  atMs: number,
  by: Author,
  part: number,
  node: string | null,
  ...before: readonly [amount: number | null, text: string | null],
  ...after: readonly [amount: number | null, text: string | null],
  more: boolean | 0 | 1,
];

/** Rows of one record are adjacent. */
export function pageOf(rows: readonly HistoryColumns[]): HistoryPage {
  const records = Map.groupBy(rows, ([seq]) => seq);
  const last = rows.at(-1);
  return { changes: Array.from(records.values(), changeOf), next: last?.[9] ? last[0] : undefined };
}

function changeOf(rows: readonly HistoryColumns[]): OfferChange {
  const [id, atMs, by, code, , amount, text, amountAfter, textAfter] = rows[0] as HistoryColumns;
  const before = { amount, text };
  const after = { amount: amountAfter, text: textAfter };
  const part = PARTS.get(code);
  switch (part) {
    case 'sku':
    case 'shipping_exception':
      return { id, atMs, by, part, before: before.text, after: after.text };
    case 'price':
      return { id, atMs, by, part, before: priceOf(before), after: priceOf(after) };
    case 'inventory':
      return { id, atMs, by, part, nodes: rows.map(nodeChangeOf) };
    case 'archive':
      return { id, atMs, by, part, before: before.amount === 1, after: after.amount === 1 };
    case 'variation':
      return { id, atMs, by, part, before: groupOf(before), after: groupOf(after) };
    case 'returns_exception':
      return { id, atMs, by, part, before: listOf(before), after: listOf(after) };
    case undefined:
      throw new Error(`The history has an unknown part ${code}.`);
  }
}

function nodeChangeOf([, , , , node, before, , after]: HistoryColumns): NodeChange {
  return { nodeId: node ?? '', before, after };
}

function priceOf({ amount, text }: StoredValue) {
  return amount === null ? null : { price: amount, nodes: text === null ? [] : JSON.parse(text) };
}

function groupOf({ text }: StoredValue): GroupUpload | null {
  if (text === null) return null;
  const [refinements, title, childrenSkus] = parseExactJson(text) as [unknown, string | null, string[]];
  return { refinements: stringifyExactJson(refinements), title, childrenSkus };
}

function listOf({ text }: StoredValue): readonly string[] | null {
  return text === null ? null : JSON.parse(text);
}
