/** Drops old records of the history, and the authors that no record names. */
import { type Connection, query } from '../engine/engine.ts';
import { AUTHOR_KEPT_LONGER_MS } from './history-writes.ts';

/** Takes about 5 ms, for which single calls may wait. */
const SLICE_RECORDS = 1000;

/** Records are stored in order of time, so no index on time is needed. */
export function historyRetention(connection: Connection) {
  const drop = query(
    connection,
    `DELETE FROM offer_history WHERE at_ms < ? AND seq IN (SELECT seq FROM offer_history ORDER BY seq LIMIT ${SLICE_RECORDS})`,
  );
  const dropAuthors = query(connection, 'DELETE FROM author WHERE noted_ms < ?');

  function dropHistory(beforeMs: number): 'more' | 'done' {
    // Writers' clocks differ slightly, so records are only roughly in time order. The statement skips a newer record
    // instead of stopping at it, so older records after it are still dropped.
    if (drop.run(beforeMs).changes > 0) return 'more';
    dropAuthors.run(beforeMs - AUTHOR_KEPT_LONGER_MS);
    return 'done';
  }

  return { dropHistory };
}
