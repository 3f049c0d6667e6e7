/**
 * Begins sweeps, which mark offers of an account as due for review: all of them, because a change of settings may change verdicts,
 * or the matches of a filter, because an operator requests a re-check. A change of settings begins them in its own transaction;
 * background work continues them slice by slice.
 *
 * A sweep in progress starts again, because offers that it has marked may already have been reviewed by the old settings. If it has
 * another filter, it marks all offers.
 */
import type { Environment } from '../../domain/account.ts';
import { SWEEP_KIND, type Sweep, type SweepStore } from '../port/review.ts';
import { read, write } from './command.ts';
import { type Sql, STORE_MS, statement } from './sql.ts';
import { ANNOUNCE_AGAIN } from './work.ts';

const CHOSEN = `FROM account WHERE account_id BETWEEN $1 AND $2
     AND (CAST($3 AS text) IS NULL OR environment = CAST($3 AS text)) ORDER BY account_id`;
const BEGIN = statement<[]>(
  'begin sweeps',
  `INSERT INTO review_sweep (account_id, cursor, filter) SELECT account_id, 0, CAST($4 AS text) ${CHOSEN}
   ON CONFLICT (account_id) DO UPDATE SET cursor = 0,
     filter = CASE WHEN review_sweep.filter = excluded.filter THEN excluded.filter END`,
);
const ANNOUNCE = statement<[]>(
  'announce sweeps',
  `INSERT INTO work_lease (kind, account_id, due_ms) SELECT '${SWEEP_KIND}', account_id, ${STORE_MS} ${CHOSEN}
   ${ANNOUNCE_AGAIN}`,
);
type SweepRow = [accountId: number, cursor: number, filter: string | null];
const LIST = statement<SweepRow>('list sweeps', 'SELECT account_id, cursor, filter FROM review_sweep');
const READ = statement<SweepRow>(
  'read sweep',
  'SELECT account_id, cursor, filter FROM review_sweep WHERE account_id = $1',
);
const MOVE = statement<[one: number]>(
  'move sweep',
  'UPDATE review_sweep SET cursor = $4 WHERE account_id = $1 AND cursor = $2 AND filter = $3 RETURNING 1',
);
const END = statement<[one: number]>(
  'end sweep of filter',
  'DELETE FROM review_sweep WHERE account_id = $1 AND cursor = $2 AND filter = $3 RETURNING 1',
);

export async function beginSweep(sql: Sql, accountId: number): Promise<void> {
  await begin(sql, accountId, accountId);
}

export async function beginSweepOfAll(sql: Sql, environment?: Environment, filter?: string): Promise<void> {
  await begin(sql, 0, Number.MAX_SAFE_INTEGER, environment, filter);
}

async function begin(sql: Sql, first: number, last: number, environment?: Environment, filter?: string): Promise<void> {
  const chosen = [first, last, environment ?? null];
  await sql.run(BEGIN, [...chosen, filter ?? null]);
  await sql.run(ANNOUNCE, chosen);
}

export const sweeps = {
  beginSweeps: write<SweepStore['beginSweeps']>(async (sql, { accountIds, environment }, filter) => {
    const text = filter && JSON.stringify(filter);
    if (accountIds === undefined) return beginSweepOfAll(sql, environment, text);
    for (const accountId of accountIds) await begin(sql, accountId, accountId, environment, text);
  }),
  listSweeps: read<SweepStore['listSweeps']>(async (sql) => (await sql.run(LIST)).map(sweepOf)),
  readSweep: read<SweepStore['readSweep']>(async (sql, accountId) => {
    return (await sql.run(READ, [accountId])).map(sweepOf)[0];
  }),
  moveSweep: write<SweepStore['moveSweep']>(async (sql, { accountId, cursor, filter }, next) => {
    const old = [accountId, cursor, JSON.stringify(filter)];
    const moved = next === undefined ? await sql.run(END, old) : await sql.run(MOVE, [...old, next]);
    return moved.length > 0;
  }),
};

function sweepOf([accountId, cursor, filter]: SweepRow): Sweep {
  return { accountId, cursor, filter: filter === null ? null : JSON.parse(filter) };
}
