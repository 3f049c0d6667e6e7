/** Reads the entries of a bulk file in order, from any resume position. */
import type { Readable } from 'node:stream';
import type { FileFault } from '../file-fault.ts';
import { type Entry, EntrySplitter } from './split-entries.ts';
import { type UnpackOptions, unpack } from './unpack.ts';

export interface EntryOptions extends UnpackOptions {
  /** 0, or the end of an entry. Earlier entries are decompressed and skipped. */
  readonly from: number;
  /** Called now and then while skipping to `from`, which may take seconds. */
  readonly signal?: AbortSignal;
}

/**
 * Yields the entries of each decompressed piece, even if it has none, so that the reader can do other work in between.
 * Finally yields the error that ended the file, if any.
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
      // Reports this cause, because a truncated last row is only its consequence.
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
