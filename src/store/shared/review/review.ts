/**
 * Reads offers that are due for review. Begins and continues sweeps, which mark offers of an account as due: all of them, because a
 * settings change may change verdicts, or the matches of a filter, because an operator requests a re-check. A settings
 * change begins them in its own transaction; background work continues them slice by slice. The sweep's row is locked
 * meanwhile, so that a settings change comes either before or after a slice.
 *
 * If the account already has a sweep, that sweep starts again, because offers that it has marked may have been reviewed under the old
 * settings. If it has another filter, it then marks all offers.
 */
import type { Environment } from '../../../domain/account.ts';
import { type DueOffer, type OfferReviewStore, REVIEW_KIND, SWEEP_KIND, type Sweep } from '../../port/review.ts';
import { keptWrite, read, scan, write } from '../command.ts';
import { evidenceIn, SQLITE_IN_GROUP, SQLITE_STOCK_NODES, stockNodeIds } from '../offers/offer-columns.ts';
import { columnsOf, FLAG, JSON_TEXT } from '../records.ts';
import { engineStatement, firstOf, rowsOf, type Sql, STORE_MS, statement } from '../sql.ts';
import { ANNOUNCE_AGAIN, announceWork } from '../work.ts';

const CHOSEN = `FROM account WHERE account_id BETWEEN $1 AND $2 AND merchant_id IS NOT NULL
     AND (CAST($3 AS text) IS NULL OR environment = CAST($3 AS text)) ORDER BY account_id`;
const BEGIN = statement<[]>('begin sweeps')`
  INSERT INTO review_sweep (account_id, cursor, filter) SELECT account_id, 0, CAST($4 AS text) ${CHOSEN}
  ON CONFLICT (account_id) DO UPDATE SET cursor = 0,
    filter = CASE WHEN review_sweep.filter = excluded.filter THEN excluded.filter END`;
const ANNOUNCE = statement<[]>('announce sweeps')`
  INSERT INTO work_lease (kind, account_id, due_ms) SELECT '${SWEEP_KIND}', account_id, ${STORE_MS} ${CHOSEN}
  ${ANNOUNCE_AGAIN}`;
const SWEEP = columnsOf<Sweep>({ filter: JSON_TEXT })('accountId', 'cursor', 'filter');
const LIST = statement('list sweeps')`SELECT ${SWEEP.list} FROM review_sweep`;
const READ = statement('read sweep')`SELECT ${SWEEP.list} FROM review_sweep WHERE account_id = $1`;
const MOVE = statement<[one: number]>('move sweep')`
  UPDATE review_sweep SET cursor = $4 WHERE account_id = $1 AND cursor = $2 AND filter = $3 RETURNING 1`;
const END = statement<[one: number]>('end sweep of filter')`
  DELETE FROM review_sweep WHERE account_id = $1 AND cursor = $2 AND filter = $3 RETURNING 1`;

export async function beginSweep(
  sql: Sql,
  account: number | 'all',
  environment?: Environment,
  filter?: string,
): Promise<void> {
  const [first, last] = account === 'all' ? [0, Number.MAX_SAFE_INTEGER] : [account, account];
  const chosen = [first, last, environment ?? null];
  await sql.run(BEGIN, [...chosen, filter ?? null]);
  await sql.run(ANNOUNCE, chosen);
}

export const beginSweeps = write<OfferReviewStore['beginSweeps']>(async (sql, { accountIds, environment }, filter) => {
  const text = filter && JSON.stringify(filter);
  for (const account of accountIds ?? (['all'] as const)) await beginSweep(sql, account, environment, text);
});

export const listSweeps = read<OfferReviewStore['listSweeps']>(rowsOf(LIST, SWEEP.of));
export const readSweep = read<OfferReviewStore['readSweep']>(firstOf(READ, SWEEP.of));

export const moveSweep = write<OfferReviewStore['moveSweep']>(async (sql, sweep, next) => {
  const old = SWEEP.valuesOf(sweep);
  const moved = next === undefined ? await sql.run(END, old) : await sql.run(MOVE, [...old, next]);
  return moved.length > 0;
});

const HOLD = statement<[cursor: number]>('hold sweep')`
  SELECT cursor FROM review_sweep WHERE account_id = $1 FOR UPDATE`;
