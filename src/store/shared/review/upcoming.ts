/** Stores which offers would fail under announced changes of rules, and adds events when that changes. */
import type { EventType } from '../../../domain/vocabulary/event-types.ts';
import type { OfferReviewStore } from '../../port/review.ts';
import { commandsWith } from '../command.ts';
import { addOfferEvents } from '../feed/event-rows.ts';
import { columnsOf } from '../records.ts';
import { insertStatement, listsOf, rowsOf, rowsStatement, type Sql, statement, type WriteSql } from '../sql.ts';

const { keptWrite, read } = commandsWith({ account: true });

interface Row {
  readonly skuId: string;
  readonly announcedId: number;
  readonly enforcedFromMs: number;
}

const ANNOUNCED = statement<[announcedId: number, enforcedFromMs: number]>('read dates of announced changes')`
  SELECT announced_id, enforced_from_ms FROM announced_change WHERE state = 'announced'`;
const STATE = statement<[state: string]>('read state of change to clear')`
  SELECT state FROM announced_change WHERE announced_id = $1`;
const READ = rowsStatement<readonly unknown[]>('read upcoming failures')`
  SELECT u.sku_id, u.announced_id, u.enforced_from_ms FROM unnest($2::text[]) AS i (sku_id)
  JOIN upcoming_failure u ON u.account_id = $1 AND u.sku_id = i.sku_id ORDER BY u.announced_id`;
const ROW = columnsOf<Row>()('skuId', 'announcedId', 'enforcedFromMs');
const PUT = insertStatement('note upcoming failures', 'upcoming_failure', ['account_id'], 'REPLACE', ROW.names);
const DROP = rowsStatement<readonly unknown[]>('drop upcoming failures')`
  DELETE FROM upcoming_failure USING unnest($2::text[], $3::bigint[]) AS i (sku_id, announced_id)
  WHERE upcoming_failure.account_id = $1 AND upcoming_failure.sku_id = i.sku_id
    AND upcoming_failure.announced_id = i.announced_id
  RETURNING upcoming_failure.sku_id, upcoming_failure.announced_id, upcoming_failure.enforced_from_ms`;
const COUNT = statement<[announcedId: number, offers: number]>('count upcoming failures')`
  SELECT announced_id, count(*) FROM upcoming_failure WHERE account_id = $1 GROUP BY announced_id`;
const LIST = statement<[skuId: string]>('list upcoming failures')`
  SELECT sku_id FROM upcoming_failure WHERE account_id = $1 AND announced_id = $2 AND sku_id > $3
  ORDER BY sku_id LIMIT $4`;
const FORGET = rowsStatement<[]>('forget upcoming failures of erased offers')`
  DELETE FROM upcoming_failure WHERE account_id = $1 AND sku_id = ANY ($2::text[])`;

/** Returns the date of each change that is still announced. */
export async function readAnnounced(sql: Sql): Promise<ReadonlyMap<number, number>> {
  return new Map(await sql.run(ANNOUNCED));
}

export async function readUpcoming(sql: Sql, accountId: number, skuIds: readonly string[]): Promise<Row[]> {
  return skuIds.length === 0 ? [] : (await sql.run(READ, [accountId, skuIds])).map(ROW.of);
}

export const noteUpcoming = keptWrite<OfferReviewStore['noteUpcoming']>(
  { lane: 'background' },
  async (sql, accountId, offers, nowMs) => {
    const dateOf = await readAnnounced(sql);
    const skuIds = offers.map(({ skuId }) => skuId);
    const stored = await readUpcoming(sql, accountId, skuIds);
    const known = new Map(stored.map((row) => [`${row.announcedId} ${row.skuId}`, row.enforcedFromMs]));
    const added: Row[] = [];
    const outdated: Row[] = [];
    for (const { skuId, announcedIds } of offers) {
      for (const [announcedId, enforcedFromMs] of dateOf) {
        const before = known.get(`${announcedId} ${skuId}`);
        const willFail = announcedIds.includes(announcedId);
        if (willFail && before !== enforcedFromMs) added.push({ skuId, announcedId, enforcedFromMs });
        if (!willFail && before !== undefined) outdated.push({ skuId, announcedId, enforcedFromMs });
      }
    }
    await report(sql, accountId, 'offer.will_fail', added, nowMs);
    await report(sql, accountId, 'offer.will_pass', await drop(sql, accountId, outdated), nowMs);
    if (added.length > 0) await sql.run(PUT, [accountId, ...ROW.listsOf(added)]);
  },
);

function report(sql: WriteSql, accountId: number, type: EventType, rows: readonly Row[], atMs: number): Promise<void> {
  const events = rows.map(({ skuId, announcedId, enforcedFromMs }) => {
    return { skuId, detail: JSON.stringify([announcedId, enforcedFromMs]) };
  });
  return addOfferEvents(sql, accountId, type, events, atMs);
}

/** Returns the rows that this transaction dropped: another process may have dropped some of them. */
async function drop(sql: WriteSql, accountId: number, rows: readonly Omit<Row, 'enforcedFromMs'>[]): Promise<Row[]> {
  if (rows.length === 0) return [];
  return (await sql.run(DROP, [accountId, ...listsOf(rows, 'skuId', 'announcedId')])).map(ROW.of);
}

/** A slice takes a few milliseconds. */
const CLEARED_MAX = 200;

export const clearUpcoming = keptWrite<OfferReviewStore['clearUpcoming']>(
  { lane: 'background' },
  async (sql, accountId, announcedId, nowMs) => {
    const [[state] = ['']] = await sql.run(STATE, [announcedId]);
    // Announced again: a sweep has begun.
    if (state === 'announced') return 'done';
    const skuIds = await listUpcoming(sql, accountId, announcedId, '', CLEARED_MAX);
    if (skuIds.length === 0) return 'done';
    const rows = await drop(
      sql,
      accountId,
      skuIds.map((skuId) => ({ skuId, announcedId })),
    );
    if (state === 'cancelled') await report(sql, accountId, 'offer.will_pass', rows, nowMs);
    return skuIds.length < CLEARED_MAX ? 'done' : 'more';
  },
);

export const countUpcoming = read<OfferReviewStore['countUpcoming']>(async (sql, accountId) => {
  return new Map(await sql.run(COUNT, [accountId]));
});

export const listUpcoming = read<OfferReviewStore['listUpcoming']>(rowsOf(LIST, ([skuId]) => skuId));

export async function forgetUpcoming(sql: WriteSql, accountId: number, skuIds: readonly string[]): Promise<void> {
  if (skuIds.length > 0) await sql.run(FORGET, [accountId, skuIds]);
}
