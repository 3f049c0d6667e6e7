/**
 * Begins sweeps, which mark all offers of an account as due for review, because a change of settings may change verdicts.
 * Runs in the transaction of that change; background work continues the sweep slice by slice.
 *
 * A sweep in progress starts again, because offers that it has marked may already have been reviewed by the old settings.
 */
import { SWEEP_KIND } from '../port/review.ts';
import { type Sql, STORE_MS, statement } from './sql.ts';
import { ANNOUNCE_AGAIN } from './work.ts';

const BEGIN = statement<[]>(
  'begin sweeps',
  `INSERT INTO review_sweep (account_id, cursor)
   SELECT account_id, 0 FROM account WHERE account_id BETWEEN $1 AND $2 ORDER BY account_id
   ON CONFLICT (account_id) DO UPDATE SET cursor = 0`,
);
const ANNOUNCE = statement<[]>(
  'announce sweeps',
  `INSERT INTO work_lease (kind, account_id, due_ms)
   SELECT '${SWEEP_KIND}', account_id, ${STORE_MS} FROM account WHERE account_id BETWEEN $1 AND $2 ORDER BY account_id
   ${ANNOUNCE_AGAIN}`,
);

export async function beginSweep(sql: Sql, accountId: number): Promise<void> {
  await begin(sql, [accountId, accountId]);
}

export async function beginSweepOfAll(sql: Sql): Promise<void> {
  await begin(sql, [0, Number.MAX_SAFE_INTEGER]);
}

async function begin(sql: Sql, accounts: readonly [first: number, last: number]): Promise<void> {
  await sql.run(BEGIN, accounts);
  await sql.run(ANNOUNCE, accounts);
}
