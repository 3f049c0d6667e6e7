/**
 * In charge of recording changes in the statement that makes them. An update of offers leaves in each row what it found
 * there (see history-tables.ts) and returns that; what was changed is then inserted from it.
 *
 * Who is named and when are columns of the rows that are written, `i.author_id` and `i.at_ms`; the author is 0 where no history
 * is kept. The rows of one file are one change of a part: a part that has the file's number already is recorded only where
 * the file has no record for it. Whether they are rows of a file is a parameter, `isOfFile`.
 *
 * Nothing is joined by the ids of SKUs. A plan for any number of rows takes them for few, and would go through all rows for
 * each of a thousand.
 */
import { PART_CODES, TOLD_AMONG_MAX } from '../history-rows.ts';
import { type Statement, statement } from './statements.ts';

type UpdatedPart = 'price' | 'shipping_exceptions' | 'returns_exceptions';

/** Of an update: `number` is the column with that of the part, `$2` the number of the write. */
interface Told {
  readonly part: UpdatedPart;
  readonly number: string;
  /** Whether the write changes the part. */
  readonly isChanged: string;
  /** What it was, see StoredValue. */
  readonly amount?: string;
  readonly text?: string;
}

/** What is set beside the part itself. */
export function foundPart({ part, number, isChanged, amount = 'NULL', text = 'NULL' }: Told): string {
  return `changes = offer.changes + 1, changed_number = offer.${number}, changed_amount = ${amount},
     changed_text = ${text}, changed_stock = NULL,
     changed_part = CASE WHEN (coalesce(offer.${number} > $2::bigint, false) OR NOT (${isChanged})) THEN NULL
       ELSE ${PART_CODES[part]} END`;
}

/** The same for the stock, all of it: which of the nodes were changed is told apart behind the update. */
export const FOUND_STOCK = `changes = offer.changes + 1, changed_part = ${PART_CODES.inventory}, changed_number = NULL,
     changed_amount = NULL, changed_text = NULL, changed_stock = offer.inventory`;

/** The same for the flag, with the stock that it zeroes, and from which number on that was not zero already. */
export function foundFlag(archived: string, zeroes: string): string {
  return `changes = offer.changes + 2, changed_number = offer.inventory_zeroed_number, changed_amount = NULL,
     changed_text = NULL, changed_stock = CASE WHEN ${zeroes} THEN offer.inventory END,
     changed_part = CASE WHEN offer.archived = ${archived} THEN NULL ELSE ${PART_CODES.archive} END`;
}

const INSERT = `INSERT INTO offer_history (account_id, upload_order, seq, at_ms, author_id, part, amount, text)`;

/** The newest records of the offer `w`: what a file has told of it is among them. */
export const NEWEST = `(SELECT h.part, h.author_id, h.text FROM offer_history h
         WHERE h.account_id = $1 AND h.upload_order = w.upload_order ORDER BY h.seq DESC LIMIT ${TOLD_AMONG_MAX}) o`;

/** Whether a record is due, of a part that had this number. */
function isDue(isOfFile: string, part: number, numberBefore: string): string {
  return `(NOT ${isOfFile}::boolean OR coalesce(${numberBefore}, 0) < $2::bigint OR NOT EXISTS (
     SELECT 1 FROM ${NEWEST} WHERE o.part = ${part} AND o.author_id = w.author_id))`;
}

/** `update` is one that has `foundPart` in it, up to its RETURNING; `returned` are the columns of its answer. */
export function tellingPart<Row extends readonly unknown[]>(
  name: string,
  part: UpdatedPart,
  update: string,
  returned: readonly [string, string, string],
  isOfFile: string,
): Statement<Row> {
  return statement<Row>(
    name,
    `WITH w (sku_id, is_marked, is_newest, author_id, at_ms, upload_order, seq, part, number, amount, text) AS (
       ${update}
       RETURNING ${returned.join(', ')}, i.author_id, i.at_ms, offer.upload_order, offer.changes, offer.changed_part,
         offer.changed_number, offer.changed_amount, offer.changed_text
     ), told AS (
       ${INSERT}
       SELECT $1::bigint, w.upload_order, w.seq, w.at_ms, w.author_id, w.part, w.amount, w.text FROM w
       WHERE w.part = ${PART_CODES[part]} AND w.author_id > 0 AND ${isDue(isOfFile, PART_CODES[part], 'w.number')}
     ) SELECT sku_id, is_marked, is_newest FROM w`,
  );
}

/**
 * `update` has FOUND_STOCK in it; `nodes` is what it adds to the stock, `first` the record of that where there was none: to
 * tell the nodes apart would take a fifth of the statement's time.
 */
