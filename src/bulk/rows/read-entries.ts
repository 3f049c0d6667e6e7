/** Reads the entries of a bulk file in order, from any resume position. */
import type { Readable } from 'node:stream';
import type { Compression, FileFormat, FileType } from '../../domain/vocabulary/file-types.ts';
import type { FileFault } from '../file-fault.ts';
import { type DetectedFormat, detectFormat, JSON_FILE } from '../formats/detect-format.ts';
import { LineSplitter } from '../formats/split-lines.ts';
import { SheetSplitter } from '../formats/split-sheet.ts';
import { type Entry, keyNameOf, type Splitter } from './entry.ts';
import { EntrySplitter } from './split-entries.ts';
import { type UnpackOptions, unpack } from './unpack.ts';

export interface EntryOptions extends Omit<UnpackOptions, 'onCompression'> {
  /** The type of the rows. Absent for an error file, which is JSON. */
  readonly type?: FileType;
  /** Where to start: 0, or the end of an entry. Earlier entries are decompressed and skipped. */
  readonly from: number;
  /** Checked now and then while skipping to `from`, which may take seconds. */
  readonly signal?: AbortSignal;
  /** Called once, before the first entry. */
  readonly onFormat?: (format: FileFormat, compression: Compression) => void;
}

/**
 * Yields the entries of each decompressed piece, even if it has none, so that the reader can do other work in between.
 * Returns the error that ended the file, if any.
 */
export async function* readEntries(
  source: Readable,
  options: EntryOptions,
): AsyncGenerator<readonly Entry[], FileFault | undefined> {
  const { type, from, signal, onFormat } = options;
  let compression: Compression = 'none';
  const onCompression = (found: Compression): void => {
    compression = found;
  };
  const chunks = unpack(source, { ...options, onCompression });
  /** The bytes read until the format is known. */
  let head: Buffer = Buffer.alloc(0);
  let reader: EntryReader | undefined;
  try {
    for (;;) {
      signal?.throwIfAborted();
      const next = await chunks.next();
      let chunk = next.done === true ? undefined : next.value;
      if (reader === undefined) {
        chunk = head = chunk === undefined ? head : Buffer.concat([head, chunk]);
        const detected = type === undefined ? JSON_FILE : detectFormat(type, head, next.done === true);
        if (detected !== undefined) {
          onFormat?.(detected.format, compression);
          if (detected.fault !== undefined) return (next.done === true ? next.value : undefined) ?? detected.fault;
          reader = new EntryReader(detected, from, keyNameOf(type));
        }
      }
      const entries: Entry[] = [];
      const fault = chunk === undefined ? undefined : reader?.write(chunk, entries);
      // An error of the stream has priority over a truncated last row, which is only its consequence.
      const atEnd = next.done === true ? (next.value ?? fault ?? reader?.end(entries)) : fault;
      yield entries;
      if (next.done === true || atEnd !== undefined) return atEnd;
    }
  } finally {
    await chunks.return(undefined);
  }
}

/** Skips the bytes before the first entry to read. */
class EntryReader {
  readonly #splitter: Splitter;
  readonly #from: number;
  #passed = 0;

  constructor({ format, sheet, start }: DetectedFormat, from: number, keyName: string) {
    this.#from = Math.max(from, start);
    if (sheet !== undefined) this.#splitter = new SheetSplitter(sheet, this.#from);
    else if (format === 'NDJSON') this.#splitter = new LineSplitter(this.#from, keyName);
    else this.#splitter = new EntrySplitter(this.#from);
  }

  write(chunk: Buffer, entries: Entry[]): FileFault | undefined {
    const skipped = Math.min(chunk.length, this.#from - this.#passed);
    if (skipped > 0) this.#splitter.skip(chunk.subarray(0, skipped), this.#passed);
    this.#passed += skipped;
    const rest = skipped === 0 ? chunk : chunk.subarray(skipped);
    return rest.length === 0 ? undefined : this.#splitter.write(rest, entries);
  }

  end(entries: Entry[]): FileFault | undefined {
    return this.#splitter.end(entries);
  }
}
