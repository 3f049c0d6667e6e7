/**
 * Builds the statements that change offers and record the change in the history. An update saves the old value in columns of the row (see
 * schema/offers.ts) and returns it; the history record is made from that.
 *
 * On PostgreSQL both are one statement, with a WITH. Citus would pass the rows between its parts to every worker, so that one absent worker
 * would fail the writes of all accounts. There the record is a second statement of the same transaction, which reads the rows that the
 * first one wrote, on the worker of the account. On PostgreSQL that would take up to 60 % longer (docs/decisions/0026).
 *
 * The rows of a file are one change to a part: a part that already has the file's number is recorded only if the file has no record of it.
 * Rows of a file are those where `$2` and `$3` differ.
 *
 * No WITH joins by SKU ids: a generic plan expects few rows, and would scan all of them for each of a thousand.
 */
import { PART_CODES } from '../../../domain/offers/history.ts';
import { EVENT_CODES } from '../../../domain/vocabulary/event-types.ts';
import type { ClearablePart, OfferPart } from '../../../domain/vocabulary/offer-parts.ts';
import { BATCHES_PER_NUMBER } from '../../shared/feed/event-rows.ts';
import { TOLD_AMONG_MAX } from '../../shared/history/history-rows.ts';
import { CURRENT_MARK } from '../../shared/review/review.ts';
import { type Statement, statement } from '../../shared/sql.ts';
import { assignedUnless, markedLast } from '../review/review-marks.ts';

/**
 * The same write in two forms: `whole`, or `change`, `record` and `forget` one after the other.
 *
 * Parameters: `$1` the account, `$2` the number of the write, `$3` the drawn number, `$4` SKU ids, `$5` their authors (0: record nothing),
 * `$6` times. `record` takes only these, `forget` only `$1`, `$2` and the SKU ids. From `$7` on, each kind has its own parameters.
 */
export interface RecordedWrite {
  readonly whole: Statement;
  readonly change: Statement;
  readonly record: Statement;
  readonly forget?: Statement;
}

/** Value lists of a kind, by the name of their column in the rows `i`. */
type Lists = Readonly<Record<string, string>>;

function rowsOf(lists: Lists): string {
  return `unnest(${['$4::text[]', '$5::bigint[]', '$6::bigint[]', ...Object.values(lists)].join(', ')})
       AS i (${['sku_id', 'author_id', 'at_ms', ...Object.keys(lists)].join(', ')})`;
}

const INSERT = `INSERT INTO offer_history (account_id, upload_order, seq, at_ms, author_id, part, amount, text)`;

/** The source of records: the rows `w`, and the rows `by` with author and time. */
interface Source {
  readonly from: string;
  readonly by: 'i' | 'w';
  readonly account: string;
}

/** The source within the statement that writes. */
const RETURNED: Source = { from: 'w', by: 'w', account: '$1::bigint' };
/** The source in a separate statement. With a parameter for the account, Citus would not see that the records stay on its worker. */
const WRITTEN: Source = {
  from: `unnest($4::text[], $5::bigint[], $6::bigint[]) AS i (sku_id, author_id, at_ms)
     JOIN offer w ON w.account_id = $1 AND w.sku_id = i.sku_id`,
  by: 'i',
  account: 'w.account_id',
};

/** The newest records of the offer `w`, which include the records of a file in progress. */
export const NEWEST = `(SELECT h.part, h.author_id, h.text FROM offer_history h
         WHERE h.account_id = $1 AND h.upload_order = w.upload_order ORDER BY h.seq DESC LIMIT ${TOLD_AMONG_MAX}) o`;

/** Adds the events of the rows in the statement that writes them. The aggregate reads all rows first, so the number is drawn after they are locked. */
function eventsOf(part: OfferPart, rows: string, condition: string): string {
  return `events AS (
       INSERT INTO event_batch (account_id, drawn, type, at_ms, events, detail, offers)
       SELECT $1::bigint, nextval('write_number') * ${BATCHES_PER_NUMBER}, ${EVENT_CODES['offer.updated']}, max(r.at_ms),
         count(*), '[${PART_CODES[part]},' || r.author_id || ']', '[' || string_agg(r.upload_order::text, ',') || ']'
       FROM ${rows} r WHERE ${condition} GROUP BY r.author_id)`;
}

