/**
 * Writes slices of a file's rows, in a transaction that first moves the file's progress and so fences off other workers.
 *
 * Nearly always that is one statement for all rows, which skips newer parts and reports them. Rows that it did not write (the SKU is
 * unknown or archived, or some of its nodes are newer) are retried: their offers are locked in key order, and each row is decided by their
 * state. Rows for the archive flag and for groups are locked from the start. Locking all rows costs a quarter more.
 *
 * The second transaction does not change the progress, and runs even if the file was cancelled in between, so that all rows of the slice
 * are counted. After a crash in between, the slice is repeated.
 */
import { authorOfFile } from '../../../domain/author.ts';
import type { BulkFile, FileProgress, RowOutcome } from '../../../domain/bulk-files.ts';
import type { FileRow, OfferRow, PartWrite } from '../../../domain/offers/part.ts';
import { PARTS } from '../../../domain/offers/parts.ts';
import type { FileStore } from '../../port/files.ts';
import type { WriteKey } from '../../port/offers.ts';
import { methodsOf, type RunCommand } from '../../shared/aggregates.ts';
import { AT_ITS_PLACE, MOVE, moveValues, placeOf, statusIs } from '../../shared/files/file-row.ts';
import { slicesOf } from '../../shared/slices.ts';
import type { Command } from '../engine/connection.ts';
import { statement } from '../engine/engine.ts';
import { WaitingCalls } from '../engine/waiting-calls.ts';
import { groupCommands, membersOf } from '../offers/group-writes.ts';
import { type GroupWrite, type PartRow, type RowWrite, rowWriteOf, stepsOf } from '../offers/offer-commands.ts';
import { lockAndWrite, type OfferWriter } from '../offers/offer-writes.ts';
import { type RowContext, type WrittenOffer, writeCommands } from '../offers/row-statements.ts';
import {
  type Decisions,
  decide,
  decideOffers,
  type LockedPart,
  lockCommand,
  lockOffers,
  type OfferDecisions,
  type SliceContext,
} from './file-row-decisions.ts';

/**
 * Single calls to these offers wait for the commit. By the rates in docs/operate/performance.md, that is 66 ms for prices, 80 ms for
 * stock and 27 ms for uploads, which slow down all other calls.
 */
const SLICE_ROWS_MAX = 2_000;
const UPLOAD_WEIGHT = 6;
/** Rows of a slice that are sent together, so that the server writes them while the next ones are prepared. */
const PIECE_ROWS_MAX = 250;

/** Locks the file if it is still at the expected position, in progress or cancelled. */
const HOLD = statement<[1]>('hold file')`
  SELECT 1 FROM bulk_file WHERE ${AT_ITS_PLACE} AND ${statusIs('Processing', 'Cancelled')} FOR UPDATE`;

type Outcomes = readonly RowOutcome[] | 'stale';

/** A repeated request needs no fence: its number decides. */
const NO_FENCE: Command = Object.freeze({ statement: statement<[1]>('begin late write')`SELECT 1`, values: [] });

interface Slice extends SliceContext {
  /** First command of the transaction: returns no row if another worker has taken the file. */
  readonly fence: Command;
  /** First command of each further transaction. */
  readonly nextFence: Command;
}

export class FileRows {
  readonly #writer: OfferWriter;
  /** Slices in flight, whose number the caller limits. */
  readonly waiting = new WaitingCalls({ waiting_calls_max: Infinity, waiting_characters_max: Infinity });

  constructor(writer: OfferWriter) {
    this.#writer = writer;
  }

  async apply(file: BulkFile, done: FileProgress, rows: readonly FileRow[], nowMs: number): Promise<Outcomes> {
    if (rows.length > SLICE_ROWS_MAX) throw new Error(`A slice has at most ${SLICE_ROWS_MAX} rows.`);
    const { accountId, number, fileId } = file;
    const attribution = { by: authorOfFile(fileId), atMs: nowMs };
    const fence = { statement: MOVE, values: moveValues(file, done) };
    const nextFence = { statement: HOLD, values: placeOf({ ...file, progress: done }) };
    const call = this.waiting.begin(0);
    const slice = { accountId, number, fence, nextFence, attribution };
    const applying =
      kindOf(rows) === 'offer'
        ? this.#writeOffers(slice, rows as readonly OfferRow[])
        : this.#apply(slice, rows as readonly PartWrite[]);
    return applying.finally(() => this.waiting.end(call));
  }

