/**
 * In charge of having the leases of processes that were killed be over at once, as they are after some seconds. That their
 * time ends by itself is shown by the contract of background work, and by those tests of crashes that wait for it.
 */
import { DatabaseSync } from 'node:sqlite';
import { databaseFile } from '../../src/store/sqlite/engine/data-dir.ts';
import { selectColumn } from './postgres-place.ts';
import type { StorePlace } from './store-place.ts';

const LEASES = ['UPDATE work_lease SET lease_ends_ms = 0', 'UPDATE pending_import SET lease_ends_ms = 0'];

/** While nobody has the store open. */
export async function lapseLeases(place: StorePlace): Promise<void> {
  if (place.DATABASE_URL !== undefined) {
    for (const lapse of LEASES) await selectColumn(place, lapse);
    return;
  }
  using database = new DatabaseSync(databaseFile(place.DATA_DIR));
  for (const lapse of LEASES) database.exec(lapse);
}
