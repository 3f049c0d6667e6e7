/** Reads variation groups and figures for the review, and finds work whose announcement is missing. */
import { setImmediate as eventLoopTick } from 'node:timers/promises';
import { type GroupStanding, groupStanding } from '../../../domain/offers/variation-group.ts';
import { ReadsByAccount } from '../../port/reads-by-account.ts';
import { type AccountDue, dueFigures, type OfferReviewStore, REVIEW_KIND, SWEEP_KIND } from '../../port/review.ts';
import { announceForgottenNews } from '../catalog/news.ts';
import { scan } from '../command.ts';
import { announceForgottenFilesAndReports } from '../files/progress.ts';
import type { Flag } from '../offers/offer-columns.ts';
import { engineStatement, type Sql, statement } from '../sql.ts';
import { announceWork } from '../work.ts';

type Described = [brand: string | null, attributes: string | null];
type MemberColumns = [skuId: string, ...Described, due: Flag, reviewed: string | null];

/** One statement, so that a group is from one snapshot. PostgreSQL sends only the refinements among a member's attributes. */
const GROUPS = engineStatement<[parent: string | number, refinements: string, position: number, ...MemberColumns]>(
  'read groups',
  `WITH asked AS MATERIALIZED (
     SELECT DISTINCT offer.group_parent AS sku_id FROM unnest($2::text[]) AS i (sku_id)
     JOIN offer ON offer.account_id = $1 AND offer.sku_id = i.sku_id
   ), parent AS MATERIALIZED (
     SELECT offer.sku_id, offer.group_refinements FROM asked
     JOIN offer ON offer.account_id = $1 AND offer.sku_id = asked.sku_id
     WHERE offer.group_position = 0
   )
   SELECT parent.sku_id, parent.group_refinements, member.group_position, member.sku_id, described.brand,
     (SELECT json_agg(attribute) FROM json_array_elements(described.attributes_node_specific) attribute
      WHERE attribute ->> 'attribute_id' = ANY (ARRAY(SELECT json_array_elements_text(parent.group_refinements::json)))),
     member.review_mark IS NOT NULL, member.review_evidence::json -> 'group'
   FROM parent
   JOIN offer member ON member.account_id = $1 AND member.group_parent = parent.sku_id
   CROSS JOIN LATERAL json_to_record(member.document::json) AS described (brand text, attributes_node_specific json)`,
  `SELECT g.parent, g.refinements, m.position, s.sku_id, d.document ->> '$.brand', d.document -> '$.attributes_node_specific',
     EXISTS (SELECT 1 FROM review_due q WHERE q.sku = s.id), r.evidence -> '$.group'
   FROM (
     SELECT DISTINCT m.parent FROM json_each($2) i
     CROSS JOIN sku s ON s.account_id = $1 AND s.sku_id = i.value
     CROSS JOIN variation_member m ON m.sku = s.id
   ) asked
   CROSS JOIN variation_group g ON g.parent = asked.parent
   CROSS JOIN variation_member m ON m.parent = g.parent
   CROSS JOIN sku s ON s.id = m.sku
   CROSS JOIN sku_document d ON d.sku = m.sku
   LEFT JOIN review r ON r.sku = m.sku`,
);

export const readGroupsOf = scan<OfferReviewStore['readGroupsOf']>(async (sql, accountId, memberSkuIds) => {
  const rows = await sql.run(GROUPS, [accountId, memberSkuIds]);
  const standings: GroupStanding[] = [];
  for (const group of Map.groupBy(rows, ([parent]) => parent).values()) {
    // A group may have 2,001 members with 50 attributes each, and block the thread for a few milliseconds.
    if (standings.length > 0) await eventLoopTick();
    const inOrder = group.toSorted(([, , one], [, , other]) => one - other);
    const members = inOrder.map(([, , , skuId, brand, attributes, due, reviewed]) => {
      return { skuId, brand: brand ?? '', attributes, due: Boolean(due), reviewed };
    });
    standings.push(groupStanding(group[0]?.[1] ?? '[]', members));
  }
  return standings;
});

/** Due offers are counted in slices, because counting 100,000 takes about 50 ms on PostgreSQL. */
const SLICE_OFFERS = 100_000;
const SLICES_MAX = 100;

const ANNOUNCED = statement<[accountId: number]>('find accounts in review')`
  SELECT account_id FROM work_lease WHERE kind = '${REVIEW_KIND}'`;