const IS_SINGLE_CALL = '$2::bigint = $3::bigint';

/** Whether the author of `by` has a record of the part. */
function isRecorded(part: number, by: string): string {
  return `EXISTS (SELECT 1 FROM ${NEWEST} WHERE o.part = ${part} AND o.author_id = ${by}.author_id)`;
}

/** Whether to record a part that had the number `numberBefore`. */
function isDue(part: number, numberBefore: string, by: string): string {
  return `(${IS_SINGLE_CALL} OR coalesce(${numberBefore}, 0) < $2::bigint OR NOT ${isRecorded(part, by)})`;
}

interface Update {
  readonly lists: Lists;
  /** Assignments, including the columns that keep the old values. */
  readonly set: string;
  readonly condition: string;
  readonly isNewest: string;
  /** The columns that the update returns for the record. */
  readonly found: string;
  /** The queries after the update, up to `recorded`, which inserts the records from its rows `w`, and `events`. */
  readonly records: string;
  /** Whether the update changed the part. */
  readonly isChanged: string;
  readonly record: Statement;
  /** Two columns for the tag of the part, for writes that do not determine it: see `WrittenOffer`. */
  readonly tagged?: string;
  /** A parameter that only `found` uses. `change` must use it too, because PostgreSQL could not infer its type otherwise. */
  readonly used?: string;
}

function recordedUpdate(name: string, update: Update): RecordedWrite {
  const { lists, set, condition, isNewest, found, records, isChanged, record, tagged, used } = update;
  const text = `UPDATE offer SET ${set}
     FROM ${rowsOf(lists)}
     WHERE offer.account_id = $1 AND offer.sku_id = i.sku_id AND ${condition}
     RETURNING offer.sku_id, ${CURRENT_MARK} = $3::bigint AS is_marked, ${isNewest} AS is_newest`;
  const whole = `WITH w AS (
       ${text}, i.author_id, i.at_ms, offer.upload_order, offer.changes, ${[found, ...(tagged ? [tagged] : [])].join()}
     ), ${records} SELECT sku_id, is_marked, is_newest${tagged ? ', NULL::bigint, tagged, tagged_number' : ''} FROM w`;
  const changed = `${text}, CASE WHEN ${isChanged} THEN offer.upload_order END AS changed_offer`;
  const change = [changed, ...(tagged ? [tagged] : []), ...(used ? [used] : [])].join();
  return { whole: statement(name)`${whole}`, change: statement(`${name} without record`)`${change}`, record };
}

type UpdatedPart = 'sku' | 'price' | ClearablePart;

/** The old state of a part; `number` is the column of its sequence number. */
interface FoundPart {
  readonly part: UpdatedPart;
  readonly number: string;
  readonly isChanged: string;
  /** The old value of the part (see `StoredValue` in domain/offers/history.ts). */
  readonly amount?: string;
  readonly text?: string;
}

function keepFoundPart({ part, number, isChanged, amount, text }: FoundPart, written = '$2::bigint'): string {
  return `changes = offer.changes + 1, changed_number = offer.${number}, changed_amount = ${amount ?? 'NULL'},
       changed_text = ${text ?? 'NULL'}, changed_stock = NULL,
       changed_part = CASE WHEN ((offer.${number} > ${written}) IS TRUE OR NOT (${isChanged})) THEN NULL
         ELSE ${PART_CODES[part]} END`;
}

function partRecords({ part }: Pick<FoundPart, 'part'>, { from, by, account }: Source): string {
  return `${INSERT}
     SELECT ${account}, w.upload_order, w.changes, ${by}.at_ms, ${by}.author_id, w.changed_part, w.changed_amount, w.changed_text
     FROM ${from}
     WHERE w.changed_part = ${PART_CODES[part]} AND ${by}.author_id > 0
       AND ${isDue(PART_CODES[part], 'w.changed_number', by)}`;
}

function recordPart(found: FoundPart): Statement {
  return statement(`record ${found.part}`)`${partRecords(found, WRITTEN)} AND w.${found.number} = $2::bigint`;
}

