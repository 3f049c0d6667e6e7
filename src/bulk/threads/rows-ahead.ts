/**
 * Lets threads check the rows of a SKU file before they are needed. The rows keep their order, and the number of pieces in flight is bounded.
 *
 * Only rows without problems are taken from a thread. All others are checked again in this thread, with the current taxonomy and the
 * position of the row. Rows of other types are small: to send one to a thread and back costs as much as its check.
 */
import type { FileFault } from '../file-fault.ts';
import type { Entry } from '../rows/entry.ts';
import type { GoodRow, RowCheck } from '../rows/row-checks.ts';
import { type CheckedBatch, OFFSETS, type RowBatch } from './check-messages.ts';
import type { CheckThreads } from './check-threads.ts';

/** Threads are started for files with more pieces of about 100 KB: starting one takes as long as checking 40 pieces. */
const PIECES_BEFORE_START = 64;

interface PieceAhead {
  readonly entries: readonly Entry[];
  /** The entries that a thread checks. */
  readonly sent: readonly Entry[];
  readonly checking: Promise<CheckedBatch> | undefined;
}

export class RowsAhead {
  readonly #threads: CheckThreads;
  readonly #check: RowCheck;
  /** The good rows of the piece that was read last. */
  #checked = new Map<Entry, GoodRow>();
  #pieces = 0;

  constructor(threads: CheckThreads, check: RowCheck) {
    this.#threads = threads;
    this.#check = check;
  }

  /** Returns the row if a thread has checked it, and checks it otherwise. */
  readonly check: RowCheck = (account, entry) => this.#checked.get(entry) ?? this.#check(account, entry);

  /** Yields the pieces unchanged, each after its rows were checked. */
  async *read(
    pieces: AsyncGenerator<readonly Entry[], FileFault | undefined>,
  ): AsyncGenerator<readonly Entry[], FileFault | undefined> {
    const ahead: PieceAhead[] = [];
    let end: IteratorReturnResult<FileFault | undefined> | undefined;
    try {
      for (;;) {
        do {
          const next: IteratorResult<readonly Entry[], FileFault | undefined> = end ?? (await pieces.next());
          if (next.done === true) end = next;
          else ahead.push(this.#begin(next.value));
        } while (end === undefined && ahead.length <= this.#threads.batches_max);
        const piece = ahead.shift();
        if (piece === undefined) return end?.value;
        this.#checked = this.#goodRows(piece.sent, await piece.checking);
        yield piece.entries;
      }
    } finally {
      await pieces.return(undefined);
    }
  }

  #begin(entries: readonly Entry[]): PieceAhead {
    if (++this.#pieces >= PIECES_BEFORE_START) this.#threads.start();
    // The first entry may have begun in an earlier piece, and then has its own bytes.
    const piece = entries.at(-1)?.piece;
    const sent = entries.filter((entry) => entry.piece === piece && entry.sheet === undefined && !entry.isCut);
    if (sent.length === 0 || this.#threads.batches_max === 0) return { entries, sent: [], checking: undefined };
    return { entries, sent, checking: this.#threads.check(batchOf(sent)) };
  }

  #goodRows(sent: readonly Entry[], checked: CheckedBatch | undefined): Map<Entry, GoodRow> {
    const rows = new Map<Entry, GoodRow>();
    if (checked === undefined) return rows;
    const { skuIds, documents, browseNodeIds, ignored } = checked;
    for (const [index, entry] of sent.entries()) {
      const document = documents[index];
      const browseNodeId = browseNodeIds[index];
      if (document == null) continue;
      if (browseNodeId !== undefined && this.#threads.taxonomy.node(browseNodeId) === undefined) continue;
      const key = skuIds[index] as string;
      const write = { skuId: key, part: 'sku' as const, document };
      rows.set(entry, { entry, key, write, ignored: ignored.get(index) ?? [] });
    }
    return rows;
  }
}

/** All entries have the same piece. Its bytes are copied, because errors quote them. */
function batchOf(entries: readonly Entry[]): RowBatch {
  const { format, piece } = entries[0] as Entry;
  const offsets = new Int32Array(entries.length * OFFSETS.length);
  let at = 0;
  for (const entry of entries) for (const name of OFFSETS) offsets[at++] = entry[name];
  return { format, bytes: new Uint8Array(piece.bytes), offsets };
}
