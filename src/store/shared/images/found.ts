/** Stores results of image checks, and the offers that use each image. */
import type { ImageStore } from '../../port/images.ts';
import { keptWrite, snapshot } from '../command.ts';
import { keysStatement, statement } from '../sql.ts';
import { FORGET_USERS, imageKey, NOTE_USERS, userColumns } from './image-rows.ts';

const FIND = keysStatement<[address: string, evidence: string, reviewedMs: number, etag: string | null]>(
  'find images',
  'SELECT address, evidence, reviewed_ms, etag FROM image WHERE address_hash = ANY ($1::bytea[])',
);
const NEXT = statement<[key: Uint8Array, reviewedMs: number]>(
  'find next images',
  'SELECT address_hash, reviewed_ms FROM image WHERE address_hash > $1 ORDER BY address_hash LIMIT $2',
);
const DROP = keysStatement<[]>(
  'drop unused images',
  `DELETE FROM image WHERE address_hash = ANY ($1::bytea[]) AND reviewed_ms < $2
   AND NOT EXISTS (SELECT 1 FROM image_user u WHERE u.address_hash = ANY ($1::bytea[]) AND u.address_hash = image.address_hash)
   AND NOT EXISTS (
     SELECT 1 FROM image_waiting w WHERE w.address_hash = ANY ($1::bytea[]) AND w.address_hash = image.address_hash)`,
);

export const readImages = snapshot<ImageStore['readImages']>(async (sql, addresses) => {
  const rows = await sql.run(FIND, [[...new Set(addresses)].map(imageKey)]);
  return rows.map(([address, evidence, reviewedMs, etag]) => ({ address, evidence, reviewedMs, etag }));
});

export const dropUnusedImages = keptWrite<ImageStore['dropUnusedImages']>(async (sql, beforeMs, after, limit) => {
  const next = await sql.run(NEXT, [after, limit]);
  const old = next.filter(([, reviewedMs]) => reviewedMs < beforeMs).map(([key]) => key);
  await sql.run(DROP, [old, beforeMs]);
  return next.at(-1)?.[0];
});

export const noteImageUsers = keptWrite<ImageStore['noteImageUsers']>(async (sql, users) => {
  await sql.run(NOTE_USERS, userColumns(users));
});

export const forgetImageUsers = keptWrite<ImageStore['forgetImageUsers']>(async (sql, users) => {
  await sql.run(FORGET_USERS, userColumns(users));
});
