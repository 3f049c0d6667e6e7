/**
 * In charge of having the leases of processes that were killed be over at once, as they are after some seconds. That their
 * time ends by itself is shown by the contract of background work, and by those tests of crashes that wait for it.
 */
import { DatabaseSync } from 'node:sqlite';
import { databaseFile } from '../../src/store/sqlite/data-dir.ts';
import { selectColumn } from './postgres-place.ts';
import type { StorePlace } from './store-place.ts';

const WORK = 'UPDATE work_lease SET lease_ends_ms = 0';

/** While nobody has the store open. */
export async function lapseLeases(place: StorePlace): Promise<void> {
  if (place.DATABASE_URL !== undefined) {
    await selectColumn(place, WORK);
    return;
  }
  using database = new DatabaseSync(databaseFile(place.DATA_DIR));
  database.exec(WORK);
}
