/** The review on PostgreSQL: reads due offers, stores reviews, and finds work that was not announced. */
import { setImmediate as eventLoopTick } from 'node:timers/promises';
import { type GroupStanding, groupStanding } from '../../../domain/variation-group.ts';
import { ReadsByAccount } from '../../port/reads-by-account.ts';
import {
  type AccountDue,
  type DueFigures,
  dueFigures,
  type OfferReview,
  type OfferReviewStore,
  REVIEW_KIND,
  SWEEP_KIND,
} from '../../port/review.ts';
import { announceForgottenNews } from '../../shared/catalog/news.ts';
import { announceForgottenFilesAndReports } from '../../shared/files/progress.ts';
import { CURRENT_MARK } from '../../shared/review.ts';
import { listsOf } from '../../shared/sql.ts';
import { announceWork } from '../../shared/work.ts';
import { type Connection, type Database, statement } from '../engine/engine.ts';
import { boundTo } from '../engine/shared-commands.ts';
import { TableStatistics } from '../engine/table-statistics.ts';
import { DRAW_NUMBER, drawNumber, drawnNumber } from '../engine/write-numbers.ts';
import { listingCommands, oldListingsCommand, statusEvents } from '../offer-list/listing-writes.ts';
import { assigned, assignedUnless, markedLast, UNMARKED } from './review-marks.ts';

/** A slice takes about 10 ms, for which writes to these offers wait. */
const SLICE_OFFERS = 200;

/** Counting this many takes about 50 ms. */
const COUNTED_MAX = 100_000;

/**
 * A mark may be lower than the one before it, because processes may commit in another order than they draw numbers. An offer with
 * a lower mark than the reviewed one was written later, and stays due. The comparison uses CURRENT_MARK, which keeps the planner
 * from the long index of due offers.
 */
const STORE = statement<[skuId: string, uploadOrder: number]>(
  'store reviews',
  `UPDATE offer SET review_evidence = i.evidence, review_status = i.status, review_sub_statuses = i.sub_statuses,
     reviewed_ms = $2::bigint, shoe_key = i.shoe_key, review_rules = i.rules,
     ${assignedUnless(`${CURRENT_MARK} <> i.mark`, UNMARKED)}
   FROM unnest($3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[])
     AS i (sku_id, mark, evidence, status, sub_statuses, shoe_key, rules)
   WHERE offer.account_id = $1 AND offer.sku_id = i.sku_id AND ${CURRENT_MARK} >= i.mark
   RETURNING offer.sku_id, offer.upload_order`,
);
const MARK = statement<[skuId: string]>(
  'mark offers due',
  `UPDATE offer SET ${assigned(markedLast('$2::bigint', '$3::bigint'))}
   FROM unnest($4::text[]) AS i (sku_id)
   WHERE offer.account_id = $1 AND offer.sku_id = i.sku_id RETURNING offer.sku_id`,
);

const UNANNOUNCED_SWEEPS = statement<[accountId: number]>(
  'find forgotten sweeps',
  `SELECT account_id FROM review_sweep
   WHERE NOT EXISTS (SELECT FROM work_lease w WHERE w.kind = '${SWEEP_KIND}' AND w.account_id = review_sweep.account_id)`,
);
const ACCOUNTS = statement<[accountId: number]>('list account ids', 'SELECT account_id FROM account');
const HAS_DUE = statement<[1]>(
  'find due offer',
  'SELECT 1 FROM offer WHERE account_id = $1 AND review_mark IS NOT NULL LIMIT 1',
);

const ANNOUNCED = statement<[accountId: number]>(
  'find accounts in review',
  `SELECT account_id FROM work_lease WHERE kind = '${REVIEW_KIND}'`,
);
const FIGURES = statement<[due: number, oldestMs: number | null]>(
  'read review figures',
  `SELECT (
     SELECT count(*) FROM (
       SELECT FROM offer WHERE account_id = $1 AND review_mark IS NOT NULL LIMIT ${COUNTED_MAX}) counted
   ), (
     SELECT review_marked_ms FROM offer WHERE account_id = $1 AND review_mark IS NOT NULL
     ORDER BY review_mark, upload_order LIMIT 1
   )`,
);

/** Writes the listing in the same commit, so that the offer list agrees with the status. */
async function storeReviews(
  database: Database,
  accountId: number,
  reviews: readonly OfferReview[],
  nowMs: number,
): Promise<void> {
  for (const slice of slicesOf(reviews, ({ skuId }) => skuId)) {
    const stored = slice.map((review) => ({ ...review, subStatuses: JSON.stringify(review.subStatuses) }));
    const lists = listsOf(stored, 'skuId', 'mark', 'evidence', 'status', 'subStatuses', 'shoeKey', 'rules');
    const storing = { statement: STORE, values: [accountId, nowMs, ...lists] };
    // The number is drawn while the offers are locked.
    await database.runInRounds(
      [storing, oldListingsCommand(accountId, slice), DRAW_NUMBER],
      [
        ([written = [], old = [], drawn = []]) => [
          ...listingCommands(accountId, slice, written, old),
          ...statusEvents(accountId, slice, written, old, drawnNumber(drawn), nowMs),
        ],
      ],
    );
  }
}

