/** Erases offers in steps of a few milliseconds. */
import type { Evidence } from '../../../domain/review/facts.ts';
import { REVIEW_KIND } from '../../port/review.ts';
import { forgetUsers } from '../../shared/catalog/users.ts';
import { FORGET_USERS, userColumns } from '../../shared/images/images.ts';
import type { Sql } from '../../shared/sql.ts';
import { announceWork } from '../../shared/work.ts';
import { type Database, statement } from '../engine/engine.ts';
import { drawNumber } from '../engine/write-numbers.ts';
import { eraseListings } from '../offer-list/listing-writes.ts';
import { assigned, markedLast } from '../review/review-marks.ts';

/** A step takes about 4 ms. */
const STEP_ROWS = 400;

/** Returns no row if fewer than a step are left. */
const STEP_END = statement<[uploadOrder: number]>(
  'find end of erasing step',
  `SELECT upload_order FROM offer WHERE account_id = $1 AND upload_order <= $2
   ORDER BY upload_order OFFSET ${STEP_ROWS - 1} LIMIT 1`,
);
const ERASE = statement<[skuId: string, groupPosition: number | null, evidence: string | null]>(
  'erase offers',
  'DELETE FROM offer WHERE account_id = $1 AND upload_order <= $2 RETURNING sku_id, group_position, review_evidence',
);
const ERASE_HISTORY = statement<[]>(
  'erase history of offers',
  'DELETE FROM offer_history WHERE account_id = $1 AND upload_order <= $2',
);
const END_GROUPS = statement<[]>(
  'end groups of erased parents',
  `UPDATE offer SET group_parent = NULL, group_position = NULL, ${assigned(markedLast('$3', '$4'))}
   WHERE account_id = $1 AND group_parent = ANY($2::text[])`,
);

/** Throws if the offers may not be erased. */
type Permit = (sql: Sql) => Promise<void>;

/** Erases offers up to the upload order `upTo`. Each step is its own transaction, so an interrupted run keeps its progress. */
export async function eraseOffers(
  database: Database,
  accountId: number,
  upTo: number,
  slice_ms_max: number,
  permit: Permit,
): Promise<{ skus: number; more: boolean }> {
  const endMs = performance.now() + slice_ms_max;
  let skus = 0;
  do {
    const [end] = await database.run(STEP_END, [accountId, upTo]);
    skus += await eraseStep(database, accountId, end?.[0] ?? upTo, permit);
    if (end === undefined) return { skus, more: false };
  } while (performance.now() < endMs);
  return { skus, more: true };
}

/** An offer is a user of the codes and images in its evidence. */
function eraseStep(database: Database, accountId: number, upTo: number, permit: Permit): Promise<number> {
  return database.inTransaction(async (connection) => {
    await permit(connection);
    const erased = await connection.run(ERASE, [accountId, upTo]);
    const parents = erased.filter(([, groupPosition]) => groupPosition === 0).map(([skuId]) => skuId);
    if (parents.length > 0) {
      const number = await drawNumber(connection);
      await connection.run(END_GROUPS, [accountId, parents, number, Date.now()]);
      await announceWork(connection, REVIEW_KIND, accountId, 0);
    }
    await connection.run(ERASE_HISTORY, [accountId, upTo]);
    const skuIds = erased.map(([skuId]) => skuId);
    await eraseListings(connection, accountId, skuIds);
    const reviewed = erased.map(([skuId, , text]) => ({ skuId, evidence: JSON.parse(text ?? '{}') as Evidence }));
    const coded = reviewed.flatMap(({ skuId, evidence }) =>
      (evidence.catalog?.codes ?? []).map((code) => ({ accountId, skuId, code })),
    );
    await forgetUsers(connection, coded);
    const shown = reviewed.flatMap(({ skuId, evidence }) =>
      Object.keys(evidence.images ?? {}).map((address) => ({ accountId, skuId, address })),
    );
    if (shown.length > 0) await connection.run(FORGET_USERS, userColumns(shown));
    return erased.length;
  });
}
