/** In charge of what was found of pictures. On a distributed database it is spread by the hash of the address. */

import type { StoredImage } from '../port/images.ts';
import { imageKey } from '../shared/image-key.ts';
import { type Connection, statement } from './engine.ts';

const FIND = statement<[address: string, evidence: string, judgedMs: number, etag: string | null]>(
  'find images',
  'SELECT address, evidence, judged_ms, etag FROM image WHERE address_hash = ANY ($1::bytea[])',
);
const LAST_ASKED = statement<[address: string, askedMs: number]>(
  'find when images were asked for',
  'SELECT address, asked_ms FROM image WHERE address_hash = ANY ($1::bytea[])',
);
const STORE = statement<[]>(
  'store image',
  `INSERT INTO image (address_hash, address, evidence, judged_ms, etag, asked_ms) VALUES ($1, $2, $3, $4, $5, $6)
   ON CONFLICT (address_hash) DO UPDATE SET
     evidence = excluded.evidence, judged_ms = excluded.judged_ms, etag = excluded.etag,
     asked_ms = CASE WHEN image.asked_ms > excluded.asked_ms THEN image.asked_ms ELSE excluded.asked_ms END`,
);

export async function readImages(
  connection: Connection,
  addresses: readonly string[],
): Promise<readonly StoredImage[]> {
  if (addresses.length === 0) return [];
  const rows = await connection.run(FIND, [[...new Set(addresses)].map(imageKey)]);
  return rows.map(([address, evidence, judgedMs, etag]) => ({ address, evidence, judgedMs, etag }));
}

/** When the last look ended that was asked for, by address. */
export async function readLastAsked(
  connection: Connection,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  return new Map(await connection.run(LAST_ASKED, [addresses.map(imageKey)]));
}

export async function writeImage(
  connection: Connection,
  key: Buffer,
  address: string,
  { evidence, judgedMs, etag }: StoredImage,
  askedMs: number,
): Promise<void> {
  await connection.run(STORE, [key, address, evidence, judgedMs, etag, askedMs]);
}
