/** Reads the SKU ids of the rows of a bulk file, to undo what it changed. */
import type { Readable } from 'node:stream';
import { skuIdFault } from '../../domain/sku-id.ts';
import type { FileType } from '../../domain/vocabulary/file-types.ts';
import type { Entry } from './entry.ts';
import { readEntries } from './read-entries.ts';
import { readKey } from './row-key.ts';
import { readSheetRow } from './sheet-row.ts';

/** Leaves out rows without a valid SKU id, and rows that repeat the id of the row before, such as stock of several nodes. */
export async function* readKeys(
  source: Readable,
  type: FileType,
  unpacked_bytes_max: number,
): AsyncGenerator<readonly string[]> {
  let last: string | undefined;
  for await (const entries of readEntries(source, { type, from: 0, unpacked_bytes_max, onRead: () => {} })) {
    const keys: string[] = [];
    for (const entry of entries) {
      const key = keyOf(entry);
      if (key !== undefined && key !== last) keys.push(key);
      last = key ?? last;
    }
    yield keys;
  }
}

function keyOf(entry: Entry): string | undefined {
  if (entry.sheet === undefined) {
    const key = readKey(entry);
    return 'fault' in key ? undefined : key.skuId;
  }
  const row = readSheetRow(entry, entry.sheet);
  return 'unreadable' in row || skuIdFault(row.sku) !== undefined ? undefined : row.sku;
}
