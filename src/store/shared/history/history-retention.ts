/** Drops old records of the history, and the authors that no record names. */
import { DAY_MS } from '../../../domain/vocabulary/iso-time.ts';
import type { HistoryStore } from '../../port/history.ts';
import { keptWrite } from '../command.ts';
import { engineStatement, statement } from '../sql.ts';

/** Number of records dropped per slice, which takes about 5 ms. On SQLite, single calls may wait for it. */
const SLICE_RECORDS = 1000;
/** How much longer than records authors are kept: their stored last use may be a day too old, or two after a rollback. */
const AUTHOR_KEPT_LONGER_MS = 3 * DAY_MS;

/**
 * SQLite stores records in order of time, without an index or an account. Writers' clocks differ slightly, so a slice may hold newer
 * records: they stay, and older ones after them are still dropped.
 */
const FIND_OLD = engineStatement<[accountId: number | null]>(
  'find accounts with old history',
  'SELECT account_id FROM offer_history WHERE at_ms < $1 LIMIT 1',
  `SELECT NULL FROM (SELECT at_ms FROM offer_history ORDER BY seq LIMIT ${SLICE_RECORDS}) WHERE at_ms < $1 LIMIT 1`,
);
const DROP = engineStatement<[]>(
  'drop old history',
  `DELETE FROM offer_history WHERE account_id = $1 AND (upload_order, seq) IN (
     SELECT h.upload_order, h.seq FROM offer_history h WHERE h.account_id = $1 AND h.at_ms < $2
     LIMIT ${SLICE_RECORDS})`,
  `DELETE FROM offer_history WHERE at_ms < $2 AND seq IN (SELECT seq FROM offer_history ORDER BY seq LIMIT ${SLICE_RECORDS})`,
);
const FIND_OLD_AUTHORS = statement<[accountId: number]>('find accounts with old authors')`
  SELECT account_id FROM author WHERE noted_ms < $1 LIMIT 1`;
const DROP_AUTHORS = statement<[]>('drop old authors')`DELETE FROM author WHERE account_id = $1 AND noted_ms < $2`;

export const dropHistory = keptWrite<HistoryStore['dropHistory']>({ lane: 'background' }, async (sql, beforeMs) => {
  const [old] = await sql.run(FIND_OLD, [beforeMs]);
  if (old !== undefined) {
    await sql.run(DROP, [old[0], beforeMs]);
    return 'more';
  }
  const notedMs = beforeMs - AUTHOR_KEPT_LONGER_MS;
  const [silent] = await sql.run(FIND_OLD_AUTHORS, [notedMs]);
  if (silent === undefined) return 'done';
  await sql.run(DROP_AUTHORS, [silent[0], notedMs]);
  return 'more';
});