  /** Writes parts of one SKU with the number of an earlier request. */
  async applyAgain({ accountId, by }: WriteKey, parts: readonly PartWrite[], number: number, nowMs: number) {
    const slice = { accountId, number, fence: NO_FENCE, nextFence: NO_FENCE, attribution: { by, atMs: nowMs } };
    const [{ skuId }] = parts as readonly [PartWrite];
    const outcomes =
      parts.length > 1
        ? await this.#writeOffers(slice, [{ skuId, part: 'offer', parts: parts as OfferRow['parts'] }])
        : await this.#apply(slice, parts);
    const outcome = outcomes[0] as RowOutcome;
    return outcome === 'superseded' ? 'stored' : outcome;
  }

  /** Writes rows of several parts, with one statement for each part. */
  async #writeOffers(slice: Slice, rows: readonly OfferRow[]): Promise<Outcomes> {
    const locks = lockOffers(rows, slice);
    // Set by the last attempt, because the transaction may be retried.
    let decisions: OfferDecisions | undefined;
    const first = [slice.fence, ...locks.commands];
    const { written } = await lockAndWrite(this.#writer, batchOf(slice), first, ([fenced = [], ...locked], context) => {
      decisions = undefined;
      if (fenced.length === 0) return [];
      decisions = decideOffers(rows, locks.byPart(locked), slice);
      return commandsOfOffers(decisions, context);
    });
    if (decisions === undefined) return 'stale';
    const { outcomes, writes, added } = decisions as OfferDecisions;
    if (added.size === 0) return outcomes;
    this.#writer.statistics.addWritten(added.size);
    // A missing SKU cannot be locked. If another process has created it since, its parts may be newer, and the rows are retried.
    const sent = new Set(writes.filter(({ skuId }) => added.has(skuId)).map(({ skuId, part }) => `${part} ${skuId}`));
    const newest = written.filter(([skuId, , isNewest]) => added.has(skuId) && isNewest);
    return newest.length === sent.size ? outcomes : this.#writeOffers(continued(slice), rows);
  }

  async #apply(slice: Slice, rows: readonly PartWrite[]): Promise<Outcomes> {
    const part = kindOf(rows);
    if (part === 'archive' || part === 'variation') return this.#writeLocked(slice, rows);

    const outcomes = await this.#writeUnlocked(slice, rows as readonly PartRow[]);
    if (outcomes === 'stale') return outcomes;
    // Includes either all rows of a key or none, so the order of a key's rows is kept.
    const missed = outcomes.flatMap((outcome, rowIndex) => (outcome === undefined ? rowIndex : []));
    if (missed.length > 0) {
      const left = missed.map((rowIndex) => rows[rowIndex] as PartWrite);
      const found = await this.#writeLocked(continued(slice), left);
      if (found === 'stale') return found;
      missed.forEach((rowIndex, index) => {
        outcomes[rowIndex] = found[index];
      });
    }
    return outcomes as RowOutcome[];
  }

  /** Writes rows without locking them first. The outcome is undefined for rows that were not written. */
  async #writeUnlocked(slice: Slice, rows: readonly PartRow[]): Promise<(RowOutcome | undefined)[] | 'stale'> {
    const { fence, attribution } = slice;
    const steps = stepsOf(rows.map((row) => rowWriteOf(row, attribution)));
    const { locked, written } = await lockAndWrite(this.#writer, batchOf(slice), [fence], ([fenced = []], context) => {
      if (fenced.length === 0) return [];
      return steps.values().flatMap(([part, all]) => {
        return slicesOf(all, PIECE_ROWS_MAX).flatMap((piece) => writeCommands([part, piece], context));
      });
    });
    if (locked[0]?.length === 0) return 'stale';
    const newest = newestOf(written);
    if (rows[0]?.part === 'sku') this.#writer.statistics.addWritten(newest.size);
    return rows.map(({ skuId }) => {
      const isNewest = newest.get(skuId);
      return isNewest === undefined ? undefined : isNewest ? 'stored' : 'superseded';
    });
  }

  async #writeLocked(slice: Slice, rows: readonly PartWrite[]): Promise<Outcomes> {
    const [{ part }] = rows as readonly [PartWrite];
    const first = [slice.fence, lockCommand(part, skuIdsOf(rows), slice)];
    // Set by the last attempt, because the transaction may be retried.
    let decisions: Decisions | undefined;
    const { written } = await lockAndWrite(
      this.#writer,
      { ...batchOf(slice), hasGroups: part === 'variation' },
      first,
      ([fenced = [], locked = []], context) => {
        decisions = undefined;
        if (fenced.length === 0) return [];
        decisions = decide(rows, locked as readonly LockedPart[], slice);
        return commandsOf(decisions, context);
      },
    );
    if (decisions === undefined) return 'stale';
    // A missing SKU cannot be locked. If another process has created it since, the rows are retried.
    const newest = newestOf(written);
    if (part === 'sku' && !decisions.writes.every(({ skuId }) => newest.get(skuId))) {
      return this.#apply(continued(slice), rows);
    }
    return decisions.outcomes;
  }
}

