/**
 * In charge of writing rows of a file: in one transaction that moves the progress of the file first, and so fences off
 * whoever worked on it before.
 *
 * Nearly always that is one statement for all rows, which leaves what is newer and tells so. Rows that it did not write
 * (the SKU is unknown or archived, or some of its nodes are newer) are asked for again, in a way that tells: their offers
 * are locked, in the order of their keys, and what each row comes to is decided by them as they are then. So it is from the
 * start where a row depends on more than one part: for the archive flag and for groups. To lock all rows costs a quarter more.
 *
 * The second transaction moves the progress no further, and is made also for a file that was cancelled meanwhile, so that all
 * rows of the slice can be counted. Whoever dies in between leaves a slice that is done again.
 */
import { authorOfFile } from '../../../domain/author.ts';
import type { FileProgress } from '../../../domain/file-progress.ts';
import { StoreUnavailableError } from '../../port/errors.ts';
import type { BulkFile, FileStore, RowOutcome, RowWrite } from '../../port/files.ts';
import { AT_ITS_PLACE, MOVE, moveValues, placeOf, statusIs } from '../../shared/files/file-row.ts';
import type { Command, Rows } from '../engine/connection.ts';
import { type Database, statement } from '../engine/engine.ts';
import { TableStatistics } from '../engine/table-statistics.ts';
import { DRAW_NUMBER, drawnNumber } from '../engine/write-numbers.ts';
import type { AuthorIds, Authors } from '../history/authors.ts';
import { groupCommands, membersOf } from '../offers/group-writes.ts';
import {
  type Attribution,
  type GroupWrite,
  type RowWrite as OfferRowWrite,
  type RowKind,
  type WaveRow,
  wavesOf,
} from '../offers/offer-commands.ts';
import { type RowNumbers, type WrittenOffer, writeCommands, writeLockedCommands } from '../offers/row-statements.ts';
import type { ReviewAnnouncer } from '../review/review-announcer.ts';
import { type Decisions, decide, type PartRow, writeOf } from './file-row-decisions.ts';
import { flagCommands, type LockedPart, lockCommand } from './file-row-statements.ts';

/**
 * Of prices and stock: single calls to these offers wait for the commit, 66 to 80 ms by the rates of docs/operate/performance.md, and
 * between two slices the connection has nothing to do for a while. Of uploads, which all other calls feel, 27 ms.
 */
const SLICE_ROWS_MAX = 2_000;
const UPLOAD_WEIGHT = 6;
/** Of these a slice is made and sent, so that the server writes the first while the next ones are made. */
const PIECE_ROWS_MAX = 250;

/** Gives a row where the file is at its place, in work or cancelled, and keeps it there to the end of the transaction. */
const HOLD = statement<[1]>(
  'hold file',
  `SELECT 1 FROM bulk_file WHERE ${AT_ITS_PLACE} AND ${statusIs('Processing', 'Cancelled')} FOR UPDATE`,
);

type Outcomes = readonly RowOutcome[] | 'stale';

interface Slice {
  readonly file: BulkFile;
  /** The first command of each transaction: gives no row where somebody else has the file by now. */
  readonly fence: Command;
  readonly done: FileProgress;
  readonly told: Attribution;
}

export class FileRows {
  readonly #database: Database;
  readonly #announcer: ReviewAnnouncer;
  readonly #authors: Authors;
  readonly #statistics: TableStatistics;
  readonly #running = new Set<Promise<unknown>>();
  #isClosed = false;

  constructor(database: Database, announcer: ReviewAnnouncer, authors: Authors) {
    this.#authors = authors;
    this.#database = database;
    this.#announcer = announcer;
    this.#statistics = new TableStatistics(database);
  }

