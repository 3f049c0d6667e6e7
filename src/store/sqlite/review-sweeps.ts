/**
 * In charge of beginning a sweep, which marks all offers of an account as due for review: where a change of the set-up may
 * change what they are judged to be. Called in the transaction of that change; see review-writes.ts for the sweeping.
 *
 * A sweep that is under way begins again: what it marked before the change may have been judged before it, too.
 */
import { SWEEP_KIND } from '../port/review.ts';
import { ANNOUNCE_AGAIN } from '../shared/work/announcements.ts';
import { type Connection, query } from './engine.ts';

export function beginSweep(connection: Connection, accountId: number): void {
  begin(connection, 'account_id = ?', [accountId]);
}

export function beginSweepOfAll(connection: Connection): void {
  begin(connection, 'true', []);
}

function begin(connection: Connection, accounts: string, values: readonly number[]): void {
  query(
    connection,
    `INSERT INTO review_sweep (account_id, cursor) SELECT account_id, 0 FROM account WHERE ${accounts}
     ON CONFLICT DO UPDATE SET cursor = 0`,
  ).run(...values);
  query(
    connection,
    `INSERT INTO work_lease (kind, account_id, due_ms) SELECT ?, account_id, ? FROM account WHERE ${accounts}
     ${ANNOUNCE_AGAIN}`,
  ).run(SWEEP_KIND, Date.now(), ...values);
}
