/**
 * Writes rows of a bulk file, which count as written when the file was submitted: each changes only parts without a higher number than the
 * file's, and gives them that number. Runs inside a transaction of the writer thread. Files have millions of rows, so every microsecond
 * counts.
 *
 * Rows travel to the thread as a list per field: cloning few lists between threads costs less than cloning an object per row. A transferred
 * buffer with all documents would save the writer 0.4 of 2.5 us per document of 1.4 KB, but cost the sender 1.1 us in addition to 0.5 us.
 */
import { authorOfFile } from '../../../domain/author.ts';
import type { BulkFile, FileProgress, RowOutcome } from '../../../domain/bulk-files.ts';
import type { FileRow, OfferRow, PartWrite } from '../../../domain/offers/part.ts';
import { MOVE, moveValues } from '../../shared/files/file-row.ts';
import { listsOf } from '../../shared/sql.ts';
import type { Connection } from '../engine/connection.ts';
import type { HistoryWrites } from '../history/history-writes.ts';
import type { GroupWrites } from '../offers/group-writes.ts';
import { type FoundSku, type PackedRow, packed, rowWrites, type Slice } from '../offers/offer-writes.ts';
import type { ReviewMarks } from '../review/review-marks.ts';

/**
 * The lists correspond by index: SKU ids, then the values of each `PackedRow`. For stock, a list counts the nodes of each row, and
 * `nodeIds` and `quantities` of all rows are concatenated. Rows of several parts have a list with the parts of each row.
 */
export type RowColumns = readonly [
  part: FileRow['part'],
  skuIds: readonly string[],
  ...values: readonly (readonly unknown[])[],
];

type StockColumns = readonly [
  part: 'inventory',
  skuIds: readonly string[],
  nodeCounts: readonly number[],
  nodeIds: readonly string[],
  quantities: readonly number[],
];

export function fileRows(connection: Connection, groups: GroupWrites, marks: ReviewMarks, history: HistoryWrites) {
  const rows = rowWrites(connection, groups, history);
  // Returns ids in the order of the list, in less than half the time of single lookups.
  const findAll = connection.query<FoundSku>(`
    SELECT s.id, s.archived, s.inventory_zeroed_number
    FROM json_each(?2) asked LEFT JOIN sku s ON s.account_id = ?1 AND s.sku_id = asked.value`);

  function applyRows(file: BulkFile, done: FileProgress, columns: RowColumns, nowMs: number) {
    const [moved] = connection.run(MOVE, moveValues(file, done));
    if (moved === undefined) return 'stale';
    const { accountId, fileId } = file;
    const change = history.begin(accountId, authorOfFile(fileId), true, moved[0], nowMs);
    const slice: Slice = { accountId, change: () => change, due: [] };
    const outcomes = applyAll(slice, columns);
    marks.mark(accountId, slice.due);
    return outcomes;
  }

  /** Price and stock rows do not affect the lookup of later rows, so all SKUs are looked up at once. */
  function applyAll(slice: Slice, columns: RowColumns): RowOutcome[] {
    const [part, skuIds, first = [], second = [], third = []] = columns;
    if (part === 'inventory') return patchStock(slice, columns as StockColumns);
    if (part === 'offer') return (first as readonly PackedRow[][]).map((parts) => rows.applyParts(slice, parts));
    const rowAt = (index: number) =>
      [part, skuIds[index], first[index], second[index], third[index]] as readonly unknown[] as PackedRow;
    if (part !== 'price') return skuIds.map((_, index) => rows.apply(slice, rowAt(index)));
    const skus = findAll.all(slice.accountId, JSON.stringify(skuIds));
    return skus.map((sku, index) => rows.applyTo(slice, sku, rowAt(index) as RowOf<'price'>));
  }

  function patchStock(slice: Slice, [part, skuIds, nodeCounts, nodeIds, quantities]: StockColumns): RowOutcome[] {
    let end = 0;
    return findAll.all(slice.accountId, JSON.stringify(skuIds)).map((sku, index) => {
      const start = end;
      end += nodeCounts[index] as number;
      return rows.applyTo(slice, sku, [part, skuIds[index] as string, nodeIds, quantities], start, end);
    });
  }

  return { applyRows };
}

type RowOf<Name extends PackedRow[0]> = Extract<PackedRow, readonly [Name, ...unknown[]]>;

/** All rows are of one kind. */
export function columnsOf(rows: readonly FileRow[]): RowColumns {
  const part = rows[0]?.part ?? 'sku';
  if (rows.some((row) => row.part !== part)) throw new Error('All rows of a file must write the same part.');
  const skuIds = rows.map(({ skuId }) => skuId);
  if (part === 'inventory') {
    const stock = (rows as readonly Extract<PartWrite, { readonly part: 'inventory' }>[]).map(
      ({ quantities }) => quantities,
    );
    return [
      part,
      skuIds,
      stock.map(({ length }) => length),
      ...listsOf(stock.flat(), 'fulfillment_node_id', 'quantity'),
    ];
  }
  if (part === 'offer') return [part, skuIds, (rows as readonly OfferRow[]).map(({ parts }) => parts.map(packed))];
  const all = (rows as readonly PartWrite[]).map(packed) as readonly (readonly unknown[])[];
  return [part, skuIds, ...listsOf(all, ...[2, 3, 4].slice(0, (all[0]?.length ?? 2) - 2))];
}
