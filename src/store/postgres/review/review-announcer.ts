/**
 * In charge of announcing the review of accounts whose offers were marked as due, behind the commit that marked them:
 * work leases are in another place than offers on a distributed database, and a row that all uploads of a merchant meet
 * at. So an account is announced at once, and after that not more often than four times a second.
 *
 * A process that dies in between leaves due offers that nobody was told of: `announceForgotten` finds them.
 */
import { REVIEW_KIND } from '../../port/review.ts';
import { announceWork } from '../../shared/work.ts';
import type { Rows } from '../engine/connection.ts';
import type { Database } from '../engine/engine.ts';
import type { WrittenOffer } from '../offers/row-statements.ts';

const PAUSE_MS = 250;
/** While the database fails: 500 ms, 1 s and so on, up to this. */
const PAUSE_MS_MAX = 5_000;

interface Round {
  /** It was marked again since the last announcement, or that one failed. */
  isWanted: boolean;
  endPause: () => void;
}

export class ReviewAnnouncer {
  readonly #database: Database;
  /** Of accounts that were announced a moment ago. */
  readonly #rounds = new Map<number, Round>();
  readonly #running = new Set<Promise<void>>();
  #isClosing = false;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Offers of the account are due, or may be. */
  note(accountId: number): void {
    const round = this.#rounds.get(accountId);
    if (round !== undefined) {
      round.isWanted = true;
      return;
    }
    const running = this.#announce(accountId).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Waits for the writes and notes the account where one marked an offer; `writesFrom` is the place of their first result. */
  async noteMarked(accountId: number, writing: Promise<readonly Rows[]>, writesFrom: number): Promise<readonly Rows[]> {
    try {
      const results = await writing;
      if (results.slice(writesFrom).some(hasMarked)) this.note(accountId);
      return results;
    } catch (error) {
      // Whether they are stored is not known.
      this.note(accountId);
      throw error;
    }
  }

  /** Announces what is left. No write must be under way. */
  async close(): Promise<void> {
    this.#isClosing = true;
    for (const round of this.#rounds.values()) round.endPause();
    await Promise.all(this.#running);
  }

  /** Never throws: what fails is tried again, at the close for the last time. */
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
