/**
 * In charge of the list of rows that were set aside: where each begins in the unpacked file, 8 bytes a row, in their order.
 * A million of them take 8 MB of disk, and some KB of memory when they are read again.
 */
import type { Readable } from 'node:stream';
import type { Entry } from './split-entries.ts';

const PLACE_BYTES = 8;

export function asideBytes(entries: readonly Entry[]): Buffer {
  const bytes = Buffer.alloc(entries.length * PLACE_BYTES);
  for (const [index, { offset }] of entries.entries()) bytes.writeDoubleLE(offset, index * PLACE_BYTES);
  return bytes;
}

/** Of the entries of a file, those that are in the list. */
export async function* onlyAside<Fault>(
  entries: AsyncGenerator<readonly Entry[], Fault>,
  list: Readable,
): AsyncGenerator<readonly Entry[], Fault | undefined> {
  const places = readPlaces(list);
  try {
    let wanted = await places.next();
    for (;;) {
      // What follows the last of them need not be unpacked.
      if (wanted.done === true) return undefined;
      const next = await entries.next();
      if (next.done === true) return next.value;
      const found: Entry[] = [];
      for (const entry of next.value) {
        while (wanted.done !== true && wanted.value < entry.offset) wanted = await places.next();
        if (wanted.done === true) break;
        if (wanted.value === entry.offset) found.push(entry);
      }
      if (found.length > 0) yield found;
    }
  } finally {
    list.destroy();
    await entries.return(undefined as Fault);
  }
}

async function* readPlaces(list: Readable): AsyncGenerator<number> {
  let left: Buffer = Buffer.alloc(0);
  for await (const chunk of list as AsyncIterable<Buffer>) {
    const bytes = left.length === 0 ? chunk : Buffer.concat([left, chunk]);
    const whole = bytes.length - (bytes.length % PLACE_BYTES);
    for (let at = 0; at < whole; at += PLACE_BYTES) yield bytes.readDoubleLE(at);
    left = bytes.subarray(whole);
  }
}