  async apply(file: BulkFile, done: FileProgress, rows: readonly RowWrite[], nowMs: number): Promise<Outcomes> {
    if (this.#isClosed) throw new StoreUnavailableError('The store is closed.');
    if (rows.length > SLICE_ROWS_MAX) throw new Error(`A slice has ${SLICE_ROWS_MAX} rows at most.`);
    const told = { by: authorOfFile(file.fileId), atMs: nowMs };
    const running = this.#apply({ file, fence: { statement: MOVE, values: moveValues(file, done) }, done, told }, rows);
    this.#running.add(running);
    return running.finally(() => this.#running.delete(running));
  }

  /** Finishes what was begun: behind it nothing is left to announce. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#running);
  }

  async #apply(slice: Slice, rows: readonly RowWrite[]): Promise<Outcomes> {
    const kind = kindOf(rows);
    if (kind === 'archive' || kind === 'group') return this.#writeLocked(slice, rows);

    const outcomes = await this.#writeUnlocked(slice, rows as readonly PartRow[]);
    if (outcomes === 'stale') return outcomes;
    // All rows of a key or none: they are told apart in their order.
    const missed = outcomes.flatMap((outcome, place) => (outcome === undefined ? place : []));
    if (missed.length > 0) {
      const left = missed.map((place) => rows[place] as RowWrite);
      const found = await this.#writeLocked(begun(slice), left);
      if (found === 'stale') return found;
      missed.forEach((place, index) => {
        outcomes[place] = found[index];
      });
    }
    return outcomes as RowOutcome[];
  }

  /** Undefined for rows that were not written. */
  async #writeUnlocked(
    { file, fence, told }: Slice,
    rows: readonly PartRow[],
  ): Promise<(RowOutcome | undefined)[] | 'stale'> {
    const { accountId, number } = file;
    const authors = await this.#authors.idsOf(accountId, [told]);
    const steps = stepsOf(rows.map((row) => writeOf(row, told)));
    const first = [fence, DRAW_NUMBER];
    const writing = this.#database.runInTwoGoes(first, ([fenced = [], drawn = []]) => {
      if (fenced.length === 0) return [];
      const numbers = this.#numbers(number, drawn, authors);
      return inPieces(steps).flatMap(([kind, piece]) => writeCommands(kind, piece, accountId, numbers));
    });
    const [fenced = [], , ...results] = await this.#announcer.noteMarked(accountId, writing, first.length);
    if (fenced.length === 0) return 'stale';
    const newest = newestOf(results);
    if (rows[0]?.kind === 'sku') this.#statistics.noteUploads(newest.size);
    return rows.map(({ skuId }) => {
      const isNewest = newest.get(skuId);
      return isNewest === undefined ? undefined : isNewest ? 'stored' : 'superseded';
    });
  }

  async #writeLocked(slice: Slice, rows: readonly RowWrite[]): Promise<Outcomes> {
    const { file, fence, told } = slice;
    const { accountId, number } = file;
    const authors = await this.#authors.idsOf(accountId, [told]);
    const [{ kind }] = rows as readonly [RowWrite];
    const first = [fence, lockCommand(kind, accountId, skuIdsOf(rows), number), DRAW_NUMBER];
    // Of the attempt that is stored: one that loses against others is made again.
    let decisions: Decisions | undefined;
    const writing = this.#database.runInTwoGoes(first, ([fenced = [], locked = [], drawn = []]) => {
      decisions = undefined;
      if (fenced.length === 0) return [];
      decisions = decide(rows, locked as readonly LockedPart[], number, told);
      return commandsOf(decisions, accountId, this.#numbers(number, drawn, authors), told);
    });
    const [, , , ...results] = await this.#announcer.noteMarked(accountId, writing, first.length);
    if (decisions === undefined) return 'stale';
    // A SKU that was not there could not be locked, and another process may have made it since: it is looked at again.
    const newest = newestOf(results);
    if (kind === 'sku' && !decisions.writes.every(({ skuId }) => newest.get(skuId))) {
      return this.#apply(begun(slice), rows);
    }
    return decisions.outcomes;
  }

  #numbers(number: number, drawn: Rows, authors: AuthorIds): RowNumbers {
    return { number, drawn: drawnNumber(drawn), authors, splitsWrites: this.#database.splitsWrites };
  }
}

/** For transactions behind the first, which has moved the progress. */
function begun(slice: Slice): Slice {
  return { ...slice, fence: { statement: HOLD, values: placeOf({ ...slice.file, progress: slice.done }) } };
}

/** Undefined when there are none. */
function kindOf(rows: readonly RowWrite[]): RowWrite['kind'] | undefined {
  const kind = rows[0]?.kind;
  if (rows.some((row) => row.kind !== kind)) throw new Error('The rows of a file are of one kind.');
  return kind;
}

function skuIdsOf(rows: readonly RowWrite[]): readonly string[] {
  return [...new Set(rows.flatMap((row) => (row.kind === 'group' ? membersOf(row) : row.skuId)))];
}

/** The SKUs that were written; false for those whose part is newer than the file, and was left. */
function newestOf(results: readonly Rows[]): ReadonlyMap<string, boolean | undefined> {
  const written = (results as readonly (readonly WrittenOffer[])[]).flat();
  return new Map(written.map(([skuId, , isNewest]) => [skuId, isNewest]));
}

/** In order; rows of one kind, each SKU once. */
type Step = readonly [kind: RowKind, rows: readonly WaveRow[]];

function stepsOf(writes: readonly OfferRowWrite[]): Step[] {
  return wavesOf(writes).flatMap((wave) => [...wave]);
}

function* inPieces(steps: readonly Step[]): IteratorObject<Step, undefined> {
  for (const [kind, rows] of steps) {
    for (let start = 0; start < rows.length; start += PIECE_ROWS_MAX) {
      yield [kind, rows.slice(start, start + PIECE_ROWS_MAX)];
    }
  }
}

function commandsOf(
  { writes, groups, flags }: Decisions,
  accountId: number,
  numbers: RowNumbers,
  told: Attribution,
): readonly Command[] {
  return [
    ...stepsOf(writes).flatMap(([kind, rows]) => writeLockedCommands(kind, rows, accountId, numbers)),
    ...groupWaves(groups).flatMap((wave) => groupCommands(accountId, wave, numbers)),
    ...(flags.length > 0 ? flagCommands(accountId, flags, numbers, told) : []),
  ];
}

/** Groups of one wave have no member in common, so that their order does not matter; those of the next are written behind. */
function groupWaves(groups: readonly GroupWrite[]): GroupWrite[][] {
  const waves: GroupWrite[][] = [];
  const lastWave = new Map<string, number>();
  for (const group of groups) {
    const members = membersOf(group);
    const wave = members.reduce((behind, skuId) => Math.max(behind, (lastWave.get(skuId) ?? -1) + 1), 0);
    for (const skuId of members) lastWave.set(skuId, wave);
    const together = waves[wave];
    if (together === undefined) waves[wave] = [group];
    else together.push(group);
  }
  return waves;
}

export function filesOn(
  records: Omit<FileStore, 'applyRows' | 'slice_rows_max' | 'upload_weight'>,
  rows: FileRows,
): FileStore {
  return {
    ...records,
    slice_rows_max: SLICE_ROWS_MAX,
    upload_weight: UPLOAD_WEIGHT,
    applyRows: (...slice) => rows.apply(...slice),
  };
}
