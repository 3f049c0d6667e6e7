/**
 * In charge of slices: as many rows of a file, read and checked, as the store takes in one commit. The next one is made
 * while the store writes the last; there are never more than the two. Where rows are far apart there are slices of few
 * rows, or of none, so that nobody waits for the next row without looking up.
 */
import { setImmediate as eventLoopTick } from 'node:timers/promises';
import type { Account } from '../../domain/account.ts';
import type { RowWrite } from '../../store/port/files.ts';
import type { FileFault } from '../file-fault.ts';
import { ChecksAhead } from './checks-ahead.ts';
import type { DeferredKeys } from './deferred-keys.ts';
import type { CheckedRow, RowCheck } from './row-checks.ts';
import type { Entry } from './split-entries.ts';

export interface RowSlice {
  /** In the order of the file, refused ones included. */
  readonly rows: readonly CheckedRow[];
  /** What those that were neither refused nor held back ask for. */
  readonly writes: readonly RowWrite[];
  /** Rows that are deferred unwritten, because an earlier one of their key was. */
  readonly held: ReadonlySet<CheckedRow>;
  /** Of the unpacked file: where the last row ends, of this slice or of the one before. */
  readonly end: number;
  /** Of the file as it was sent, as far as it was read then. */
  readonly bytesRead: number;
}

export interface SliceOptions {
  readonly check: RowCheck;
  /** Of the unpacked file: where reading goes on. */
  readonly from: number;
  /** As it is set up now; undefined when it is gone, which ends the slices. */
  readonly account: () => Promise<Account | undefined>;
  readonly writes_max: number;
  /** As how many writes an upload counts. */
  readonly upload_weight: number;
  readonly bytesRead: () => number;
}

/** Documents have 1.4 KB in the mean and count several times: only slices of unusually large ones end by this. */
const BYTES_PER_WRITE = 1_024;
/** Refused ones cost the store nothing, but their errors are held until they are written down. */
const REFUSED_ROWS_MAX = 500;
/** Pieces of the file, of some 100 KB each when it is unpacked: a slice ends behind so many, whatever is in it. */
const PIECES_MAX = 256;
/** Files of other types and accounts are worked on in the same thread: after so long they have their turn. */
const TURN_MS = 1;
/** The clock is looked at once for so many rows: it takes a tenth of the time of a small one. */
const ROWS_PER_LOOK = 16;
/** A write of many nodes or children counts as several: so many of them cost about as much as one row. */
const PARTS_PER_WRITE = 4;

const NONE: ReadonlySet<never> = new Set();

/** The slice without what rows of these keys ask for: those were to be written behind rows that were not. */
export function holdBack(slice: RowSlice, keys: DeferredKeys): RowSlice {
  const held = new Set(slice.rows.filter(({ key, write }) => write !== undefined && keys.mayHave(key)));
  if (held.size === 0) return slice;
  const writes = slice.rows.flatMap((row) => (row.write === undefined || held.has(row) ? [] : row.write));
  return { ...slice, writes, held };
}

/** Gives the slices, then the fault of the file that ended them. */
export async function* sliceRows(
  entries: AsyncGenerator<readonly Entry[], FileFault | undefined>,
  { check, account: readAccount, from, writes_max, upload_weight, bytesRead }: SliceOptions,
): AsyncGenerator<RowSlice, FileFault | undefined | 'account_gone'> {
  const ahead = new ChecksAhead(check);
  let account: Account | undefined;
  let rows: CheckedRow[] = [];
  let writes: RowWrite[] = [];
  let weight = 0;
  let bytes = 0;
  let pieces = 0;
  let end = from;
  let turnEndsMs = 0;
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
          // The call that has the last slice written goes out first: it waits for the end of this turn.
          await eventLoopTick();
          turnEndsMs = performance.now() + TURN_MS;
          account = await readAccount();
          if (account === undefined) return 'account_gone';
        }
        if (rows.length % ROWS_PER_LOOK === 0 && performance.now() > turnEndsMs) {
          await eventLoopTick();
          turnEndsMs = performance.now() + TURN_MS;
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

function weightOf(write: RowWrite, upload_weight: number): number {
  switch (write.kind) {
    case 'sku':
      return upload_weight;
    case 'inventory':
      return 1 + Math.floor(write.quantities.length / PARTS_PER_WRITE);
    case 'group':
      return 1 + Math.floor(write.group.childrenSkus.length / PARTS_PER_WRITE);
    default:
      return 1;
  }
}
