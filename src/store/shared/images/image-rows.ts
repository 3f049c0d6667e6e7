/** Keys and statements of images that several commands share. On a distributed database rows are spread by the hash of the address. */

import { createHash } from 'node:crypto';
import type { ImageUser } from '../../port/images.ts';
import { rowsStatement, type Statement } from '../sql.ts';

/** An address may have 2,000 characters, which would be a poor key. Addresses are compared as they were sent. */
export function imageKey(address: string): Buffer {
  return createHash('sha256').update(address).digest();
}

/** Images of one host are fetched a few at a time, whichever of its ports they are at. */
export function imageHost(address: string): string {
  return URL.parse(address)?.hostname ?? '';
}

/** Values: `userColumns`. */
export const FORGET_USERS = rowsStatement<[]>(
  'forget users of images',
  `DELETE FROM image_user USING unnest($1::bytea[], $2::bigint[], $3::text[]) AS i (address_hash, account_id, sku_id)
   WHERE image_user.address_hash = ANY ($1::bytea[]) AND image_user.address_hash = i.address_hash
     AND image_user.account_id = i.account_id AND image_user.sku_id = i.sku_id`,
  'DELETE FROM image_user WHERE address_hash = $1 AND account_id = $2 AND sku_id = $3',
);

export function userColumns(users: readonly ImageUser[]): readonly (readonly unknown[])[] {
  return [
    users.map(({ address }) => imageKey(address)),
    users.map(({ accountId }) => accountId),
    users.map(({ skuId }) => skuId),
  ];
}

/** Values: key of the image, account, SKU id. */
export const WAIT = addUsers('wait for images', 'image_waiting');
/** Values: `userColumns`. */
export const NOTE_USERS = addUsers('note users of images', 'image_user');

function addUsers(name: string, table: 'image_waiting' | 'image_user'): Statement<[]> {
  return rowsStatement<[]>(
    name,
    `INSERT INTO ${table} (address_hash, account_id, sku_id)
     SELECT i.address_hash, i.account_id, i.sku_id
     FROM unnest($1::bytea[], $2::bigint[], $3::text[]) AS i (address_hash, account_id, sku_id)
     ORDER BY i.address_hash, i.account_id, i.sku_id
     ON CONFLICT (address_hash, account_id, sku_id) DO NOTHING`,
    `INSERT INTO ${table} (address_hash, account_id, sku_id) VALUES ($1, $2, $3)
     ON CONFLICT (address_hash, account_id, sku_id) DO NOTHING`,
  );
}