export function partWithHistory(name: string, update: FoundPart & Pick<Update, 'lists' | 'set'>): RecordedWrite {
  return recordedUpdate(name, {
    lists: update.lists,
    set: `${update.set}, ${keepFoundPart(update)}`,
    condition: 'NOT offer.archived',
    isNewest: `offer.${update.number} = $2::bigint`,
    found: 'offer.changed_part, offer.changed_number, offer.changed_amount, offer.changed_text',
    records: `recorded AS (${partRecords(update, RETURNED)}), ${eventsOf(update.part, 'w', 'r.changed_part IS NOT NULL')}`,
    isChanged: 'offer.changed_part IS NOT NULL',
    record: recordPart(update),
  });
}

const NODES_TEXT = `'{' || string_agg(to_json(n.id)::text || ':' || coalesce(n.before::text, 'null'), ',') || '}'`;

/** Whether to record the node `n`. */
function isNodeDue(by: string): string {
  return `n.after IS DISTINCT FROM n.before
           AND (${IS_SINGLE_CALL} OR n.number IS DISTINCT FROM $2::bigint OR NOT EXISTS (
             SELECT 1 FROM ${NEWEST}
             WHERE o.part = ${PART_CODES.inventory} AND o.author_id = ${by}.author_id AND o.text::jsonb ? n.id))`;
}

/** Quantity in an entry of the stock: 0 if all stock was set to zero since. */
function quantity(entry: string): string {
  return `CASE WHEN (${entry} ->> 2)::bigint < w.inventory_zeroed_number THEN 0 ELSE (${entry} ->> 0)::bigint END`;
}

/** Whether a quantity differs. A file may change a node that it has recorded before. */
function isStockChanged(row: string, nodes: string, before: string): string {
  return `EXISTS (
         SELECT 1 FROM jsonb_each(${nodes}) e WHERE (e.value ->> 0)::bigint IS DISTINCT FROM
           CASE WHEN (${before} -> e.key ->> 2)::bigint < ${row}.inventory_zeroed_number THEN 0
             ELSE (${before} -> e.key ->> 0)::bigint END)`;
}

/** Records the nodes that have the number of the write, which are exactly the nodes that `change` set. */
const RECORD_STOCK = statement('record inventory')`
  ${INSERT}
  SELECT r.account_id, r.upload_order, r.changes, r.at_ms, r.author_id, ${PART_CODES.inventory}, NULL, r.text
  FROM (
    SELECT w.account_id, w.upload_order, w.changes, i.at_ms, i.author_id, (
      SELECT ${NODES_TEXT}
      FROM (
        SELECT e.key AS id, ${quantity('e.value')} AS after, ${quantity('(w.changed_stock -> e.key)')} AS before,
          (w.changed_stock -> e.key ->> 2)::bigint AS number
        FROM jsonb_each(w.inventory) e WHERE (e.value ->> 2)::bigint = $2::bigint OFFSET 0
      ) n
      WHERE ${isNodeDue('i')}) AS text
    FROM ${WRITTEN.from}
    WHERE w.changed_part = ${PART_CODES.inventory} AND i.author_id > 0 OFFSET 0
  ) r WHERE r.text IS NOT NULL`;

/** `firstRecord` is the record of a row that had no stock: comparing its nodes would take a fifth of the statement's time. */
export function stockWithHistory(
  name: string,
  { firstRecord, ...update }: Pick<Update, 'lists' | 'set' | 'condition'> & { readonly firstRecord: string },
): RecordedWrite {
  return recordedUpdate(name, {
    ...update,
    set: `${update.set}, changes = offer.changes + 1, changed_part = ${PART_CODES.inventory}, changed_number = NULL,
       changed_amount = NULL, changed_text = NULL, changed_stock = offer.inventory`,
    isNewest: 'true',
    found: `offer.inventory_zeroed_number, offer.changed_stock, i.nodes, ${firstRecord} AS first`,
    records: `changed AS MATERIALIZED (
       SELECT w.upload_order, w.changes, w.at_ms, w.author_id, w.changed_stock, w.inventory_zeroed_number, w.nodes,
         CASE WHEN w.changed_stock = '{}' THEN w.first ELSE (
         SELECT ${NODES_TEXT}
         FROM (
           SELECT e.id, e.after, e.number,
             CASE WHEN e.number IS NULL THEN NULL WHEN e.number < w.inventory_zeroed_number THEN 0
               ELSE (e.entry ->> 0)::bigint END AS before
           FROM (
             SELECT f.id, f.after, f.entry, (f.entry ->> 2)::bigint AS number
             FROM (
               SELECT e.key AS id, (e.value ->> 0)::bigint AS after, w.changed_stock -> e.key AS entry
               FROM jsonb_each(w.nodes) e OFFSET 0
             ) f OFFSET 0
           ) e OFFSET 0
         ) n
         WHERE ${isNodeDue('w')}) END AS text
       FROM w
     ), recorded AS (
       ${INSERT}
       SELECT $1::bigint, upload_order, changes, at_ms, author_id, ${PART_CODES.inventory}, NULL, text FROM changed
       WHERE text IS NOT NULL AND author_id > 0
     ), ${eventsOf('inventory', 'changed', `r.text IS NOT NULL OR (NOT ${IS_SINGLE_CALL} AND ${isStockChanged('r', 'r.nodes', 'r.changed_stock')})`)}`,
    isChanged: isStockChanged('offer', 'i.nodes', 'offer.changed_stock'),
    record: RECORD_STOCK,
    // Rows of files need no tag.
    tagged: `CASE WHEN ${IS_SINGLE_CALL} THEN offer.inventory::text END AS tagged,
       offer.inventory_zeroed_number AS tagged_number`,
    used: firstRecord,
  });
}

