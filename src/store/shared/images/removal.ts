/** Forgets that offers are judged by images, also where the offers are erased. */
import type { ImageUser } from '../../port/images.ts';
import { rowsStatement } from '../sql.ts';
import { imageKey } from './image-key.ts';

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