function batchOf({ accountId, number, attribution }: Slice) {
  return { accountId, attributions: [attribution], fileNumber: number };
}

/** Returns the slice for transactions after the one that moved the progress. */
function continued(slice: Slice): Slice {
  return { ...slice, fence: slice.nextFence };
}

/** Returns what the rows write; undefined if there are none. */
function kindOf(rows: readonly FileRow[]): FileRow['part'] | undefined {
  const part = rows[0]?.part;
  if (rows.some((row) => row.part !== part)) throw new Error('All rows of a file must write the same part.');
  return part;
}

function skuIdsOf(rows: readonly PartWrite[]): readonly string[] {
  return [...new Set(rows.flatMap((row) => (row.part === 'variation' ? membersOf(row) : row.skuId)))];
}

/** Maps each SKU that the statements returned: false if the part is newer than the file and was not written. */
function newestOf(written: readonly WrittenOffer[]): ReadonlyMap<string, boolean | undefined> {
  return new Map(written.map(([skuId, , isNewest]) => [skuId, isNewest]));
}

function commandsOf({ writes, groups }: Decisions, context: RowContext): readonly Command[] {
  return [
    ...stepsOf(writes).flatMap((step) => writeCommands(step, context, { areLocked: true })),
    ...groupWaves(groups).flatMap((wave) => groupCommands(wave, context)),
  ];
}

/** Only stock of locked offers may be written without comparing numbers. */
function commandsOfOffers({ writes, added }: OfferDecisions, context: RowContext): readonly Command[] {
  const isLocked = ({ part, skuId }: RowWrite) => part !== 'inventory' || !added.has(skuId);
  return PARTS.flatMap(({ name }) =>
    [true, false].flatMap((areLocked) => {
      const steps = stepsOf(writes.filter((write) => write.part === name && isLocked(write) === areLocked));
      return steps.flatMap((step) => writeCommands(step, context, { areLocked }));
    }),
  );
}

/** Splits groups into waves. Groups in a wave share no member, so their order does not matter; waves are written in order. */
function groupWaves(groups: readonly GroupWrite[]): GroupWrite[][] {
  const waves: GroupWrite[][] = [];
  const lastWave = new Map<string, number>();
  for (const group of groups) {
    const members = membersOf(group);
    const wave = members.reduce((behind, skuId) => Math.max(behind, (lastWave.get(skuId) ?? -1) + 1), 0);
    for (const skuId of members) lastWave.set(skuId, wave);
    waves[wave] = waves[wave] ?? [];
    waves[wave].push(group);
  }
  return waves;
}

export function filesOn(run: RunCommand, rows: FileRows): FileStore {
  return {
    ...methodsOf('files', run),
    slice_rows_max: SLICE_ROWS_MAX,
    upload_weight: UPLOAD_WEIGHT,
    applyRows: (...slice) => rows.apply(...slice),
  };
}