/** Records the flag, then the stock that it zeroed, from rows that meet the condition. */
function flagRecords({ from, by, account }: Source, condition: string): string {
  return `${INSERT}
   SELECT r.account_id, r.upload_order, r.seq, r.at_ms, r.author_id, r.part, r.amount, r.text
   FROM (
     SELECT ${account} AS account_id, w.upload_order, ${by}.at_ms, ${by}.author_id, p.part,
       CASE WHEN p.part = ${PART_CODES.archive} THEN w.changes - 1 ELSE w.changes END AS seq,
       CASE WHEN p.part = ${PART_CODES.archive} AND w.changed_part = p.part
         AND ${isDue(PART_CODES.archive, 'w.changed_amount', by)}
         THEN CASE WHEN w.archived THEN 0 ELSE 1 END END AS amount,
       CASE WHEN p.part = ${PART_CODES.inventory} THEN (
         SELECT jsonb_object_agg(n.key, n.value -> 0)::text FROM jsonb_each(w.changed_stock) n
         WHERE (n.value ->> 0)::bigint <> 0
           AND (n.value ->> 2)::bigint >= w.changed_number AND (n.value ->> 2)::bigint < w.inventory_zeroed_number) END AS text
     FROM ${from}
     CROSS JOIN (VALUES (${PART_CODES.archive}), (${PART_CODES.inventory})) AS p (part)
     WHERE ${condition} AND ${by}.author_id > 0 OFFSET 0
   ) r WHERE r.amount IS NOT NULL OR r.text IS NOT NULL`;
}

const RECORD_FLAG = statement('record archive')`${flagRecords(WRITTEN, 'w.archive_number = $2::bigint')}`;

/** `zeroesStock` is an SQL condition. `changed_amount` keeps the flag's number, because `changed_number` keeps the number of the stock. */
export function flagWithHistory(
  name: string,
  { lists, set, zeroesStock }: Pick<Update, 'lists' | 'set'> & { readonly zeroesStock: string },
): RecordedWrite {
  return recordedUpdate(name, {
    lists,
    set: `${set},
         changes = offer.changes + 2, changed_number = offer.inventory_zeroed_number, changed_amount = offer.archive_number,
         changed_text = NULL, changed_stock = CASE WHEN ${zeroesStock} THEN offer.inventory END,
         changed_part = CASE WHEN offer.archived = i.archived THEN NULL ELSE ${PART_CODES.archive} END`,
    condition: 'true',
    isNewest: 'true',
    found: `offer.changed_part, offer.changed_number, offer.changed_amount, offer.inventory_zeroed_number,
       offer.changed_stock, offer.archived`,
    records: `recorded AS (${flagRecords(RETURNED, 'true')}), ${eventsOf('archive', 'w', 'r.changed_part IS NOT NULL')}`,
    isChanged: 'offer.changed_part IS NOT NULL',
    tagged: 'offer.document_tag AS tagged, NULL::bigint AS tagged_number',
    record: RECORD_FLAG,
  });
}

