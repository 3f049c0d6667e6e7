/** In charge of dropping what was found of pictures that no offer needs any more. */
import { type Database, statement } from './engine.ts';

const NEXT = statement<[key: Uint8Array, isOld: boolean]>(
  'find next images',
  'SELECT address_hash, judged_ms < $3 FROM image WHERE address_hash > $1 ORDER BY address_hash LIMIT $2',
);
const DROP = statement<[]>(
  'drop unused images',
  `DELETE FROM image WHERE address_hash = ANY ($1::bytea[]) AND judged_ms < $2
   AND NOT EXISTS (SELECT 1 FROM image_user u WHERE u.address_hash = ANY ($1::bytea[]) AND u.address_hash = image.address_hash)
   AND NOT EXISTS (
     SELECT 1 FROM image_waiting w WHERE w.address_hash = ANY ($1::bytea[]) AND w.address_hash = image.address_hash)`,
);

export async function dropUnusedImages(
  database: Database,
  beforeMs: number,
  after: Uint8Array,
  limit: number,
): Promise<Uint8Array | undefined> {
  const next = await database.run(NEXT, [after, limit, beforeMs]);
  const old = next.flatMap(([key, isOld]) => (isOld ? [key] : []));
  if (old.length > 0) await database.run(DROP, [old, beforeMs]);
  return next.at(-1)?.[0];
}
