/** Counts and measures the history of an account, in slices, and drops single records, so that the history can be bounded. */
import type { HistoryStore } from '../../port/history.ts';
import { commandsWith } from '../command.ts';
import { engineStatement, listsOf, rowsStatement, statement } from '../sql.ts';

const { keptWrite, scan } = commandsWith({ account: true, lane: 'background' });

/** A slice takes a few milliseconds. */
const SLICE_RECORDS = 2000;
const SLICE_OFFERS = 1000;
/** The approximate size of a record without its text, and of an offer without its document, with their indexes. */
const RECORD_BYTES = 64;
const OFFER_BYTES = 256;

const NOTE = statement<readonly [bytes: number, offers_bytes: number]>('note size of history')`
  INSERT INTO history_size (account_id, bytes, offers_bytes) VALUES ($1, $2, $3)
  ON CONFLICT (account_id) DO UPDATE SET bytes = history_size.bytes + excluded.bytes,
    offers_bytes = CASE WHEN excluded.offers_bytes = 0 THEN history_size.offers_bytes ELSE excluded.offers_bytes END
  RETURNING bytes, offers_bytes`;
type SizeRow = readonly [offer: number, seq: number | null, part: number, atMs: number, bytes: number];
/**
 * On SQLite the first part continues within an offer: with one condition for both, a long history would be read again for each slice. An
 * offer without history has a row too, so that a slice reads a limited number of them and the next one continues after the last row.
 */
const RECORDS = engineStatement<SizeRow>(
  'read history sizes',
  `SELECT upload_order, seq, part, at_ms, coalesce(octet_length(text), 0) + ${RECORD_BYTES} FROM offer_history
   WHERE account_id = $1 AND (upload_order, seq) > ($2, $3) ORDER BY upload_order, seq LIMIT ${SLICE_RECORDS}`,
  `SELECT * FROM (
     SELECT sku, seq, part, at_ms, coalesce(octet_length(text), 0) + ${RECORD_BYTES} FROM offer_history
     WHERE sku = $2 AND seq > $3 ORDER BY seq LIMIT ${SLICE_RECORDS})
   UNION ALL
   SELECT * FROM (
     SELECT s.id, h.seq, h.part, h.at_ms, coalesce(octet_length(h.text), 0) + ${RECORD_BYTES}
     FROM sku s LEFT JOIN offer_history h ON h.sku = s.id
     WHERE s.account_id = $1 AND s.id > $2 ORDER BY s.id, h.seq LIMIT ${SLICE_RECORDS})
   LIMIT ${SLICE_RECORDS}`,
);
const OFFERS = engineStatement<readonly [last: number | null, bytes: number]>(
  'read size of offers',
  `SELECT max(o.upload_order), coalesce(sum(o.bytes), 0) FROM (
     SELECT upload_order, octet_length(document) + ${OFFER_BYTES} AS bytes FROM offer
     WHERE account_id = $1 AND upload_order > $2 ORDER BY upload_order LIMIT ${SLICE_OFFERS}) o`,
  `SELECT max(o.id), coalesce(sum(o.bytes), 0) FROM (
     SELECT s.id, octet_length(d.document) + ${OFFER_BYTES} AS bytes
     FROM sku s CROSS JOIN sku_document d ON d.sku = s.id
     WHERE s.account_id = $1 AND s.id > $2 ORDER BY s.id LIMIT ${SLICE_OFFERS}) o`,
);
const DROP = rowsStatement<[bytes: number]>(
  'drop history records',
  `DELETE FROM offer_history h USING unnest($2::bigint[], $3::bigint[]) AS i (upload_order, seq)
   WHERE h.account_id = $1 AND h.upload_order = i.upload_order AND h.seq = i.seq
   RETURNING coalesce(octet_length(h.text), 0) + ${RECORD_BYTES}`,
  `DELETE FROM offer_history WHERE sku = $2 AND seq = $3 RETURNING coalesce(octet_length(text), 0) + ${RECORD_BYTES}`,
);

export const noteHistorySize = keptWrite<HistoryStore['noteHistorySize']>(
  async (sql, accountId, { bytes, offers_bytes }) => {
    const [row] = await sql.run(NOTE, [accountId, bytes, offers_bytes]);
    if (row === undefined) throw new Error('The size of the history was not stored.');
    return { bytes: row[0], offers_bytes: row[1] };
  },
);

export const readHistorySizes = scan<HistoryStore['readHistorySizes']>(async (sql, accountId, after) => {
  const found = await sql.run(RECORDS, [accountId, after.offer, after.seq]);
  const rows = found.filter(([, seq]) => seq !== null);
  const last = found.at(-1);
  const [offer = [], seq = [], part = [], atMs = [], bytes = []] = listsOf(rows, 0, 1, 2, 3, 4) as number[][];
  return { offer, seq, part, atMs, bytes, next: last && { offer: last[0], seq: last[1] ?? 0 } };
});

export const readOffersSize = scan<HistoryStore['readOffersSize']>(async (sql, accountId, after) => {
  const [[last, bytes] = [null, 0]] = await sql.run(OFFERS, [accountId, after]);
  return { bytes, next: last ?? undefined };
});

export const dropRecords = keptWrite<HistoryStore['dropRecords']>(async (sql, accountId, records) => {
  const dropped = await sql.run(DROP, [accountId, ...listsOf(records, 'offer', 'seq')]);
  return dropped.reduce((sum, [bytes]) => sum + bytes, 0);
});
