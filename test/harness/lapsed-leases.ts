/**
 * Expires the leases of killed processes immediately instead of after a few seconds. That leases expire on their own is tested by the
 * contract of background work, and by the crash tests that wait for it.
 */
import { runSql } from './run-sql.ts';
import type { StorePlace } from './store-place.ts';

const LEASES = [
  ...['work_lease', 'pending_import', 'idempotency_key'].map((table) => `UPDATE ${table} SET lease_ends_ms = 0`),
  'UPDATE webhook SET due_ms = 0',
];

/** Call it while no process has the database open. */
export async function lapseLeases(place: StorePlace): Promise<void> {
  for (const lapse of LEASES) await runSql(place, lapse);
}
