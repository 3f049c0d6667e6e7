/** In charge of erasing: offers in slices of a few milliseconds, then a merchant with its whole set-up. */
import { ERASE_PORTAL_USERS } from '../shared/people/removal.ts';
import { removeGrants } from '../shared/policies/stored-policies.ts';
import { endRemoval } from '../shared/settings/rows.ts';
import { type Connection, query } from './engine.ts';
import { discardFiles } from './file-records.ts';
import { ImageUsers } from './image-users.ts';
import { ListingWrites } from './listing-writes.ts';
import { endImport } from './move-marks.ts';
import type { ReviewMarks } from './review-marks.ts';
import { sqlOn } from './sql.ts';

/** What a SKU has rows in, the SKU itself last. */
const DELETE_PARTS = [
  // The codes that it was judged by are those that it is noted for.
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

/** What an account has rows in, the account itself last. */
const ERASED_OF_ACCOUNT = Object.freeze([
  ...['credential', 'fulfillment_node', 'return_location', 'review_sweep', 'author', 'offer_count', 'request_count'],
  'account',
]);

/** As many as are looked up at once; the time given ends a slice earlier where they are large. */
const LOOKED_UP_MAX = 1000;

export class OfferErasure {
  readonly #marks: ReviewMarks;
  readonly #listings: ListingWrites;
  readonly #next;
  readonly #last;
  readonly #isParent;
  readonly #deleteParts;
  readonly #shown;
  readonly #imageUsers: ImageUsers;

  constructor(connection: Connection, marks: ReviewMarks) {
    this.#marks = marks;
    this.#listings = new ListingWrites(connection);
    this.#next = query<[id: number]>(
      connection,
      `SELECT id FROM sku INDEXED BY sku_by_account WHERE account_id = ? AND id <= ? ORDER BY id LIMIT ${LOOKED_UP_MAX}`,
    );
    this.#last = query<[id: number | null]>(
      connection,
      'SELECT max(id) FROM sku INDEXED BY sku_by_account WHERE account_id = ?',
    );
    this.#isParent = query<[1]>(connection, 'SELECT 1 FROM variation_group WHERE parent = ?');
    this.#deleteParts = DELETE_PARTS.map((sql) => query(connection, sql));
    // The pictures that it was judged by are those that it is noted for.
    this.#shown = query<[address: string, skuId: string]>(
      connection,
      `SELECT shown.key, sku.sku_id FROM review JOIN sku ON sku.id = review.sku
       JOIN json_each(review.evidence, '$.images') shown WHERE review.sku = ?`,
    );
    this.#imageUsers = new ImageUsers(connection);
  }

  last(accountId: number): number {
    return this.#last.get(accountId)?.[0] ?? 0;
  }

  erase(accountId: number, upTo: number, milliseconds_max: number): { skus: number; more: boolean } {
    const endMs = performance.now() + milliseconds_max;
    const ids = this.#next.all(accountId, upTo);
    this.#listings.begin();
    let skus = 0;
    for (const [id] of ids) {
      if (skus > 0 && performance.now() >= endMs) break;
      // Its children, which may be erased later or stay, are in no group then.
      if (this.#isParent.get(id) !== undefined) this.#marks.markMembers(accountId, id);
      this.#listings.remove(accountId, id);
      const shown = this.#shown.all(id);
      this.#imageUsers.forget(shown.map(([address, skuId]) => ({ address, accountId, skuId })));
      for (const statement of this.#deleteParts) statement.run(id);
      skus++;
    }
    this.#listings.moveCounts(accountId);
    return { skus, more: skus < ids.length || ids.length === LOOKED_UP_MAX };
  }
}

export async function eraseMerchant(
  connection: Connection,
  merchantId: string,
): Promise<'erased' | 'unknown' | 'has_offers'> {
  const sql = sqlOn(connection);
  const accountIds = query<[number]>(connection, 'SELECT account_id FROM account WHERE merchant_id = ?')
    .all(merchantId)
    .map(([accountId]) => accountId);
  if (accountIds.length === 0) return 'unknown';
  const offer = query<[1]>(connection, 'SELECT 1 FROM sku WHERE account_id = ?');
  if (accountIds.some((accountId) => offer.get(accountId) !== undefined)) return 'has_offers';
  for (const table of ERASED_OF_ACCOUNT) {
    const remove = query(connection, `DELETE FROM ${table} WHERE account_id = ?`);
    for (const accountId of accountIds) remove.run(accountId);
  }
  for (const accountId of accountIds) discardFiles(connection, accountId);
  for (const erase of ERASE_PORTAL_USERS) await sql.run(erase, [merchantId]);
  // An import that is undone leaves the grants that were made ahead of it.
  if (!endImport(connection, merchantId)) await removeGrants(sql, merchantId);
  await endRemoval(sql, merchantId);
  query(connection, 'DELETE FROM merchant WHERE merchant_id = ?').run(merchantId);
  return 'erased';
}
