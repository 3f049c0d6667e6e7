/** Erases offers in slices of a few milliseconds. */
import { FORGET_USERS, userColumns } from '../../shared/images/images.ts';
import { type Connection, query } from '../engine/engine.ts';
import { runStatement } from '../engine/sql.ts';
import { listingWrites } from '../offer-list/listing-writes.ts';
import type { ReviewMarks } from '../review/review-marks.ts';

/** Deletes all rows of a SKU, the SKU itself last. */
const DELETE_PARTS = [
  // An offer is recorded as a user of the codes in its evidence.
  `DELETE FROM catalog_user WHERE (account_id, sku_id) = (SELECT account_id, sku_id FROM sku WHERE id = ?1) AND code IN (
     SELECT value FROM review JOIN json_each(review.evidence, '$.catalog.codes') WHERE review.sku = ?1)`,
  'DELETE FROM sku_document WHERE sku = ?',
  'DELETE FROM price WHERE sku = ?',
  'DELETE FROM inventory WHERE sku = ?',
  'DELETE FROM shipping_exception WHERE sku = ?',
  'DELETE FROM returns_exception WHERE sku = ?',
  'DELETE FROM variation_group WHERE parent = ?',
  'DELETE FROM variation_member WHERE parent = ?',
  'DELETE FROM variation_member WHERE sku = ?',
  'DELETE FROM review WHERE sku = ?',
  'DELETE FROM review_due WHERE sku = ?',
  'DELETE FROM offer_history WHERE sku = ?',
  'DELETE FROM sku WHERE id = ?',
] as const;

/** Offers per slice; the time limit may end a slice earlier. */
const LOOKED_UP_MAX = 1000;

export function offerErasure(connection: Connection, marks: ReviewMarks) {
  const listings = listingWrites(connection);
  const selectNext = query<[id: number]>(
    connection,
    `SELECT id FROM sku INDEXED BY sku_by_account WHERE account_id = ? AND id <= ? ORDER BY id LIMIT ${LOOKED_UP_MAX}`,
  );
  const isParent = query<[1]>(connection, 'SELECT 1 FROM variation_group WHERE parent = ?');
  const deleteParts = DELETE_PARTS.map((sql) => query(connection, sql));
  // An offer is recorded as a user of the images in its evidence.
  const selectShown = query<[address: string, skuId: string]>(
    connection,
    `SELECT shown.key, sku.sku_id FROM review JOIN sku ON sku.id = review.sku
     JOIN json_each(review.evidence, '$.images') shown WHERE review.sku = ?`,
  );

  function erase(accountId: number, upTo: number, milliseconds_max: number): { skus: number; more: boolean } {
    const endMs = performance.now() + milliseconds_max;
    const ids = selectNext.all(accountId, upTo);
    listings.begin();
    let skus = 0;
    for (const [id] of ids) {
      if (skus > 0 && performance.now() >= endMs) break;
      // The children of an erased parent lose their group.
      if (isParent.get(id) !== undefined) marks.markMembers(accountId, id);
      listings.remove(accountId, id);
      const shown = selectShown.all(id);
      const users = shown.map(([address, skuId]) => ({ address, accountId, skuId }));
      runStatement(connection, FORGET_USERS, userColumns(users));
      for (const statement of deleteParts) statement.run(id);
      skus++;
    }
    listings.moveCounts(accountId);
    return { skus, more: skus < ids.length || ids.length === LOOKED_UP_MAX };
  }

  return { erase };
}
