/**
 * Announces the review of accounts whose offers were marked as due, after the commit that marked them: on Citus, work leases are on
 * another node than offers, and all uploads of a merchant would wait for the same row. An account is announced at once, then at
 * most four times a second.
 *
 * If a process dies in between, `announceForgotten` finds the due offers.
 */
import { REVIEW_KIND } from '../../port/review.ts';
import { announceWork } from '../../shared/work.ts';
import type { Rows } from '../engine/connection.ts';
import type { Database } from '../engine/engine.ts';
import type { WrittenOffer } from '../offers/row-statements.ts';

const PAUSE_MS = 250;
/** While the database fails the pause doubles, up to this. */
const PAUSE_MS_MAX = 5_000;

interface Round {
  /** Offers were marked since the last announcement, or it failed. */
  isWanted: boolean;
  endPause: () => void;
}

export class ReviewAnnouncer {
  readonly #database: Database;
  /** Accounts that were announced a moment ago. */
  readonly #rounds = new Map<number, Round>();
  readonly #running = new Set<Promise<void>>();
  #isClosing = false;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Call when offers of the account are, or may be, due. */
  note(accountId: number): void {
    const round = this.#rounds.get(accountId);
    if (round !== undefined) {
      round.isWanted = true;
      return;
    }
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
      // They may have been stored.
      this.note(accountId);
      throw error;
    }
  }

  /** Announces what is left. Call when no write is in flight. */
  async close(): Promise<void> {
    this.#isClosing = true;
    for (const round of this.#rounds.values()) round.endPause();
    await Promise.all(this.#running);
  }

  /** Never throws: failures are retried, for the last time during `close`. */
  async #announce(accountId: number): Promise<void> {
    const round: Round = { isWanted: true, endPause: () => {} };
    this.#rounds.set(accountId, round);
    let pause_ms = PAUSE_MS;
    while (round.isWanted) {
      const isLast = this.#isClosing;
      round.isWanted = false;
      try {
        await announceWork(this.#database, REVIEW_KIND, accountId, 0);
        pause_ms = PAUSE_MS;
      } catch {
        round.isWanted = !isLast;
        pause_ms = Math.min(pause_ms * 2, PAUSE_MS_MAX);
      }
      if (!this.#isClosing) await pause(round, pause_ms);
    }
    this.#rounds.delete(accountId);
  }
}

function hasMarked(rows: Rows): boolean {
  return (rows as readonly WrittenOffer[]).some(([, isMarked]) => isMarked === true);
}

function pause(round: Round, pause_ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, pause_ms);
    round.endPause = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}
