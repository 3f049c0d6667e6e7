/**
 * Writes rows of a bulk file, which count as written when the file was submitted: each changes only parts without a higher
 * number than the file's, and gives them that number. Runs inside a transaction of the writer thread. Files have millions of
 * rows, so every microsecond counts.
 *
 * Rows travel to the thread as a list per field: cloning few lists between threads costs less than cloning an object per row. A
 * transferred buffer with all documents would save the writer 0.4 of 2.5 us per document of 1.4 KB, but cost the sender 1.1 us
 * in addition to 0.5 us.
 */
import type { RowOutcome, RowWrite } from '../../port/files.ts';
import type { GroupUpload } from '../../port/offers.ts';
import { type Connection, query } from '../engine/engine.ts';
import type { Change, HistoryWrites } from '../history/history-writes.ts';
import type { GroupWrites } from '../offers/group-writes.ts';
import { partWrites } from '../offers/part-writes.ts';
import type { ReviewMarks } from '../review/review-marks.ts';

/** `number` is that of the row's part, if the table `sku` has it. */
type FoundSku = readonly [id: number, archived: 0 | 1, number: number];
type UnknownSku = readonly [id: null, archived: null, number: null];

type ColumnsOf<Kind extends RowColumns['kind']> = Extract<RowColumns, { readonly kind: Kind }>;

/** The file of the rows, and their results so far. */
interface Slice {
  readonly accountId: number;
  readonly change: Change;
  /** Offers whose verdict may change. */
  readonly due: number[];
  readonly outcomes: RowOutcome[];
}

export type FileRows = ReturnType<typeof fileRows>;

export function fileRows(connection: Connection, groupWrites: GroupWrites, marks: ReviewMarks, history: HistoryWrites) {
  /** Whether the last uploaded SKU was new; the next one nearly always is too. */
  let wasNew = false;
  const parts = partWrites(connection, history);
  const findWith = (number: string) =>
    query<FoundSku>(connection, `SELECT id, archived, ${number} FROM sku WHERE account_id = ? AND sku_id = ?`);
  const find = findWith('0');
  // Returns ids in the order of the list, in less than half the time of single lookups.
  const findAll = query<FoundSku | UnknownSku>(
    connection,
    `SELECT s.id, s.archived, s.inventory_zeroed_number
     FROM json_each(?2) asked LEFT JOIN sku s ON s.account_id = ?1 AND s.sku_id = asked.value`,
  );
  const findForFlag = findWith('archive_number');
  const findForShipping = findWith('shipping_number');
  const findForReturns = findWith('returns_number');

  /** `change` has the author and number of the file. */
  function apply(accountId: number, change: Change, columns: RowColumns): readonly RowOutcome[] {
    const slice: Slice = { accountId, change, due: [], outcomes: [] };
    switch (columns.kind) {
      case 'sku':
        putDocuments(slice, columns);
        break;
      case 'price':
        putPrices(slice, columns);
        break;
      case 'inventory':
        patchStock(slice, columns);
        break;
      case 'shipping':
      case 'returns':
        putTexts(slice, columns);
        break;
      case 'archive':
        setFlags(slice, columns);
        break;
      case 'group':
        putGroups(slice, columns);
        break;
    }
    marks.markAll(accountId, slice.due);
    return slice.outcomes;
  }

  function putDocuments({ accountId, change, due, outcomes }: Slice, { skuIds, documents }: ColumnsOf<'sku'>): void {
    for (const [place, skuId] of skuIds.entries()) {
      const document = documents[place] as string;
      let id = wasNew ? parts.addSku(accountId, skuId, document, change) : undefined;
      let outcome: RowOutcome = 'stored';
      if (id === undefined) {
        const sku = find.get(accountId, skuId);
        wasNew = sku === undefined;
        if (sku === undefined) {
          id = parts.addSku(accountId, skuId, document, change) as number;
        } else {
          id = sku[0];
          if (sku[1] === 1) outcome = 'archived';
          else if (parts.writeDocument(id, document, change) === 'superseded') outcome = 'superseded';
        }
      }
      if (outcome === 'stored') due.push(id);
      outcomes.push(outcome);
    }
  }

  /** Price and stock rows do not affect the lookup of later rows, so all SKUs are looked up at once. */
  function putPrices({ accountId, change, due, outcomes }: Slice, columns: ColumnsOf<'price'>): void {
    const { skuIds, prices, nodes } = columns;
    for (const [place, [id, archived]] of findAll.all(accountId, JSON.stringify(skuIds)).entries()) {
      if (id === null || archived === 1) {
        outcomes.push(id === null ? 'unknown' : 'archived');
        continue;
      }
      const written = parts.writePrice(id, prices[place] as number, nodes[place] as string, change);
      if (written === 'first') due.push(id);
      outcomes.push(written === 'superseded' ? written : 'stored');
    }
  }

  function patchStock({ accountId, change, due, outcomes }: Slice, columns: ColumnsOf<'inventory'>): void {
    const { skuIds, nodeCounts, nodeIds, quantities } = columns;
    let end = 0;
    const skus = findAll.all(accountId, JSON.stringify(skuIds));
    for (const [place, [id, archived, zeroedNumber]] of skus.entries()) {
      const start = end;
      end += nodeCounts[place] as number;
      if (id === null || archived === 1) {
        outcomes.push(id === null ? 'unknown' : 'archived');
      } else if (start === end) {
        outcomes.push('stored');
      } else if (zeroedNumber > change.number) {
        // Every node, also without a record, has at least the number of the last zeroing.
        outcomes.push('superseded');
      } else {
        const written = parts.writeQuantities(id, nodeIds, quantities, start, end, change);
        if (written.newNodes > 0) due.push(id);
        outcomes.push(written.writtenNodes > 0 ? 'stored' : 'superseded');
      }
    }
  }

  function putTexts({ accountId, change, outcomes }: Slice, columns: ColumnsOf<'shipping' | 'returns'>): void {
    const { kind, skuIds, texts } = columns;
    const find = kind === 'shipping' ? findForShipping : findForReturns;
    for (const [place, skuId] of skuIds.entries()) {
      const sku = find.get(accountId, skuId);
      const outcome = outcomeFor(sku, change.number);
      outcomes.push(outcome);
      if (sku === undefined || outcome !== 'stored') continue;
      const text = texts[place] as string | null;
      if (kind === 'shipping') parts.putShipping(sku[0], text, change);
      else parts.putReturns(sku[0], text, change);
    }
  }

  function setFlags({ accountId, change, due, outcomes }: Slice, { skuIds, archived }: ColumnsOf<'archive'>): void {
    for (const [place, skuId] of skuIds.entries()) {
      const sku = findForFlag.get(accountId, skuId);
      if (sku === undefined || sku[2] > change.number) {
        outcomes.push(sku === undefined ? 'unknown' : 'superseded');
        continue;
      }
      const [id, wasArchived] = sku;
      const isArchived = archived[place] as boolean;
      if (isArchived === (wasArchived === 1)) {
        parts.numberFlag(id, change);
      } else {
        parts.changeFlag(id, isArchived, change);
        due.push(id);
      }
      outcomes.push('stored');
    }
  }

  /** Group writes mark their members themselves. */
  function putGroups({ accountId, change, outcomes }: Slice, { skuIds, groups }: ColumnsOf<'group'>): void {
    for (const [place, { refinements, title, childrenSkus }] of groups.entries()) {
      const found = groupWrites.findMembers(accountId, skuIds[place] as string, childrenSkus);
      if (typeof found === 'string' || 'refused' in found) {
        outcomes.push(found);
      } else if (groupWrites.isSuperseded(found, change.number)) {
        outcomes.push('superseded');
      } else {
        groupWrites.put(accountId, found, refinements, title, change);
        outcomes.push('stored');
      }
    }
  }

  return { apply };
}

