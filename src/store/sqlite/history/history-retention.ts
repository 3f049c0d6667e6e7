/**
 * In charge of dropping old records of the history. They lie in the order in which they were written, so that the oldest are
 * in front: no index by time is needed. Runs in the writer thread, inside a transaction that is not its own.
 */

import type { Connection } from '../engine/engine.ts';
import { query } from '../engine/engine.ts';
import { AUTHOR_KEPT_LONGER_MS } from './authors.ts';

/** Takes some 5 ms, as a slice of rows does: single calls wait for it. */
const SLICE_RECORDS = 1000;

export class HistoryRetention {
  readonly #drop;
  readonly #dropAuthors;

  constructor(connection: Connection) {
    this.#drop = query(
      connection,
      `DELETE FROM offer_history WHERE at_ms < ? AND seq IN (SELECT seq FROM offer_history ORDER BY seq LIMIT ${SLICE_RECORDS})`,
    );
    this.#dropAuthors = query(connection, 'DELETE FROM author WHERE noted_ms < ?');
  }

  dropHistory(beforeMs: number): 'more' | 'done' {
    // The clocks of those who write differ a little: a younger one in front is no reason to leave those behind it.
    if (this.#drop.run(beforeMs).changes > 0) return 'more';
    this.#dropAuthors.run(beforeMs - AUTHOR_KEPT_LONGER_MS);
    return 'done';
  }
}
