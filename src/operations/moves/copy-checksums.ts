/** Computes checksums over all stored data of a copy and its source, to compare the two. */
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { COPIED_TABLES, type CopiedTables, type CopyReading } from '../../store/port/copy.ts';

export interface AccountChecksum {
  readonly skus: number;
  readonly sha256: string;
}

export function tablesChecksum(tables: CopiedTables): string {
  const hash = createHash('sha256');
  for (const name of COPIED_TABLES) {
    hash.update(`${name}\n`);
    for (const row of tables[name]) {
      const values = row.map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value));
      hash.update(`${JSON.stringify(values)}\n`);
    }
  }
  return hash.digest('hex');
}

/** Calls `watch` with the number of SKUs read so far. */
export async function accountChecksum(
  reading: CopyReading,
  accountId: number,
  watch: (skus: number) => void = () => {},
): Promise<AccountChecksum> {
  const hash = createHash('sha256');
  let skus = 0;
  for (let after = 0; ; ) {
    const offers = await reading.readOffers(accountId, after);
    const last = offers.at(-1);
    if (last === undefined) return { skus, sha256: hash.digest('hex') };
    // Both engines write offers with the same codec, so their fields have the same order.
    hash.update(offers.map((offer) => `${JSON.stringify(offer)}\n`).join(''));
    skus += offers.length;
    after = last.order;
    watch(skus);
    // SQLite works synchronously: without a tick of the event loop, this could not be interrupted.
    await setImmediate();
  }
}
