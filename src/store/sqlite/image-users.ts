/**
 * In charge of which offers show a picture that was judged: they are to be told when it is found to be another. Runs in the
 * writer thread, inside a transaction that is not its own.
 */

import type { ImageUser } from '../port/images.ts';
import type { OfferReference } from '../port/review.ts';
import { imageKey } from '../shared/image-key.ts';
import { TOLD_TOGETHER } from '../shared/image-turns.ts';
import type { Connection } from './engine.ts';
import { query } from './engine.ts';

export class ImageUsers {
  readonly #note;
  readonly #forget;
  readonly #next;

  constructor(connection: Connection) {
    this.#note = query(
      connection,
      'INSERT INTO image_user (address_hash, account_id, sku_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    );
    this.#forget = query(connection, 'DELETE FROM image_user WHERE address_hash = ? AND account_id = ? AND sku_id = ?');
    this.#next = query<[accountId: number, skuId: string]>(
      connection,
      `SELECT account_id, sku_id FROM image_user WHERE address_hash = ? AND (account_id, sku_id) > (?, ?)
       ORDER BY account_id, sku_id LIMIT ${TOLD_TOGETHER}`,
    );
  }

  note(users: readonly ImageUser[]): void {
    for (const { address, accountId, skuId } of users) this.#note.run(imageKey(address), accountId, skuId);
  }

  forget(users: readonly ImageUser[]): void {
    for (const { address, accountId, skuId } of users) this.#forget.run(imageKey(address), accountId, skuId);
  }

  /** So many as are told together, in order. */
  next(key: Uint8Array, after: OfferReference): readonly OfferReference[] {
    return this.#next.all(key, after.accountId, after.skuId).map(([accountId, skuId]) => ({ accountId, skuId }));
  }
}
