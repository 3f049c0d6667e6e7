/**
 * Stores the list of deferred rows: the offset of each in the unpacked file and the hash of its key, 8 bytes per row,
 * in order. A million of them take 8 MB of disk, and a few KB of memory when they are read.
 */
import type { Readable } from 'node:stream';
import { type DeferredKeys, keyMark, MARK_BYTES } from './deferred-keys.ts';
import type { Entry } from './entry.ts';
import type { CheckedRow } from './row-checks.ts';

/** Enough for offsets up to a terabyte, more than any setting allows. */
const PLACE_BYTES = 5;
const ROW_BYTES = PLACE_BYTES + MARK_BYTES;

export function deferredBytes(rows: readonly Pick<CheckedRow, 'entry' | 'key'>[]): Buffer {
  const bytes = Buffer.alloc(rows.length * ROW_BYTES);
  for (const [index, { entry, key }] of rows.entries()) {
    const behindPlace = bytes.writeUIntLE(entry.offset, index * ROW_BYTES, PLACE_BYTES);
    bytes.writeUIntLE(keyMark(key), behindPlace, MARK_BYTES);
  }
  return bytes;
}

/** Yields the entries of a file that are in the list; an empty array for a piece without any. */
export async function* onlyDeferred<Fault>(
  entries: AsyncGenerator<readonly Entry[], Fault>,
  list: Readable,
): AsyncGenerator<readonly Entry[], Fault | undefined> {
  const places = readPlaces(list);
  try {
    let wanted = await places.next();
    for (;;) {
      // Nothing after the last listed row needs to be decompressed.
      if (wanted.done === true) return undefined;
      const next = await entries.next();
      if (next.done === true) return next.value;
      const found: Entry[] = [];
      for (const entry of next.value) {
        while (wanted.done !== true && wanted.value < entry.offset) wanted = await places.next();
        if (wanted.done === true) break;
        if (wanted.value === entry.offset) found.push(entry);
      }
      yield found;
    }
  } finally {
    list.destroy();
    await entries.return(undefined as Fault);
  }
}

/** Adds the keys of all rows in the list. */
export async function readDeferredKeys(list: Readable, keys: DeferredKeys): Promise<void> {
  for await (const rows of readRows(list)) {
    for (let at = PLACE_BYTES; at < rows.length; at += ROW_BYTES) keys.add(rows.readUIntLE(at, MARK_BYTES));
  }
}

async function* readPlaces(list: Readable): AsyncGenerator<number> {
  for await (const rows of readRows(list)) {
    for (let at = 0; at < rows.length; at += ROW_BYTES) yield rows.readUIntLE(at, PLACE_BYTES);
  }
}

/** Yields several whole entries at a time. */
async function* readRows(list: Readable): AsyncGenerator<Buffer> {
  let left: Buffer = Buffer.alloc(0);
  for await (const chunk of list as AsyncIterable<Buffer>) {
    const bytes = left.length === 0 ? chunk : Buffer.concat([left, chunk]);
    const whole = bytes.length - (bytes.length % ROW_BYTES);
    yield bytes.subarray(0, whole);
    left = bytes.subarray(whole);
  }
}
