/** Marks offers as due for review in the transaction of the write, and announces that work once per transaction and account. */
import { REVIEW_KIND } from '../../port/review.ts';
import type { WorkSize } from '../../port/work.ts';
import { ANNOUNCE, announcement } from '../../shared/work.ts';
import type { Connection } from '../engine/connection.ts';
import type { WriteNumbers } from '../engine/write-numbers.ts';

/** A later mark replaces the earlier one, which shows that the offer changed during a review. */
const MARK_AGAIN = 'ON CONFLICT DO UPDATE SET mark = excluded.mark, marked_ms = excluded.marked_ms';

export type ReviewMarks = ReturnType<typeof reviewMarks>;

export function reviewMarks(connection: Connection, numbers: WriteNumbers) {
  /** Accounts announced in the transaction `announcedIn`. */
  const announced = new Set<number>();
  let announcedIn = 0;
  const insertMark = connection.query(`
    INSERT INTO review_due (sku, account_id, mark, marked_ms) VALUES (?, ?, ?, ?) ${MARK_AGAIN}`);
  const insertMarks = connection.query(`
    INSERT INTO review_due (sku, account_id, mark, marked_ms)
    SELECT value, ?, ?, ? FROM json_each(?) WHERE true ${MARK_AGAIN}`);
  const insertMembers = connection.query(`
    INSERT INTO review_due (sku, account_id, mark, marked_ms)
    SELECT sku, ?, ?, ? FROM variation_member WHERE parent = ? ${MARK_AGAIN}`);

  /** Marks several offers at once, which is faster than one by one. */
  function mark(accountId: number, skus: readonly number[], size?: WorkSize): void {
    if (skus.length === 0) return;
    if (skus.length === 1) insertMark.run(skus[0] as number, accountId, numbers.current(), Date.now());
    else insertMarks.run(accountId, numbers.current(), Date.now(), JSON.stringify(skus));
    announce(accountId, size);
  }

  function markMembers(accountId: number, parent: number): void {
    insertMembers.run(accountId, numbers.current(), Date.now(), parent);
    announce(accountId);
  }

  function announce(accountId: number, size: WorkSize = 'fresh'): void {
    if (announcedIn !== numbers.transaction) {
      announced.clear();
      announcedIn = numbers.transaction;
    }
    if (announced.has(accountId)) return;
    announced.add(accountId);
    connection.run(ANNOUNCE, announcement(REVIEW_KIND, accountId, 0, size));
  }

  return { mark, markMembers };
}
