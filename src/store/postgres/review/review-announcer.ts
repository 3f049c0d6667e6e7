/**
 * Announces the review of accounts whose offers were marked as due, after the commit that marked them. In the same commit, all
 * uploads of a merchant would wait for one row, and on Citus work leases are on another node than offers. An account is announced
 * at once, then at most four times a second.
 *
 * If a process dies in between, `announceForgotten` finds the due offers.
 */
import { setMaxListeners } from 'node:events';
import timers from 'node:timers/promises';
import { REVIEW_KIND } from '../../port/review.ts';
import { announceWork } from '../../shared/work.ts';
import type { Rows } from '../engine/connection.ts';
import type { Database } from '../engine/engine.ts';
import type { WrittenOffer } from '../offers/row-statements.ts';

const PAUSE_MS = 250;
/** While the database fails, the pause doubles up to this maximum. */
const PAUSE_MS_MAX = 5_000;

export class ReviewAnnouncer {
  readonly #database: Database;
  /** Accounts that were announced a moment ago, and whether to announce them again. */
  readonly #isWanted = new Map<number, boolean>();
  readonly #running = new Set<Promise<void>>();
  readonly #closing = new AbortController();

  constructor(database: Database) {
    this.#database = database;
    // Each announced account adds a listener during its pause.
    setMaxListeners(0, this.#closing.signal);
  }

  /** Call when offers of the account are, or may be, due. */
  note(accountId: number): void {
    const isRunning = this.#isWanted.has(accountId);
    this.#isWanted.set(accountId, true);
    if (isRunning) return;
    const running = this.#announce(accountId).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Waits for the writes, and notes the account if one marked an offer; the results of the writes start at `writesFrom`. */
  async noteMarked(accountId: number, writing: Promise<readonly Rows[]>, writesFrom: number): Promise<readonly Rows[]> {
    try {
      const results = await writing;
      if (results.slice(writesFrom).some(hasMarked)) this.note(accountId);
      return results;
    } catch (error) {
      // The writes may have been stored.
      this.note(accountId);
      throw error;
    }
  }

  /** Makes the remaining announcements. Call this when no write is in flight. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#running);
  }

  /** Never throws: failures are retried, for the last time during `close`. */
  async #announce(accountId: number): Promise<void> {
    const { signal } = this.#closing;
    let pause_ms = PAUSE_MS;
    while (this.#isWanted.get(accountId)) {
      const isLast = signal.aborted;
      this.#isWanted.set(accountId, false);
      try {
        await announceWork(this.#database, REVIEW_KIND, accountId, 0);
        pause_ms = PAUSE_MS;
      } catch {
        this.#isWanted.set(accountId, !isLast);
        pause_ms = Math.min(pause_ms * 2, PAUSE_MS_MAX);
      }
      // Rejects when the store closes, which ends the pause.
      await timers.setTimeout(pause_ms, undefined, { signal }).catch(() => {});
    }
    this.#isWanted.delete(accountId);
  }
}

function hasMarked(rows: Rows): boolean {
  return (rows as readonly WrittenOffer[]).some(([, isMarked]) => isMarked === true);
}
