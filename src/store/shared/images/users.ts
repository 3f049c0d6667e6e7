/**
 * Offers that are judged by an image, which are told when another one is found at its address. On a distributed database they
 * are spread by the hash of the address.
 */
import type { ImageUser } from '../../port/images.ts';
import { keptWrite } from '../command.ts';
import { rowsStatement } from '../sql.ts';
import { FORGET_USERS, userColumns } from './removal.ts';

const NOTE = rowsStatement<[]>(
  'note users of images',
  `INSERT INTO image_user (address_hash, account_id, sku_id)
   SELECT i.address_hash, i.account_id, i.sku_id
   FROM unnest($1::bytea[], $2::bigint[], $3::text[]) AS i (address_hash, account_id, sku_id)
   ORDER BY i.address_hash, i.account_id, i.sku_id
   ON CONFLICT (address_hash, account_id, sku_id) DO NOTHING`,
  `INSERT INTO image_user (address_hash, account_id, sku_id) VALUES ($1, $2, $3)
   ON CONFLICT (address_hash, account_id, sku_id) DO NOTHING`,
);

export const noteImageUsers = keptWrite(async (sql, users: readonly ImageUser[]): Promise<void> => {
  await sql.run(NOTE, userColumns(users));
});

export const forgetImageUsers = keptWrite(async (sql, users: readonly ImageUser[]): Promise<void> => {
  await sql.run(FORGET_USERS, userColumns(users));
});
