/** Drops old records of the history, and the authors that no record names. */
import { type Database, statement } from '../engine/engine.ts';
import { AUTHOR_KEPT_LONGER_MS } from './authors.ts';

/** A slice takes about 10 ms. */
const SLICE_RECORDS = 2000;

const FIND_OLD = statement<[accountId: number]>(
  'find accounts with old history',
  'SELECT account_id FROM offer_history WHERE at_ms < $1 LIMIT 1',
);
const DROP = statement<[]>(
  'drop old history',
  `DELETE FROM offer_history WHERE account_id = $1 AND (upload_order, seq) IN (
     SELECT h.upload_order, h.seq FROM offer_history h WHERE h.account_id = $1 AND h.at_ms < $2
     LIMIT ${SLICE_RECORDS})`,
);
const FIND_OLD_AUTHORS = statement<[accountId: number]>(
  'find accounts with old authors',
  'SELECT account_id FROM author WHERE noted_ms < $1 LIMIT 1',
);
const DROP_AUTHORS = statement<[]>('drop old authors', 'DELETE FROM author WHERE account_id = $1 AND noted_ms < $2');

export async function dropHistory(database: Database, beforeMs: number): Promise<'more' | 'done'> {
  const [old] = await database.run(FIND_OLD, [beforeMs]);
  if (old !== undefined) {
    await database.run(DROP, [old[0], beforeMs]);
    return 'more';
  }
  const notedMs = beforeMs - AUTHOR_KEPT_LONGER_MS;
  const [silent] = await database.run(FIND_OLD_AUTHORS, [notedMs]);
  if (silent === undefined) return 'done';
  await database.run(DROP_AUTHORS, [silent[0], notedMs]);
  return 'more';
}
