/**
 * In charge of how the history of offers is stored in every adapter: parts by number, and what a part was before as an
 * amount and a text, which take less room than JSON and are compared as they are.
 */
import type { Author } from '../../domain/author.ts';
import { parseExactJson, stringifyExactJson } from '../../domain/int64.ts';
import type { HistoryPart } from '../../domain/vocabulary/history-parts.ts';
import type { HistoryPage, NodeChange, OfferChange } from '../port/history.ts';
import type { GroupUpload } from '../port/offers.ts';

/** Stored: never given to another part. */
export const PART_CODES = Object.freeze({
  sku: 1,
  price: 2,
  inventory: 3,
  archive: 4,
  variation: 5,
  shipping_exceptions: 6,
  returns_exceptions: 7,
}) satisfies Readonly<Record<HistoryPart, number>>;

const PARTS: ReadonlyMap<number, HistoryPart> = new Map(
  Object.entries(PART_CODES).map(([part, code]) => [code, part as HistoryPart]),
);

/** Of an offer, as many of the newest records are shown: what a record was changed to is looked for among the newer ones. */
export const SHOWN_MAX = 2_000;

/** Whether a file was told of a change before is looked for among so many of the newest records of the offer. */
export const TOLD_AMONG_MAX = 100;

/** A page of documents as large as a body may be ends early, at this many characters or with the record behind them. */
export const PAGE_CHARACTERS_MAX = 2_000_000;

/**
 * What a part was or is; both null where there was none.
 *
 * `amount`: the price, or 1 and 0 for archived and not. `text`: the document, the JSON text of the node prices where there
 * are some, that of a group (refinements, title and children, in one list) and those of exceptions. Of the stock it is a
 * JSON object with the nodes that one write changed and their quantities, null for a node that had none.
 */
interface StoredValue {
  readonly amount: number | null;
  readonly text: string | null;
}

/** A record as it is read. One of the stock has a row for each node, whose quantities are the amounts. */
interface HistoryRow {
  /** Their order; the rows of a record have the same. */
  readonly seq: number;
  readonly atMs: number;
  readonly by: Author;
  readonly part: number;
  readonly node: string | null;
  readonly before: StoredValue;
  readonly after: StoredValue;
}

/** Rows of one record follow each other. */
function changesOf(rows: readonly HistoryRow[]): readonly OfferChange[] {
  const records = Map.groupBy(rows, ({ seq }) => seq);
  return Array.from(records.values(), ([first, ...others]) => changeOf(first as HistoryRow, others));
}

function changeOf(row: HistoryRow, others: readonly HistoryRow[]): OfferChange {
  const { atMs, by, part: code, before, after } = row;
  const part = PARTS.get(code);
  switch (part) {
    case 'sku':
    case 'shipping_exceptions':
      return { atMs, by, part, before: before.text, after: after.text };
    case 'price':
      return { atMs, by, part, before: priceOf(before), after: priceOf(after) };
    case 'inventory':
      return { atMs, by, part, nodes: [row, ...others].map(nodeChangeOf) };
    case 'archive':
      return { atMs, by, part, before: before.amount === 1, after: after.amount === 1 };
    case 'variation':
      return { atMs, by, part, before: groupOf(before), after: groupOf(after) };
    case 'returns_exceptions':
      return { atMs, by, part, before: listOf(before), after: listOf(after) };
    case undefined:
      throw new Error(`The history has a part ${code}, which nobody knows.`);
  }
}

function nodeChangeOf({ node, before, after }: HistoryRow): NodeChange {
  return { nodeId: node ?? '', before: before.amount, after: after.amount };
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

/** A row of a page of the history, as both engines read it. */
export type HistoryColumns = readonly [
  seq: number,
  atMs: number,
  by: Author,
  part: number,
  node: string | null,
  ...before: readonly [amount: number | null, text: string | null],
  ...after: readonly [amount: number | null, text: string | null],
  more: boolean | 0 | 1,
];

export function pageOf(rows: readonly HistoryColumns[]): HistoryPage {
  const changes = changesOf(
    rows.map(([seq, atMs, by, part, node, amount, text, amountAfter, textAfter]) => {
      return { seq, atMs, by, part, node, before: { amount, text }, after: { amount: amountAfter, text: textAfter } };
    }),
  );
  const last = rows.at(-1);
  return { changes, next: last?.[9] ? last[0] : undefined };
}
