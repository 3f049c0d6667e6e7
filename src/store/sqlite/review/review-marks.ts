/**
 * In charge of marking offers as due for review, in the transaction of the write that may change what they are reviewed to
 * be, and of announcing that work, once in a transaction for each account.
 */
import { REVIEW_KIND } from '../../port/review.ts';
import { ANNOUNCE } from '../../shared/work.ts';
import { type Connection, query } from '../engine/engine.ts';
import { runStatement } from '../engine/sql.ts';
import type { WriteNumbers } from '../engine/write-numbers.ts';

/** A mark is replaced by a later one: it tells whether the offer is still what was reviewed. */
const MARK_AGAIN = 'ON CONFLICT DO UPDATE SET mark = excluded.mark, marked_ms = excluded.marked_ms';

export class ReviewMarks {
  readonly #connection: Connection;
  readonly #numbers: WriteNumbers;
  readonly #mark;
  readonly #markAll;
  readonly #markMembers;
  /** The accounts whose work was announced, and in which transaction. */
  readonly #announced = new Set<number>();
  #announcedIn = 0;

  constructor(connection: Connection, numbers: WriteNumbers) {
    this.#connection = connection;
    this.#numbers = numbers;
    this.#mark = query(
      connection,
      `INSERT INTO review_due (sku, account_id, mark, marked_ms) VALUES (?, ?, ?, ?) ${MARK_AGAIN}`,
    );
    this.#markAll = query(
      connection,
      `INSERT INTO review_due (sku, account_id, mark, marked_ms)
       SELECT value, ?, ?, ? FROM json_each(?) WHERE true ${MARK_AGAIN}`,
    );
    this.#markMembers = query(
      connection,
      `INSERT INTO review_due (sku, account_id, mark, marked_ms)
       SELECT sku, ?, ?, ? FROM variation_member WHERE parent = ? ${MARK_AGAIN}`,
    );
  }

  /** `sku` is the number of the SKU. */
  mark(accountId: number, sku: number): void {
    this.#mark.run(sku, accountId, this.#numbers.current(), Date.now());
    this.#announce(accountId);
  }

  /** Costs less than to mark them one by one. */
  markAll(accountId: number, skus: readonly number[]): void {
    if (skus.length === 0) return;
    this.#markAll.run(accountId, this.#numbers.current(), Date.now(), JSON.stringify(skus));
    this.#announce(accountId);
  }

  /** Marks all members of the group. */
  markMembers(accountId: number, parent: number): void {
    this.#markMembers.run(accountId, this.#numbers.current(), Date.now(), parent);
    this.#announce(accountId);
  }

  #announce(accountId: number): void {
    if (this.#announcedIn !== this.#numbers.transaction) {
      this.#announced.clear();
      this.#announcedIn = this.#numbers.transaction;
    }
    if (this.#announced.has(accountId)) return;
    this.#announced.add(accountId);
    runStatement(this.#connection, ANNOUNCE, [REVIEW_KIND, accountId, 0]);
  }
}