async function markDue(connection: Connection, accountId: number, skuIds: readonly string[]): Promise<void> {
  for (const slice of slicesOf(skuIds, (skuId) => skuId)) {
    const number = await drawNumber(connection);
    const marked = await connection.run(MARK, [accountId, number, Date.now(), slice]);
    if (marked.length > 0) await announceWork(connection, REVIEW_KIND, accountId, 0);
  }
}

/**
 * Checks account by account, about 0.1 ms each, since offers are only reached by account. Reads accounts and leases separately,
 * because Citus does not join a reference table with a table that only the coordinator has.
 */
export async function announceForgotten(database: Database): Promise<void> {
  for (const [accountId] of await database.run(UNANNOUNCED_SWEEPS)) {
    await announceWork(database, SWEEP_KIND, accountId, 0);
  }
  const reads = new ReadsByAccount();
  const announced = new Set((await database.run(ANNOUNCED)).map(([accountId]) => accountId));
  for (const [accountId] of await database.run(ACCOUNTS)) {
    if (announced.has(accountId)) continue;
    const due = await reads.read(() => database.readQuickly(HAS_DUE, [accountId]));
    if (due?.length) await announceWork(database, REVIEW_KIND, accountId, 0);
  }
}

/** Reads only accounts whose review is announced: no others have due offers. */
export async function readReviewFigures(database: Database): Promise<DueFigures> {
  const reads = new ReadsByAccount();
  const accounts: AccountDue[] = [];
  for (const [accountId] of await database.run(ANNOUNCED)) {
    const rows = await reads.read(() => database.run(FIGURES, [accountId]));
    const [due, oldestMs] = rows?.[0] ?? [0, null];
    if (oldestMs !== null) accounts.push({ accountId, due, oldestDue_ms: Math.max(0, Date.now() - oldestMs) });
  }
  return dueFigures(accounts, reads.missing);
}

/** Sorts by SKU, which prevents deadlocks. */
function* slicesOf<T>(list: readonly T[], skuIdOf: (entry: T) => string): Generator<readonly T[]> {
  const sorted = list.toSorted((a, b) => (skuIdOf(a) < skuIdOf(b) ? -1 : 1));
  for (let start = 0; start < sorted.length; start += SLICE_OFFERS) yield sorted.slice(start, start + SLICE_OFFERS);
}

/** One statement, so that a group is from one snapshot. Sends only the refinements among a member's attributes. */
const GROUPS = statement<
  [
    parentSkuId: string,
    refinements: string,
    skuId: string,
    brand: string | null,
    attributes: string | null,
    due: boolean,
    reviewed: string | null,
  ]
>(
  'read groups',
  `WITH asked AS MATERIALIZED (
     SELECT DISTINCT offer.group_parent AS sku_id FROM unnest($2::text[]) AS i (sku_id)
     JOIN offer ON offer.account_id = $1 AND offer.sku_id = i.sku_id
   ), parent AS MATERIALIZED (
     SELECT offer.sku_id, offer.group_refinements FROM asked
     JOIN offer ON offer.account_id = $1 AND offer.sku_id = asked.sku_id
     WHERE offer.group_position = 0
   )
   SELECT parent.sku_id, parent.group_refinements, member.sku_id, described.brand,
     (SELECT json_agg(attribute) FROM json_array_elements(described.attributes_node_specific) attribute
      WHERE attribute ->> 'attribute_id' = ANY (ARRAY(SELECT json_array_elements_text(parent.group_refinements::json)))),
     member.review_mark IS NOT NULL, member.review_evidence::json -> 'group'
   FROM parent
   JOIN offer member ON member.account_id = $1 AND member.group_parent = parent.sku_id
   CROSS JOIN LATERAL json_to_record(member.document::json) AS described (brand text, attributes_node_specific json)
   ORDER BY parent.sku_id, member.group_position`,
);

async function readGroupsOf(
  connection: Connection,
  accountId: number,
  memberSkuIds: readonly string[],
): Promise<readonly GroupStanding[]> {
  const rows = await connection.run(GROUPS, [accountId, memberSkuIds]);
  const standings: GroupStanding[] = [];
  for (const group of Map.groupBy(rows, ([parentSkuId]) => parentSkuId).values()) {
    // Each group may block the request thread for a few milliseconds.
    if (standings.length > 0) await eventLoopTick();
    const members = group.map(([, , skuId, brand, attributes, due, reviewed]) => {
      return { skuId, brand: brand ?? '', attributes, due, reviewed };
    });
    standings.push(groupStanding(group[0]?.[1] ?? '[]', members));
  }
  return standings;
}

export function reviewOn(
  commands: Pick<OfferReviewStore, 'sweep' | 'readDueOffers' | 'readShoeGroup'>,
  database: Database,
): OfferReviewStore {
  const listings = new TableStatistics(database, 'offer_listing');
  return {
    ...commands,
    ...boundTo(database, { markDue, readGroupsOf, readReviewFigures }),
    async storeReviews(accountId, reviews, nowMs) {
      await storeReviews(database, accountId, reviews, nowMs);
      listings.addWritten(reviews.length);
    },
    async announceForgotten() {
      await announceForgotten(database);
      await announceForgottenNews(database);
      await announceForgottenFilesAndReports(database);
    },
  };
}
