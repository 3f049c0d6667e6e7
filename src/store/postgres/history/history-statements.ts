/**
 * Records changes of offers with the writes that make them. An update of offers leaves in each row what it found there (see
 * schema/offers.ts) and returns that; what was changed is then inserted from it.
 *
 * On PostgreSQL both are one statement, with a WITH. Citus would pass the rows between its parts to every worker, so that
 * writes of all accounts would fail while one worker is away. There the record is a second statement of the same transaction,
 * which reads the rows that the first one wrote: each goes to the worker of the account alone, and both leave together. On
 * PostgreSQL that would take up to 60 % longer (docs/decisions/0026).
 *
 * Who is named and when are columns of the rows that are written, `i.author_id` and `i.at_ms`; the author is 0 where no history
 * is kept. The rows of one file are one change of a part: a part that has the file's number already is recorded only where
 * the file has no record for it. Whether they are rows of a file is the last parameter, `isOfFile`.
 *
 * Within a WITH nothing is joined by the ids of SKUs. A plan for any number of rows takes them for few, and would go through all
 * rows for each of a thousand.
 */
import { PART_CODES, TOLD_AMONG_MAX } from '../../shared/history-rows.ts';
import { type Statement, statement } from '../../shared/sql.ts';

type UpdatedPart = 'sku' | 'price' | 'shipping_exceptions' | 'returns_exceptions';

/** The same write twice. */
export interface RecordedWrite<Row extends readonly unknown[]> {
  /** Records what it changes. */
  readonly whole: Statement<Row>;
  /** Does not, and has no parameter `isOfFile`. */
  readonly change: Statement<Row>;
  /** Behind `change`; its parameters are those of `WRITTEN`. */
  readonly record: Statement;
  /** Behind `record`, with the first three of its parameters. */
  readonly forget?: Statement;
}

/** Of an update: `number` is the column with that of the part, `$2` the number of the write. */
interface Told {
  readonly part: UpdatedPart;
  readonly number: string;
  /** Whether the write changes the part. */
  readonly isChanged: string;
  /** What it was, see StoredValue. */
  readonly amount?: string;
  readonly text?: string;
  /** The number of the write, `$2` unless told otherwise. */
  readonly written?: string;
}