/** Finds the last of the next offers. Returns no row if fewer are left. */
export const SLICE_END = engineStatement<[order: number]>(
  'find end of sweep slice',
  `SELECT upload_order FROM offer WHERE account_id = $1 AND upload_order > $2
   ORDER BY upload_order OFFSET $3::bigint LIMIT 1`,
  `SELECT id FROM sku INDEXED BY sku_by_account WHERE account_id = $1 AND id > $2 ORDER BY id LIMIT 1 OFFSET $3`,
);
const MARK_SLICE = engineStatement<[]>(
  'mark sweep slice',
  `UPDATE offer SET review_mark = $2, review_marked_again = NULL, review_marked_ms = $3
   WHERE account_id = $1 AND upload_order > $4 AND upload_order <= $5`,
  `INSERT INTO review_due (sku, account_id, mark, marked_ms)
   SELECT id, account_id, $2, $3 FROM sku INDEXED BY sku_by_account WHERE account_id = $1 AND id > $4 AND id <= $5
   ON CONFLICT DO UPDATE SET mark = excluded.mark, marked_ms = excluded.marked_ms`,
);
const ADVANCE = statement<[]>('advance sweep')`UPDATE review_sweep SET cursor = $2 WHERE account_id = $1`;
const END_OF_ALL = statement<[]>('end sweep')`DELETE FROM review_sweep WHERE account_id = $1`;

export const sweep = keptWrite<OfferReviewStore['sweep']>({ lane: 'background' }, async (sql, accountId, limit) => {
  const [held] = await sql.run(HOLD, [accountId]);
  if (held === undefined) return 'done';
  const [cursor] = held;
  const [end] = await sql.run(SLICE_END, [accountId, cursor, limit - 1]);
  const number = await sql.drawNumber();
  await sql.run(MARK_SLICE, [accountId, number, Date.now(), cursor, end?.[0] ?? Number.MAX_SAFE_INTEGER]);
  await announceWork(sql, REVIEW_KIND, accountId, 0, 'backlog');
  if (end === undefined) await sql.run(END_OF_ALL, [accountId]);
  else await sql.run(ADVANCE, [accountId, end[0]]);
  return end === undefined ? 'done' : 'more';
});

/** On PostgreSQL: number of the last write that marked the offer, which the review compares. Null if the offer is not due. */
export const CURRENT_MARK = 'coalesce(offer.review_marked_again, offer.review_mark)';

/** The evidence is JSON text. */
type DueRow = Omit<DueOffer, 'evidence'> & { readonly evidence: string | null };

const DUE_OFFER = columnsOf<DueRow>({
  archived: FLAG,
  priced: FLAG,
  stockNodeIds: { read: stockNodeIds },
  inGroup: FLAG,
})(...(['skuId', 'mark', 'document', 'archived', 'priced', 'stockNodeIds', 'inGroup', 'evidence'] as const));
/** One statement, so that an offer and its mark are from one snapshot. */
const DUE = engineStatement(
  'read due offers',
  `SELECT sku_id, ${CURRENT_MARK}, document, archived, price IS NOT NULL, inventory, group_parent IS NOT NULL,
     review_evidence
   FROM offer WHERE account_id = $1 AND review_mark IS NOT NULL
   ORDER BY review_mark, upload_order LIMIT $2::bigint`,
  `SELECT s.sku_id, q.mark, d.document, s.archived, EXISTS (SELECT 1 FROM price p WHERE p.sku = s.id),
     ${SQLITE_STOCK_NODES}, ${SQLITE_IN_GROUP}, r.evidence
   FROM review_due q INDEXED BY review_due_by_account
   CROSS JOIN sku s ON s.id = q.sku
   CROSS JOIN sku_document d ON d.sku = q.sku
   LEFT JOIN review r ON r.sku = q.sku
   WHERE q.account_id = $1 ORDER BY q.mark, q.sku LIMIT $2`,
);
const SHOES = engineStatement<[skuId: string]>(
  'read shoe group',
  'SELECT sku_id FROM offer WHERE account_id = $1 AND shoe_key = $2 ORDER BY sku_id LIMIT $3::bigint',
  `SELECT s.sku_id FROM review r INDEXED BY review_by_shoe_key CROSS JOIN sku s ON s.id = r.sku
   WHERE r.account_id = $1 AND r.shoe_key = $2 ORDER BY s.sku_id LIMIT $3`,
);

export const readDueRows = scan<ReadDueRows>(rowsOf(DUE, DUE_OFFER.of));

type ReadDueRows = (...asked: Parameters<OfferReviewStore['readDueOffers']>) => Promise<readonly DueRow[]>;

/** Returns the method that reads due offers. It parses the evidence, because SQLite's reader thread sends text faster than objects. */
export function dueOffersFrom(readRows: ReadDueRows): OfferReviewStore['readDueOffers'] {
  return async (...asked) =>
    (await readRows(...asked)).map((offer) => ({ ...offer, evidence: evidenceIn(offer.evidence) }));
}

export const readShoeGroup = scan<OfferReviewStore['readShoeGroup']>(rowsOf(SHOES, ([skuId]) => skuId));
