/**
 * Expires the leases of killed processes immediately instead of after some seconds. That leases expire by themselves is tested
 * by the contract of background work, and by the crash tests that wait for it.
 */
import { DatabaseSync } from 'node:sqlite';
import { databaseFile } from '../../src/store/sqlite/engine/data-dir.ts';
import { selectColumn } from './postgres-place.ts';
import type { StorePlace } from './store-place.ts';

const LEASES = ['UPDATE work_lease SET lease_ends_ms = 0', 'UPDATE pending_import SET lease_ends_ms = 0'];

/** Call it while no process has the database open. */
export async function lapseLeases(place: StorePlace): Promise<void> {
  if (place.DATABASE_URL !== undefined) {
    for (const lapse of LEASES) await selectColumn(place, lapse);
    return;
  }
  using database = new DatabaseSync(databaseFile(place.DATA_DIR));
  for (const lapse of LEASES) database.exec(lapse);
}
