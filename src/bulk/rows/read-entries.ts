/** In charge of the entries of a bulk file in their order, from wherever reading is to go on. */
import type { Readable } from 'node:stream';
import type { FileFault } from '../file-fault.ts';
import { type Entry, EntrySplitter } from './split-entries.ts';
import { type UnpackOptions, unpack } from './unpack.ts';

export interface EntryOptions extends UnpackOptions {
  /** 0, or the end of an entry: those before it are left out, at the cost of unpacking alone. */
  readonly from: number;
  /** Asked now and then while bytes before `from` are passed over, which may take seconds. */
  readonly signal?: AbortSignal;
}

/**
 * Gives the entries as they come, then the fault of the file that ended them: those of each piece that was unpacked, also
 * where there are none, so that whoever reads can do something else in between.
 */
export async function* readEntries(
  source: Readable,
  options: EntryOptions,
): AsyncGenerator<readonly Entry[], FileFault | undefined> {
  const { from, signal } = options;
  const splitter = new EntrySplitter(from);
  const chunks = unpack(source, options);
  try {
    let passed = 0;
    for (;;) {
      signal?.throwIfAborted();
      const next = await chunks.next();
      // What ended the bytes comes first: that the last row is cut off is only its consequence.
      if (next.done === true) return next.value ?? splitter.end();
      const skipped = Math.min(next.value.length, from - passed);
      if (skipped > 0) splitter.skip(next.value.subarray(0, skipped), passed);
      passed += skipped;
      const entries: Entry[] = [];
      const rest = skipped === 0 ? next.value : next.value.subarray(skipped);
      const fault = rest.length === 0 ? undefined : splitter.write(rest, entries);
      yield entries;
      if (fault !== undefined) return fault;
    }
  } finally {
    await chunks.return(undefined);
  }
}
