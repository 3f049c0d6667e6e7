/** Announces background work, within the transaction of the write that causes it. */
import { type Sql, STORE_MS, statement } from '../sql.ts';

/**
 * How an announcement meets a row that is there. The row is locked on PostgreSQL in any case. It is written only where that
 * changes something, which for most writes of a merchant who is uploading it does not.
 */
export const ANNOUNCE_AGAIN = `ON CONFLICT (kind, account_id) DO UPDATE SET
     due_ms = CASE WHEN work_lease.due_ms < excluded.due_ms THEN work_lease.due_ms ELSE excluded.due_ms END,
     announced_due_ms = CASE WHEN work_lease.announced_due_ms < excluded.due_ms THEN work_lease.announced_due_ms
       ELSE excluded.due_ms END
   WHERE work_lease.due_ms > excluded.due_ms OR (work_lease.fence <> 0
     AND (work_lease.announced_due_ms IS NULL OR work_lease.announced_due_ms > excluded.due_ms))`;

/** Values: kind, account, and the delay in milliseconds. */
export const ANNOUNCE = statement<[]>(
  'announce work',
  `INSERT INTO work_lease (kind, account_id, due_ms) VALUES ($1, $2, ${STORE_MS} + CAST($3 AS bigint))
   ${ANNOUNCE_AGAIN}`,
);
const ANNOUNCE_MISSING = statement<[]>(
  'announce missing work',
  `INSERT INTO work_lease (kind, account_id, due_ms) VALUES ($1, $2, ${STORE_MS})
   ON CONFLICT (kind, account_id) DO NOTHING`,
);

/** Callers that announce several do so in one order, so that no two of them wait for each other. */
export async function announceWork(sql: Sql, kind: string, accountId: number, delay_ms: number): Promise<void> {
  await sql.run(ANNOUNCE, [kind, accountId, delay_ms]);
}

/** Leaves work that was announced before as it is, whoever holds it. */
export async function announceMissing(
  sql: Sql,
  work: readonly { readonly kind: string; readonly accountId: number }[],
): Promise<void> {
  for (const { kind, accountId } of work) await sql.run(ANNOUNCE_MISSING, [kind, accountId]);
}