/** The offer with the lowest mark has been due longest. */
const FIGURES = engineStatement<[due: number, last: number | null, oldestMs: number | null]>(
  'read review figures',
  `SELECT count(*), max(review_mark), (
     SELECT review_marked_ms FROM offer WHERE account_id = $1 AND review_mark > $2
     ORDER BY review_mark, upload_order LIMIT 1
   ) FROM (
     SELECT review_mark FROM offer WHERE account_id = $1 AND review_mark > $2
     ORDER BY review_mark LIMIT ${SLICE_OFFERS}) counted`,
  `SELECT count(*), max(mark), (
     SELECT marked_ms FROM review_due INDEXED BY review_due_by_account WHERE account_id = $1 AND mark > $2
     ORDER BY mark, sku LIMIT 1
   ) FROM (
     SELECT mark FROM review_due INDEXED BY review_due_by_account WHERE account_id = $1 AND mark > $2
     ORDER BY mark LIMIT ${SLICE_OFFERS})`,
);

/** Reads only accounts whose review is announced: no others have due offers. */
export const readReviewFigures = scan<OfferReviewStore['readReviewFigures']>(async (sql) => {
  const reads = new ReadsByAccount();
  const accounts: AccountDue[] = [];
  for (const [accountId] of await sql.run(ANNOUNCED)) {
    const [due, oldestMs] = (await reads.read(() => countDue(sql, accountId))) ?? [0, null];
    if (oldestMs !== null) accounts.push({ accountId, due, oldestDue_ms: Math.max(0, Date.now() - oldestMs) });
  }
  return dueFigures(accounts, reads.missing);
});

/** Leaves out offers that have the same mark as the last one of a slice, which are a few hundred. */
async function countDue(sql: Sql, accountId: number): Promise<[due: number, oldestMs: number | null]> {
  let [due, after, firstMs]: [number, number, number | null] = [0, -1, null];
  for (let slice = 0; slice < SLICES_MAX; slice++) {
    if (slice > 0) await eventLoopTick();
    const [counted = 0, last = null, oldestMs = null] = (await sql.run(FIGURES, [accountId, after]))[0] ?? [];
    firstMs ??= oldestMs;
    due += counted;
    if (counted < SLICE_OFFERS || last === null) break;
    after = last;
  }
  return [due, firstMs];
}

const UNANNOUNCED_SWEEPS = statement<[accountId: number]>('find forgotten sweeps')`
  SELECT account_id FROM review_sweep WHERE NOT EXISTS (
    SELECT 1 FROM work_lease w WHERE w.kind = '${SWEEP_KIND}' AND w.account_id = review_sweep.account_id)`;
/** SQLite skips from account to account by the index, past the due offers of each. */
const ACCOUNTS = engineStatement<[accountId: number]>(
  'list account ids',
  'SELECT account_id FROM account',
  `WITH RECURSIVE due (account_id) AS (
     SELECT min(account_id) FROM review_due
     UNION ALL
     SELECT (SELECT min(q.account_id) FROM review_due q WHERE q.account_id > due.account_id) FROM due
     WHERE due.account_id IS NOT NULL
   )
   SELECT account_id FROM due WHERE account_id IS NOT NULL`,
);
const HAS_DUE = engineStatement<[1]>(
  'find due offer',
  'SELECT 1 FROM offer WHERE account_id = $1 AND review_mark IS NOT NULL LIMIT 1',
  'SELECT 1 FROM review_due INDEXED BY review_due_by_account WHERE account_id = $1 LIMIT 1',
);

/**
 * Checks account by account, about 0.1 ms each on PostgreSQL, which reaches offers only by account. Reads accounts and leases
 * separately, because Citus does not join a reference table with a table that only the coordinator has.
 */
export async function announceForgotten(sql: Sql): Promise<void> {
  for (const [accountId] of await sql.run(UNANNOUNCED_SWEEPS)) await announceWork(sql, SWEEP_KIND, accountId, 0);
  const reads = new ReadsByAccount();
  const announced = new Set((await sql.run(ANNOUNCED)).map(([accountId]) => accountId));
  for (const [accountId] of await sql.run(ACCOUNTS)) {
    if (announced.has(accountId)) continue;
    const due = await reads.read(() => sql.run(HAS_DUE, [accountId]));
    if (due?.length) await announceWork(sql, REVIEW_KIND, accountId, 0, 'backlog');
  }
  await announceForgottenNews(sql);
  await announceForgottenFilesAndReports(sql);
}