export function tellingStock<Row extends readonly unknown[]>(
  name: string,
  update: string,
  nodes: string,
  first: string,
  returned: readonly [string, string, string],
  isOfFile: string,
): Statement<Row> {
  return statement<Row>(
    name,
    `WITH w (sku_id, is_marked, is_newest, author_id, at_ms, upload_order, seq, zeroed, stock, nodes, first) AS (
       ${update}
       RETURNING ${returned.join(', ')}, i.author_id, i.at_ms, offer.upload_order, offer.changes,
         offer.inventory_zeroed_number, offer.changed_stock, ${nodes}, ${first}
     ), changed AS MATERIALIZED (
       SELECT w.upload_order, w.seq, w.at_ms, w.author_id, CASE WHEN w.stock = '{}' THEN w.first ELSE (
         SELECT '{' || string_agg(to_json(n.id)::text || ':' || coalesce(n.before::text, 'null'), ',') || '}'
         FROM (
           SELECT e.id, e.after, e.number,
             CASE WHEN e.number IS NULL THEN NULL WHEN e.number < w.zeroed THEN 0 ELSE (e.entry ->> 0)::bigint END AS before
           FROM (
             SELECT f.id, f.after, f.entry, (f.entry ->> 2)::bigint AS number
             FROM (
               SELECT e.key AS id, (e.value ->> 0)::bigint AS after, w.stock -> e.key AS entry FROM jsonb_each(w.nodes) e
               OFFSET 0
             ) f OFFSET 0
           ) e OFFSET 0
         ) n
         WHERE n.after IS DISTINCT FROM n.before
           AND (NOT ${isOfFile}::boolean OR n.number IS DISTINCT FROM $2::bigint OR NOT EXISTS (
             SELECT 1 FROM ${NEWEST}
             WHERE o.part = ${PART_CODES.inventory} AND o.author_id = w.author_id AND o.text::jsonb ? n.id))) END AS text
       FROM w WHERE w.author_id > 0
     ), told AS (
       ${INSERT}
       SELECT $1::bigint, upload_order, seq, at_ms, author_id, ${PART_CODES.inventory}, NULL, text FROM changed
       WHERE text IS NOT NULL
     ) SELECT sku_id, is_marked, is_newest FROM w`,
  );
}

/** `update` has `foundFlag` in it. The stock is told behind the flag. */
export function tellingFlag<Row extends readonly unknown[]>(
  name: string,
  update: string,
  returned: readonly [string, string],
  isOfFile: string,
): Statement<Row> {
  return statement<Row>(
    name,
    `WITH w (sku_id, is_marked, author_id, at_ms, upload_order, seq, part, zeroed_before, zeroed, stock, archived) AS (
       ${update}
       RETURNING ${returned.join(', ')}, i.author_id, i.at_ms, offer.upload_order, offer.changes, offer.changed_part,
         offer.changed_number, offer.inventory_zeroed_number, offer.changed_stock, offer.archived
     ), changed AS MATERIALIZED (
       SELECT w.upload_order, w.seq - 1 AS seq, w.at_ms, w.author_id, w.part,
         CASE WHEN w.archived THEN 0 ELSE 1 END AS amount, NULL::text AS text
       FROM w WHERE w.part = ${PART_CODES.archive} AND (NOT ${isOfFile}::boolean OR NOT EXISTS (
         SELECT 1 FROM ${NEWEST} WHERE o.part = ${PART_CODES.archive} AND o.author_id = w.author_id))
       UNION ALL
       SELECT w.upload_order, w.seq, w.at_ms, w.author_id, ${PART_CODES.inventory}, NULL, (
         SELECT jsonb_object_agg(n.key, n.value -> 0)::text FROM jsonb_each(w.stock) n
         WHERE (n.value ->> 0)::bigint <> 0
           AND (n.value ->> 2)::bigint >= w.zeroed_before AND (n.value ->> 2)::bigint < w.zeroed)
       FROM w
     ), told AS (
       ${INSERT}
       SELECT $1::bigint, upload_order, seq, at_ms, author_id, part, amount, text FROM changed
       WHERE author_id > 0 AND (amount IS NOT NULL OR text IS NOT NULL)
     ) SELECT sku_id, is_marked FROM w`,
  );
}

/**
 * Documents that are there are locked and looked at ahead of the upload, whose rows are `i`. One that comes to be there in
 * between is left in the row by the upload itself, which asks for that by `changed_part`; the author is in
 * `changed_number`, since an insert returns nothing else than what the row has become.
 */
export function tellingDocument<Row extends readonly unknown[]>(
  name: string,
  upsert: string,
  isOfFile: string,
): Statement<Row> {
  return statement<Row>(
    name,
    `WITH found AS MATERIALIZED (
       SELECT offer.sku_id, offer.document, offer.document_number FROM offer
       WHERE offer.account_id = $1 AND offer.sku_id = ANY ($4::text[]) AND NOT offer.archived
       ORDER BY offer.sku_id FOR UPDATE
     ), written (sku_id, is_newest, author_id, at_ms, upload_order, seq, document, document_before) AS (
       ${upsert}
       RETURNING sku_id, document_number = $2::bigint, changed_number, document_updated_ms, upload_order, changes,
         document, changed_text
     ), w AS (
       SELECT sku_id, bool_or(is_newest) AS is_newest, max(author_id) AS author_id, max(at_ms) AS at_ms,
         max(upload_order) AS upload_order, max(seq) AS seq, max(document) AS document,
         max(document_before) AS document_before, max(number_before) AS number_before
       FROM (
         SELECT written.*, NULL::bigint AS number_before FROM written
         UNION ALL
         SELECT sku_id, NULL, NULL, NULL, NULL, NULL, NULL, document, document_number FROM found
       ) both_of GROUP BY sku_id
     ), told AS (
       ${INSERT}
       SELECT $1::bigint, w.upload_order, w.seq, w.at_ms, w.author_id, ${PART_CODES.sku}, NULL, w.document_before FROM w
       WHERE w.is_newest AND w.author_id > 0 AND w.document_before IS DISTINCT FROM w.document
         AND ${isDue(isOfFile, PART_CODES.sku, 'w.number_before')}
     ) SELECT sku_id, true, is_newest FROM written`,
  );
}

/** The rows of an upload, of these lists and with these columns, and `none_found` for `changed_part`. */
export function uploadedRows(lists: string, columns: string): string {
  return `(
         SELECT u.*, CASE WHEN u.sku_id IN (SELECT found.sku_id FROM found) THEN NULL ELSE 0 END AS none_found
         FROM unnest(${lists}) AS u (${columns})) AS i`;
}
