/**
 * Reports at start that the SQLite database is on a full disk. The server still serves reads. Any other error makes
 * the start fail.
 */
import { StoreFullError } from '../store/port/errors.ts';
import type { Store } from '../store/port.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';

export async function reportFullDisk(
  store: Pick<Store, 'ping'>,
  telemetry: Pick<Telemetry, 'observe'>,
  say: (line: string) => void,
): Promise<boolean> {
  try {
    await store.ping();
    return false;
  } catch (error) {
    if (!(error instanceof StoreFullError)) throw error;
    telemetry.observe('store_full', { error });
    say(`${error.message} Reads work; writes are refused until space is freed. No restart is needed.`);
    return true;
  }
}
