/** Holds writes at a locked row until a test releases them, to provoke races on purpose. */
import { putSku } from '../../contract/put-parts.ts';
import { AUTHOR, documentOf, NOW_MS, newAccountId } from '../../contract/subject.ts';
import type { SkuKey, WriteKey } from '../../port/offers.ts';
import type { Store } from '../../port.ts';
import { type Database, statement } from '../engine/engine.ts';
import { CITUS_VARIABLE } from './availability.ts';

export const HOLD_ROW = statement('test hold row')`
  SELECT 1 FROM offer WHERE account_id = $1 AND sku_id = $2 FOR UPDATE`;
/** On Citus, statements wait on workers. The last ten digits of `global_pid` are the process that serves the client on the coordinator. */
const [ACTIVITY, PID] = process.env[CITUS_VARIABLE]
  ? ['citus_stat_activity', '(global_pid % 10000000000)::integer']
  : ['pg_stat_activity', 'pid'];
/** Lists statements that wait for a row lock. */
export const WAITING = statement<[pid: number, query: string]>('test waiting')`
  SELECT ${PID} AS pid, query FROM ${ACTIVITY} WHERE datname = current_database() AND wait_event_type = 'Lock'`;

/** Locks the row of the SKU while `meanwhile` runs. */
export async function whileHeld(database: Database, { accountId, skuId }: SkuKey, meanwhile: () => Promise<void>) {
  await database.inTransaction(async (connection) => {
    await connection.run(HOLD_ROW, [accountId, skuId]);
    await meanwhile();
  });
}

/** Resolves when this many statements wait for a row lock. */
export async function untilWaiting(
  database: Database,
  count: number,
): Promise<readonly [pid: number, query: string][]> {
  for (;;) {
    const waiting = await database.run(WAITING);
    if (waiting.length >= count) return waiting;
  }
}

/** Uploads three SKUs of one account, in the order in which a statement locks them. */
export async function threeSkus(store: Store): Promise<[WriteKey, WriteKey, WriteKey]> {
  const accountId = newAccountId();
  const keys = ['a', 'b', 'c'].map((skuId) => ({ accountId, skuId, by: AUTHOR }));
  for (const key of keys) await putSku(store.offers, key, documentOf(), NOW_MS);
  return keys as [WriteKey, WriteKey, WriteKey];
}
