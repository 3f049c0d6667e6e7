/** Computes checksums over all stored data of a copy and its source, to compare the two. */
import { createHash } from 'node:crypto';
import { COPIED_TABLES, type CopiedTables, type StoreSnapshot } from '../../store/port/copy.ts';
import { pagesOf } from './snapshot-pages.ts';

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
  reading: StoreSnapshot,
  accountId: number,
  watch: (skus: number) => void = () => {},
): Promise<AccountChecksum> {
  const hash = createHash('sha256');
  let skus = 0;
  for await (const offers of pagesOf((after) => reading.readOffers(accountId, after))) {
    // Both engines write offers with the same codec, so their fields have the same order.
    hash.update(offers.map((offer) => `${JSON.stringify(offer)}\n`).join(''));
    skus += offers.length;
    watch(skus);
  }
  return { skus, sha256: hash.digest('hex') };
}
