/**
 * In charge of who does the background work of which account. Runs in the writer thread, inside a transaction that is not
 * its own, so that what is looked at stands still until it was written.
 */
import type { WorkFigures, WorkLease } from '../port/work.ts';
import type { Connection } from './engine.ts';
import { query } from './engine.ts';
import type { WriteNumbers } from './write-numbers.ts';

/**
 * How an announcement meets a row that is there. Nothing is written where that changes nothing, as for most writes of a
 * merchant who is uploading: each page that a commit changes costs some microseconds.
 */
export const ANNOUNCE_AGAIN = `DO UPDATE SET
    due_ms = min(due_ms, excluded.due_ms),
    announced_due_ms = min(ifnull(announced_due_ms, excluded.due_ms), excluded.due_ms)
  WHERE due_ms > excluded.due_ms OR (fence <> 0 AND ifnull(announced_due_ms > excluded.due_ms, true))`;

export class WorkLeases {
  readonly #numbers: WriteNumbers;
  readonly #announce;
  readonly #announceNew;
  readonly #candidate;
  readonly #take;
  readonly #renew;
  readonly #drop;
  readonly #putBack;
  readonly #figures;

  constructor(connection: Connection, numbers: WriteNumbers) {
    this.#numbers = numbers;
    this.#announce = query(
      connection,
      `INSERT INTO work_lease (kind, account_id, due_ms) VALUES (?1, ?2, ?3) ON CONFLICT ${ANNOUNCE_AGAIN}`,
    );
    this.#announceNew = query(
      connection,
      'INSERT INTO work_lease (kind, account_id, due_ms) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    );
    this.#candidate = query<[accountId: number]>(
      connection,
      `SELECT account_id FROM work_lease WHERE kind = ?1 AND due_ms <= ?2 AND lease_ends_ms <= ?2
       ORDER BY due_ms, account_id LIMIT 1`,
    );
    this.#take = query(
      connection,
      `UPDATE work_lease SET holder = ?3, lease_ends_ms = ?4, fence = ?5, announced_due_ms = NULL
       WHERE kind = ?1 AND account_id = ?2`,
    );
    this.#renew = query(
      connection,
      'UPDATE work_lease SET lease_ends_ms = ?4 WHERE kind = ?1 AND account_id = ?2 AND fence = ?3',
    );
    this.#drop = query(
      connection,
      'DELETE FROM work_lease WHERE kind = ?1 AND account_id = ?2 AND fence = ?3 AND announced_due_ms IS NULL',
    );
    this.#putBack = query(
      connection,
      `UPDATE work_lease SET due_ms = min(ifnull(?4, announced_due_ms), ifnull(announced_due_ms, ?4)),
         announced_due_ms = NULL, holder = NULL, lease_ends_ms = 0, fence = 0
       WHERE kind = ?1 AND account_id = ?2 AND fence = ?3`,
    );
    this.#figures = query<[kind: string, due: number, oldestDueMs: number]>(
      connection,
      `SELECT kind, count(*), min(due_ms) FROM work_lease WHERE due_ms <= ?1 AND lease_ends_ms <= ?1
       GROUP BY kind ORDER BY kind`,
    );
  }

  announce(kind: string, accountId: number, dueMs: number): void {
    this.#announce.run(kind, accountId, dueMs);
  }

  /** Only where there is no such work, in whatever state. */
  announceForgotten(kind: string, accountId: number, dueMs: number): void {
    this.#announceNew.run(kind, accountId, dueMs);
  }

  take(kind: string, holder: string, lease_ms: number, nowMs: number): WorkLease | undefined {
    const candidate = this.#candidate.get(kind, nowMs);
    if (candidate === undefined) return undefined;
    const [accountId] = candidate;
    const fence = this.#numbers.drawApart();
    this.#take.run(kind, accountId, holder, nowMs + lease_ms, fence);
    return { kind, accountId, fence };
  }

  renew(kind: string, accountId: number, fence: number, leaseEndsMs: number): 'held' | 'lost' {
    return this.#renew.run(kind, accountId, fence, leaseEndsMs).changes === 0 ? 'lost' : 'held';
  }

  finish(kind: string, accountId: number, fence: number, nextDueMs: number | null): 'finished' | 'lost' {
    if (nextDueMs === null && this.#drop.run(kind, accountId, fence).changes > 0) return 'finished';
    return this.#putBack.run(kind, accountId, fence, nextDueMs).changes === 0 ? 'lost' : 'finished';
  }

  figures(nowMs: number): WorkFigures[] {
    return this.#figures.all(nowMs).map(([kind, due, oldestDueMs]) => {
      return { kind, due, oldestDue_ms: nowMs - oldestDueMs };
    });
  }
}
