/**
 * Collects checked rows of a file into slices, each as large as the store takes in one commit. The next slice is
 * collected while the store writes the last one; there are never more than two. If rows are far apart, slices have few
 * rows or none, so that the reader can stop in between.
 */
import { setImmediate as eventLoopTick } from 'node:timers/promises';
import type { Account } from '../../domain/account.ts';
import type { FileRow } from '../../domain/offers/part.ts';
import type { FileFault } from '../file-fault.ts';
import { ChecksAhead } from './checks-ahead.ts';
import type { DeferredKeys } from './deferred-keys.ts';
import type { Entry } from './entry.ts';
import type { CheckedRow, RowCheck } from './row-checks.ts';

export interface RowSlice {
  /** In the order of the file, including refused rows. */
  readonly rows: readonly CheckedRow[];
  /** The writes of rows that were neither refused nor deferred. */
  readonly writes: readonly FileRow[];
  /** Rows that are deferred without a write, because an earlier row of their key was deferred. */
  readonly held: ReadonlySet<CheckedRow>;
  /** Offset in the unpacked file after the last row of this slice, or of an earlier slice if this one has no rows. */
  readonly end: number;
  /** Bytes of the uploaded file that were read so far. */
  readonly bytesRead: number;
}

export interface SliceOptions {
  readonly check: RowCheck;
  /** Offset in the unpacked file at which reading resumes. */
  readonly from: number;
  /** The account with its current settings; undefined when it is gone, which ends the slices. */
  readonly account: () => Promise<Account | undefined>;
  readonly writes_max: number;
  /** The number of writes that an upload counts as. */
  readonly upload_weight: number;
  readonly bytesRead: () => number;
}

/** Bytes per row at which a slice is full. Documents have 1.4 KB on average but count as several rows, so only large ones reach this. */
const BYTES_PER_WRITE = 1_024;
/** Maximum number of refused rows in a slice. They cost the store nothing, but their errors stay in memory until they are written. */
const REFUSED_ROWS_MAX = 500;
/** A slice ends after this many decompressed pieces of about 100 KB, whatever it contains. */
const PIECES_MAX = 256;
/** After this time, files of other types and accounts, which run in the same thread, get their share. */
const SHARE_MS = 1;
/** The clock is read once per this many rows, because reading it takes a tenth of the time of a small row. */
const ROWS_PER_CLOCK_READ = 16;
/** A write with many nodes or children counts as several rows: this many cost about as much as one row. */
const PARTS_PER_WRITE = 4;

const NONE: ReadonlySet<never> = new Set();

/** Returns the slice without the writes of these keys, because earlier rows of the same keys were not written. */
export function holdBack(slice: RowSlice, keys: DeferredKeys): RowSlice {
  const held = new Set(slice.rows.filter(({ key, write }) => write !== undefined && keys.mayHave(key)));
  if (held.size === 0) return slice;
  const writes = slice.rows.flatMap((row) => (row.write === undefined || held.has(row) ? [] : row.write));
  return { ...slice, writes, held };
}

/** Yields the slices. Returns the error that ended the file, if any. */
export async function* sliceRows(
  entries: AsyncGenerator<readonly Entry[], FileFault | undefined>,
  { check, account: readAccount, from, writes_max, upload_weight, bytesRead }: SliceOptions,
): AsyncGenerator<RowSlice, FileFault | undefined | 'account_gone'> {
  const ahead = new ChecksAhead(check);
  let account: Account | undefined;
  let rows: CheckedRow[] = [];
  let writes: FileRow[] = [];
  let weight = 0;
  let bytes = 0;
  let pieces = 0;
  let end = from;
  let shareEndsMs = 0;
  const cut = (): RowSlice => {
    end = rows.at(-1)?.entry.end ?? end;
    const slice = { rows, writes, held: NONE, end, bytesRead: bytesRead() };
    rows = [];
    writes = [];
    weight = 0;
    bytes = 0;
    pieces = 0;
    return slice;
  };
  try {
    for (;;) {
      const next = await entries.next();
      if (next.done === true) {
        if (rows.length > 0) yield cut();
        return next.value;
      }
      for (const entry of next.value) {
        if (rows.length === 0 || account === undefined) {
          // Lets the call that writes the last slice start first, because it starts at the end of this tick.
          await eventLoopTick();
          shareEndsMs = performance.now() + SHARE_MS;
          account = await readAccount();
          if (account === undefined) return 'account_gone';
        }
        if (rows.length % ROWS_PER_CLOCK_READ === 0 && performance.now() > shareEndsMs) {
          await eventLoopTick();
          shareEndsMs = performance.now() + SHARE_MS;
        }
        const checking = ahead.take(account, entry, next.value);
        const row = checking instanceof Promise ? await checking : checking;
        rows.push(row);
        bytes += entry.end - entry.offset;
        if (row.write !== undefined) {
          writes.push(row.write);
          weight += weightOf(row.write, upload_weight);
        }
        const refused = rows.length - writes.length;
        const isFull = weight >= writes_max || bytes >= writes_max * BYTES_PER_WRITE || refused >= REFUSED_ROWS_MAX;
        if (isFull) yield cut();
      }
      if (++pieces >= PIECES_MAX) yield cut();
    }
  } finally {
    await entries.return(undefined);
  }
}

function weightOf(write: FileRow, upload_weight: number): number {
  switch (write.part) {
    case 'offer':
      return write.parts.reduce((sum, part) => sum + weightOf(part, upload_weight), 0);
    case 'sku':
      return upload_weight;
    case 'inventory':
      return 1 + Math.floor(write.quantities.length / PARTS_PER_WRITE);
    case 'variation':
      return 1 + Math.floor(write.group.childrenSkus.length / PARTS_PER_WRITE);
    default:
      return 1;
  }
}