function outcomeFor(sku: FoundSku | undefined, number: number): RowOutcome {
  if (sku === undefined) return 'unknown';
  if (sku[1] === 1) return 'archived';
  return sku[2] > number ? 'superseded' : 'stored';
}

/** Entries correspond by index. */
export type RowColumns = { readonly skuIds: readonly string[] } & (
  | { readonly kind: 'sku'; readonly documents: readonly string[] }
  /** `nodes` is the JSON text of the node prices. */
  | { readonly kind: 'price'; readonly prices: readonly number[]; readonly nodes: readonly string[] }
  /** `nodeIds` and `quantities` of all rows are concatenated; `nodeCounts` has the number per row. */
  | {
      readonly kind: 'inventory';
      readonly nodeCounts: readonly number[];
      readonly nodeIds: readonly string[];
      readonly quantities: readonly number[];
    }
  /** JSON texts; null removes the exceptions. */
  | { readonly kind: 'shipping' | 'returns'; readonly texts: readonly (string | null)[] }
  | { readonly kind: 'archive'; readonly archived: readonly boolean[] }
  | { readonly kind: 'group'; readonly groups: readonly GroupUpload[] }
);

type RowOf<Kind extends RowWrite['kind']> = Extract<RowWrite, { readonly kind: Kind }>;

/** All rows are of one kind. */
export function columnsOf(rows: readonly RowWrite[]): RowColumns {
  const kind = rows[0]?.kind ?? 'sku';
  if (rows.some((row) => row.kind !== kind)) throw new Error('All rows of a file must be of one kind.');
  const skuIds = rows.map(({ skuId }) => skuId);
  switch (kind) {
    case 'sku':
      return { kind, skuIds, documents: (rows as readonly RowOf<'sku'>[]).map(({ document }) => document) };
    case 'price': {
      const prices = rows as readonly RowOf<'price'>[];
      return { kind, skuIds, prices: prices.map(({ price }) => price), nodes: prices.map(nodePricesText) };
    }
    case 'inventory':
      return { kind, skuIds, ...stockColumns(rows as readonly RowOf<'inventory'>[]) };
    case 'shipping':
      return { kind, skuIds, texts: (rows as readonly RowOf<'shipping'>[]).map(({ exceptions }) => exceptions) };
    case 'returns':
      return {
        kind,
        skuIds,
        texts: (rows as readonly RowOf<'returns'>[]).map(({ locationIds }) =>
          locationIds === null ? null : JSON.stringify(locationIds),
        ),
      };
    case 'archive':
      return { kind, skuIds, archived: (rows as readonly RowOf<'archive'>[]).map(({ archived }) => archived) };
    case 'group':
      return { kind, skuIds, groups: (rows as readonly RowOf<'group'>[]).map(({ group }) => group) };
  }
}

function nodePricesText({ nodes }: RowOf<'price'>): string {
  return nodes.length === 0 ? '[]' : JSON.stringify(nodes);
}

function stockColumns(rows: readonly RowOf<'inventory'>[]) {
  const nodeIds: string[] = [];
  const quantities: number[] = [];
  for (const row of rows) {
    for (const { fulfillment_node_id, quantity } of row.quantities) {
      nodeIds.push(fulfillment_node_id);
      quantities.push(quantity);
    }
  }
  return { nodeCounts: rows.map((row) => row.quantities.length), nodeIds, quantities };
}