/** What is set beside the part itself. */
export function foundPart({
  part,
  number,
  isChanged,
  amount = 'NULL',
  text = 'NULL',
  written = '$2::bigint',
}: Told): string {
  return `changes = offer.changes + 1, changed_number = offer.${number}, changed_amount = ${amount},
     changed_text = ${text}, changed_stock = NULL,
     changed_part = CASE WHEN ((offer.${number} > ${written}) IS TRUE OR NOT (${isChanged})) THEN NULL
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

/**
 * Rows that were written a moment ago. `$1` is the account, `$2` the number of the write, `$3` the SKUs, `$4` their authors,
 * `$5` the times, `$6` whether they are rows of a file. The records take the account from the row: with a parameter in its place
 * Citus would not see that they stay on its worker.
 */
const WRITTEN = `unnest($3::text[], $4::bigint[], $5::bigint[]) AS i (sku_id, author_id, at_ms)
     JOIN offer w ON w.account_id = $1 AND w.sku_id = i.sku_id`;

/** The newest records of the offer `w`: what a file has told of it is among them. */
export const NEWEST = `(SELECT h.part, h.author_id, h.text FROM offer_history h
         WHERE h.account_id = $1 AND h.upload_order = w.upload_order ORDER BY h.seq DESC LIMIT ${TOLD_AMONG_MAX}) o`;

/** Whether a record of the author is among the newest. */
function isTold(part: number, authorId: string): string {
  return `EXISTS (SELECT 1 FROM ${NEWEST} WHERE o.part = ${part} AND o.author_id = ${authorId})`;
}

/** Whether a record is due, of a part that had this number. */
function isDue(isOfFile: string, part: number, numberBefore: string, authorId = 'w.author_id'): string {
  return `(NOT ${isOfFile}::boolean OR coalesce(${numberBefore}, 0) < $2::bigint OR NOT ${isTold(part, authorId)})`;
}

/** The number of the part tells whether the write has made it so. */
function recordPart({ part, number }: Pick<Told, 'part' | 'number'>): Statement {
  return statement(
    `record ${part}`,
    `${INSERT}
     SELECT w.account_id, w.upload_order, w.changes, i.at_ms, i.author_id, w.changed_part, w.changed_amount, w.changed_text
     FROM ${WRITTEN}
     WHERE w.changed_part = ${PART_CODES[part]} AND w.${number} = $2::bigint AND i.author_id > 0
       AND ${isDue('$6', PART_CODES[part], 'w.changed_number', 'i.author_id')}`,
  );
}

/** `update` is one that has `foundPart` in it, up to its RETURNING; `returned` are the columns of its answer. */
export function partWithHistory<Row extends readonly unknown[]>(
  name: string,
  told: Pick<Told, 'part' | 'number'>,
  update: string,
  returned: readonly [string, string, string],
  isOfFile: string,
): RecordedWrite<Row> {
  const part = PART_CODES[told.part];
  const whole = statement<Row>(
    name,
    `WITH w (sku_id, is_marked, is_newest, author_id, at_ms, upload_order, seq, part, number, amount, text) AS (
       ${update}
       RETURNING ${returned.join(', ')}, i.author_id, i.at_ms, offer.upload_order, offer.changes, offer.changed_part,
         offer.changed_number, offer.changed_amount, offer.changed_text
     ), told AS (
       ${INSERT}
       SELECT $1::bigint, w.upload_order, w.seq, w.at_ms, w.author_id, w.part, w.amount, w.text FROM w
       WHERE w.part = ${part} AND w.author_id > 0 AND ${isDue(isOfFile, part, 'w.number')}
     ) SELECT sku_id, is_marked, is_newest FROM w`,
  );
  return { whole, change: changeAlone(name, update, returned), record: recordPart(told) };
}

function changeAlone<Row extends readonly unknown[]>(
  name: string,
  update: string,
  returned: readonly string[],
): Statement<Row> {
  return statement(`${name} without record`, `${update} RETURNING ${returned.join(', ')}`);
}

/** What a node has at a moment, of its entry in the stock: zero from the last time on that all stock was set to zero. */
function quantity(entry: string): string {
  return `CASE WHEN (${entry} ->> 2)::bigint < w.inventory_zeroed_number THEN 0 ELSE (${entry} ->> 0)::bigint END`;
}

/** The nodes that have the number of the write; `change` has set no others. */
const RECORD_STOCK = statement(
  'record inventory',
  `${INSERT}
   SELECT r.account_id, r.upload_order, r.changes, r.at_ms, r.author_id, ${PART_CODES.inventory}, NULL, r.text
   FROM (
     SELECT w.account_id, w.upload_order, w.changes, i.at_ms, i.author_id, (
       SELECT '{' || string_agg(to_json(n.id)::text || ':' || coalesce(n.before::text, 'null'), ',') || '}'
       FROM (
         SELECT e.key AS id, ${quantity('e.value')} AS after, ${quantity('(w.changed_stock -> e.key)')} AS before,
           (w.changed_stock -> e.key ->> 2)::bigint AS number
         FROM jsonb_each(w.inventory) e WHERE (e.value ->> 2)::bigint = $2::bigint OFFSET 0
       ) n
       WHERE n.after IS DISTINCT FROM n.before
         AND (NOT $6::boolean OR n.number IS DISTINCT FROM $2::bigint OR NOT EXISTS (
           SELECT 1 FROM ${NEWEST}
           WHERE o.part = ${PART_CODES.inventory} AND o.author_id = i.author_id AND o.text::jsonb ? n.id))) AS text
     FROM ${WRITTEN}
     WHERE w.changed_part = ${PART_CODES.inventory} AND i.author_id > 0 OFFSET 0
   ) r WHERE r.text IS NOT NULL`,
);

/**
 * `update` has FOUND_STOCK in it; `nodes` is what it adds to the stock, `first` the record of that where there was none: to
 * tell the nodes apart would take a fifth of the statement's time.
 */
export function stockWithHistory<Row extends readonly unknown[]>(
  name: string,
  update: string,
  nodes: string,
  first: string,
  returned: readonly [string, string, string],
  isOfFile: string,
): RecordedWrite<Row> {
  const whole = statement<Row>(
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
  // A parameter that stands nowhere has no type: `first` is returned.
  return { whole, change: changeAlone(name, update, [...returned, first]), record: RECORD_STOCK };
}

const RECORD_FLAG = statement(
  'record archive',
  `${INSERT}
   SELECT r.account_id, r.upload_order, r.seq, r.at_ms, r.author_id, r.part, r.amount, r.text
   FROM (
     SELECT w.account_id, w.upload_order, i.at_ms, i.author_id, p.part,
       CASE WHEN p.part = ${PART_CODES.archive} THEN w.changes - 1 ELSE w.changes END AS seq,
       CASE WHEN p.part = ${PART_CODES.archive} AND w.changed_part = p.part
         AND (NOT $6::boolean OR NOT ${isTold(PART_CODES.archive, 'i.author_id')}) THEN CASE WHEN w.archived THEN 0 ELSE 1 END END AS amount,
       CASE WHEN p.part = ${PART_CODES.inventory} THEN (
         SELECT jsonb_object_agg(n.key, n.value -> 0)::text FROM jsonb_each(w.changed_stock) n
         WHERE (n.value ->> 0)::bigint <> 0
           AND (n.value ->> 2)::bigint >= w.changed_number AND (n.value ->> 2)::bigint < w.inventory_zeroed_number) END AS text
     FROM ${WRITTEN}
     CROSS JOIN (VALUES (${PART_CODES.archive}), (${PART_CODES.inventory})) AS p (part)
     WHERE w.archive_number = $2::bigint AND i.author_id > 0 OFFSET 0
   ) r WHERE r.amount IS NOT NULL OR r.text IS NOT NULL`,
);

/** `update` has `foundFlag` in it. The stock is told behind the flag. */
export function flagWithHistory<Row extends readonly unknown[]>(
  name: string,
  update: string,
  returned: readonly [string, string],
  isOfFile: string,
): RecordedWrite<Row> {
  const whole = statement<Row>(
    name,
    `WITH w (sku_id, is_marked, author_id, at_ms, upload_order, seq, part, zeroed_before, zeroed, stock, archived) AS (
       ${update}
       RETURNING ${returned.join(', ')}, i.author_id, i.at_ms, offer.upload_order, offer.changes, offer.changed_part,
         offer.changed_number, offer.inventory_zeroed_number, offer.changed_stock, offer.archived
     ), changed AS MATERIALIZED (
       SELECT w.upload_order, w.seq - 1 AS seq, w.at_ms, w.author_id, w.part,
         CASE WHEN w.archived THEN 0 ELSE 1 END AS amount, NULL::text AS text
       FROM w WHERE w.part = ${PART_CODES.archive}
         AND (NOT ${isOfFile}::boolean OR NOT ${isTold(PART_CODES.archive, 'w.author_id')})
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
  return { whole, change: changeAlone(name, update, returned), record: RECORD_FLAG };
}

/** Of the uploaded rows, `i`: the lists with their columns, what a new offer is made of, and what is changed in one. */
interface Upsert {
  readonly lists: string;
  readonly columns: string;
  readonly values: Readonly<Record<string, string>>;
  readonly change: string;
}

/**
 * Documents that are there are locked and looked at ahead of the upload, whose rows are `i`. One that comes to be there in
 * between is left in the row by the upload itself, which asks for that by `changed_part`; the author is in
 * `changed_number`, since an insert returns nothing else than what the row has become.
 */
export function documentWithHistory<Row extends readonly unknown[]>(
  name: string,
  { lists, columns, values, change }: Upsert,
  isOfFile: string,
): RecordedWrite<Row> {
  const into = `INSERT INTO offer (account_id, sku_id, ${Object.keys(values).join(', ')}, changes, changed_part`;
  const selected = `SELECT $1::bigint, i.sku_id, ${Object.values(values).join(', ')}, 1`;
  const conflict = `ON CONFLICT (account_id, sku_id) DO UPDATE SET ${change}`;
  const whole = statement<Row>(
    name,
    `WITH found AS MATERIALIZED (
       SELECT offer.sku_id, offer.document, offer.document_number FROM offer
       WHERE offer.account_id = $1 AND offer.sku_id = ANY ($4::text[]) AND NOT offer.archived
       ORDER BY offer.sku_id FOR UPDATE
     ), written (sku_id, is_newest, author_id, at_ms, upload_order, seq, document, document_before) AS (
       ${into}, changed_number)
       ${selected}, i.none_found, i.author_id
       FROM (
         SELECT u.*, CASE WHEN u.sku_id IN (SELECT found.sku_id FROM found) THEN NULL ELSE 0 END AS none_found
         FROM unnest(${lists}) AS u (${columns})) AS i
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
     ), told AS (
       ${INSERT}
       SELECT $1::bigint, w.upload_order, w.seq, w.at_ms, w.author_id, ${PART_CODES.sku}, NULL, w.document_before FROM w
       WHERE w.is_newest AND w.author_id > 0 AND w.document_before IS DISTINCT FROM w.document
         AND ${isDue(isOfFile, PART_CODES.sku, 'w.number_before')}
     ) SELECT sku_id, true, is_newest FROM written`,
  );
  // Locks nothing ahead, since Citus would pass on what was found. The row keeps the old document until it is recorded. Citus
  // takes no parameters behind ON CONFLICT here: whether a newer document was left is said by `changed_amount`.
  const written = 'excluded.document_number';
  const isChanged = 'offer.document IS DISTINCT FROM excluded.document';
  const text = `CASE WHEN ${isChanged} THEN offer.document END`;
  const amount = `CASE WHEN offer.document_number > ${written} THEN 1 END`;
  const told: Told = { part: 'sku', number: 'document_number', isChanged, text, amount, written };
  const changing = `${into}) ${selected}, ${PART_CODES.sku} FROM unnest(${lists}) AS i (${columns})
     ${conflict}, ${foundPart(told)} WHERE NOT offer.archived`;
  const returned = ['sku_id', 'true', 'changed_amount IS NULL'];
  return { whole, change: changeAlone(name, changing, returned), record: recordPart(told), forget: FORGET_DOCUMENT };
}

const FORGET_DOCUMENT = statement(
  'forget old document',
  `UPDATE offer SET changed_text = NULL FROM unnest($3::text[]) AS i (sku_id)
   WHERE offer.account_id = $1 AND offer.sku_id = i.sku_id AND offer.document_number = $2::bigint
     AND offer.changed_part = ${PART_CODES.sku} AND offer.changed_text IS NOT NULL`,
);
