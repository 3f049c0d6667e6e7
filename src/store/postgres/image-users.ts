/**
 * In charge of which offers show a picture that was judged: they are to be told when it is found to be another. On a
 * distributed database it is spread by the hash of the address.
 */

import type { ImageUser } from '../port/images.ts';
import type { OfferReference } from '../port/review.ts';
import { imageKey } from '../shared/image-key.ts';
import { TOLD_TOGETHER } from '../shared/image-turns.ts';
import { type Connection, statement } from './engine.ts';

const NOTE = statement<[]>(
  'note users of images',
  `INSERT INTO image_user (address_hash, account_id, sku_id)
   SELECT i.address_hash, i.account_id, i.sku_id
   FROM unnest($1::bytea[], $2::bigint[], $3::text[]) AS i (address_hash, account_id, sku_id)
   ORDER BY i.address_hash, i.account_id, i.sku_id
   ON CONFLICT (address_hash, account_id, sku_id) DO NOTHING`,
);
const FORGET = statement<[]>(
  'forget users of images',
  `DELETE FROM image_user USING unnest($2::bytea[], $3::bigint[], $4::text[]) AS i (address_hash, account_id, sku_id)
   WHERE image_user.address_hash = ANY ($1::bytea[]) AND image_user.address_hash = i.address_hash
     AND image_user.account_id = i.account_id AND image_user.sku_id = i.sku_id`,
);
const NEXT = statement<[accountId: number, skuId: string]>(
  'find next users of image',
  `SELECT account_id, sku_id FROM image_user WHERE address_hash = $1 AND (account_id, sku_id) > ($2, $3)
   ORDER BY account_id, sku_id LIMIT ${TOLD_TOGETHER}`,
);

export async function noteImageUsers(connection: Connection, users: readonly ImageUser[]): Promise<void> {
  if (users.length > 0) await connection.run(NOTE, columnsOf(users));
}

export async function forgetImageUsers(connection: Connection, users: readonly ImageUser[]): Promise<void> {
  if (users.length === 0) return;
  const keys = [...new Set(users.map(({ address }) => address))].map(imageKey);
  await connection.run(FORGET, [keys, ...columnsOf(users)]);
}

/** So many as are told together, in order. */
export async function nextImageUsers(
  connection: Connection,
  key: Buffer,
  { accountId, skuId }: OfferReference,
): Promise<readonly [accountId: number, skuId: string][]> {
  return connection.run(NEXT, [key, accountId, skuId]);
}

function columnsOf(users: readonly ImageUser[]) {
  return [
    users.map(({ address }) => imageKey(address)),
    users.map(({ accountId }) => accountId),
    users.map(({ skuId }) => skuId),
  ];
}
