/** Defines keys and statements that several image commands share. On a distributed database rows are distributed by the hash. */

import { createHash } from 'node:crypto';
import type { ImageUser } from '../../port/images.ts';
import { insertStatement, listsOf, rowsStatement } from '../sql.ts';

/** An address may have 2,000 characters, too long for a key. Addresses are compared as sent. */
export function imageKey(address: string): Buffer {
  return createHash('sha256').update(address).digest();
}

/** Limits apply to a host, regardless of the port. */
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

export function userColumns(users: readonly ImageUser[]): readonly unknown[] {
  return [users.map(({ address }) => imageKey(address)), ...listsOf(users, 'accountId', 'skuId')];
}

const USER_COLUMNS = { address_hash: 'bytea[]', account_id: 'bigint[]', sku_id: 'text[]' };
const IF_NEW = '(address_hash, account_id, sku_id) DO NOTHING';
/** Values: keys of images, accounts, SKU ids. */
export const WAIT = insertStatement('wait for images', 'image_waiting', USER_COLUMNS, IF_NEW);
/** Values: `userColumns`. */
export const NOTE_USERS = insertStatement('note users of images', 'image_user', USER_COLUMNS, IF_NEW);