const FORGET_DOCUMENT = statement('forget old document')`
  UPDATE offer SET changed_text = NULL FROM unnest($3::text[]) AS i (sku_id)
  WHERE offer.account_id = $1 AND offer.sku_id = i.sku_id AND offer.document_number = $2::bigint
    AND offer.changed_part = ${PART_CODES.sku} AND offer.changed_text IS NOT NULL`;

/**
 * Uploads documents. `whole` locks and reads existing documents first. If another process inserts a document in between, the
 * upload itself keeps the old one in the row, if the new row says so in `changed_part`. The author is passed in `changed_number`,
 * because an insert returns only columns of its row.
 *
 * `change` locks nothing first, because Citus would pass the rows to all workers: the row keeps the old document until it is
 * recorded. Citus accepts no parameters after ON CONFLICT there, so `changed_amount` says whether a newer document was kept.
 */
export function documentWithHistory(name: string): RecordedWrite {
  const lists = { upload_order: '$8::bigint[]', first_ms: '$9::bigint[]', tag: '$10::text[]', document: '$11::text[]' };
  const into = `INSERT INTO offer (account_id, sku_id, upload_order, first_upload_ms, inventory_stamp_ms, document_tag, document,
         document_updated_ms, document_number, review_mark, review_marked_ms, changes, changed_part`;
  const selected = `SELECT $1::bigint, i.sku_id, i.upload_order, i.first_ms, i.first_ms, i.tag, i.document, i.at_ms,
         $2::bigint, $3::bigint, $7::bigint, 1`;
  const conflict = `ON CONFLICT (account_id, sku_id) DO UPDATE SET ${assignedUnless(
    'offer.document_number > excluded.document_number',
    {
      document_tag: 'excluded.document_tag',
      document: 'excluded.document',
      document_updated_ms: 'excluded.document_updated_ms',
      document_number: 'excluded.document_number',
      ...markedLast('excluded.review_mark', 'excluded.review_marked_ms'),
    },
  )}`;
  const whole = `WITH found AS MATERIALIZED (
       SELECT offer.sku_id, offer.document, offer.document_number FROM offer
       WHERE offer.account_id = $1 AND offer.sku_id = ANY ($4::text[]) AND NOT offer.archived
       ORDER BY offer.sku_id FOR UPDATE
     ), written (sku_id, is_newest, author_id, at_ms, upload_order, seq, document, document_before) AS (
       ${into}, changed_number)
       ${selected}, i.none_found, i.author_id
       FROM (
         SELECT i.*, CASE WHEN i.sku_id IN (SELECT found.sku_id FROM found) THEN NULL ELSE 0 END AS none_found
         FROM ${rowsOf(lists)}) AS i
       ${conflict}, changes = offer.changes + 1, changed_number = excluded.changed_number, changed_part = NULL,
         changed_stock = NULL, changed_text = CASE WHEN excluded.changed_part = 0 THEN offer.document END
       WHERE NOT offer.archived
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
     ), recorded AS (
       ${INSERT}
       SELECT $1::bigint, w.upload_order, w.seq, w.at_ms, w.author_id, ${PART_CODES.sku}, NULL, w.document_before FROM w
       WHERE w.is_newest AND w.author_id > 0 AND w.document_before IS DISTINCT FROM w.document
         AND ${isDue(PART_CODES.sku, 'w.number_before', 'w')}
     ), ${eventsOf('sku', 'w', 'r.is_newest AND r.document_before IS DISTINCT FROM r.document')}
     SELECT sku_id, true, is_newest FROM written`;
  const isChanged = 'offer.document IS DISTINCT FROM excluded.document';
  const found: FoundPart = {
    part: 'sku',
    number: 'document_number',
    isChanged,
    text: `CASE WHEN ${isChanged} THEN offer.document END`,
    amount: 'CASE WHEN offer.document_number > excluded.document_number THEN 1 END',
  };
  const change = `${into}) ${selected}, ${PART_CODES.sku} FROM ${rowsOf(lists)}
     ${conflict}, ${keepFoundPart(found, 'excluded.document_number')} WHERE NOT offer.archived
     RETURNING sku_id, true, changed_amount IS NULL, CASE WHEN changed_part IS NOT NULL THEN upload_order END`;
  return {
    whole: statement(name)`${whole}`,
    change: statement(`${name} without record`)`${change}`,
    record: recordPart(found),
    forget: FORGET_DOCUMENT,
  };
}
