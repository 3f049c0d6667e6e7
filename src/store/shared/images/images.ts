/** Stores results of image checks, and the offers that use each image. A distributed database spreads them by address hash. */
import { createHash } from 'node:crypto';
import type { ImageStore, ImageUser, StoredImage } from '../../port/images.ts';
import { keptWrite, snapshot } from '../command.ts';
import { columnsOf, JSON_TEXT } from '../records.ts';
import { insertStatement, listsOf, rowsStatement, statement } from '../sql.ts';

/** Returns a hash of the address as sent: an address may have 2,000 characters, too many for a key. */
export function imageKey(address: string): Buffer {
  return createHash('sha256').update(address).digest();
}

/** Returns the host name without the port, because limits apply to a host regardless of the port. */
export function imageHost(address: string): string {
  return URL.parse(address)?.hostname ?? '';
}

/** Values: `userColumns`. */
const FORGET_USERS = rowsStatement<[]>('forget users of images')`
  DELETE FROM image_user USING unnest($1::bytea[], $2::bigint[], $3::text[]) AS i (address_hash, account_id, sku_id)
  WHERE image_user.address_hash = ANY ($1::bytea[]) AND image_user.address_hash = i.address_hash
    AND image_user.account_id = i.account_id AND image_user.sku_id = i.sku_id`;

export function userColumns(users: readonly ImageUser[]): readonly unknown[] {
  return [users.map(({ address }) => imageKey(address)), ...listsOf(users, 'accountId', 'skuId')];
}

const USER_COLUMNS = ['address_hash', 'account_id', 'sku_id'];
/** Values: keys of images, accounts, SKU ids. */
export const WAIT = insertStatement('wait for images', 'image_waiting', [], 'DO NOTHING', USER_COLUMNS);
/** Values: `userColumns`. */
const NOTE_USERS = insertStatement('note users of images', 'image_user', [], 'DO NOTHING', USER_COLUMNS);
const IMAGE = columnsOf<StoredImage>({ evidence: JSON_TEXT })('address', 'evidence', 'reviewedMs', 'etag');
const FIND = rowsStatement('find images')`SELECT ${IMAGE.list} FROM image WHERE address_hash = ANY ($1::bytea[])`;
const NEXT = statement<[key: Uint8Array, reviewedMs: number]>('find next images')`
  SELECT address_hash, reviewed_ms FROM image WHERE address_hash > $1 ORDER BY address_hash LIMIT $2`;
const DROP = rowsStatement<[]>('drop unused images')`
  DELETE FROM image WHERE address_hash = ANY ($1::bytea[]) AND reviewed_ms < $2
  AND NOT EXISTS (SELECT 1 FROM image_user u WHERE u.address_hash = ANY ($1::bytea[]) AND u.address_hash = image.address_hash)
  AND NOT EXISTS (
    SELECT 1 FROM image_waiting w WHERE w.address_hash = ANY ($1::bytea[]) AND w.address_hash = image.address_hash)`;

export const readImages = snapshot<ImageStore['readImages']>(async (sql, addresses) => {
  return (await sql.run(FIND, [[...new Set(addresses)].map(imageKey)])).map(IMAGE.of);
});

export const dropUnusedImages = keptWrite<ImageStore['dropUnusedImages']>(
  { lane: 'background' },
  async (sql, beforeMs, after, limit) => {
    const next = await sql.run(NEXT, [after, limit]);
    const old = next.filter(([, reviewedMs]) => reviewedMs < beforeMs).map(([key]) => key);
    await sql.run(DROP, [old, beforeMs]);
    return next.at(-1)?.[0];
  },
);

export const noteImageUsers = keptWrite<ImageStore['noteImageUsers']>({ slices: 0 }, async (sql, users) => {
  await sql.run(NOTE_USERS, userColumns(users));
});

export const forgetImageUsers = keptWrite<ImageStore['forgetImageUsers']>({ slices: 0 }, async (sql, users) => {
  if (users.length > 0) await sql.run(FORGET_USERS, userColumns(users));
});
