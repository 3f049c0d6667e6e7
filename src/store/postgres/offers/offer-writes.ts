/**
 * Writes a batch of an account's single calls, and finds the outcome of each.
 *
 * Nearly always a batch is one statement, which commits by itself. If kinds mix or the archive flag changes, the rows are locked
 * first, in key order to prevent deadlocks; their flags then determine the outcome of each write in turn. The number is drawn after
 * the locks, and the writes are sent when the locks are held: so an abandoned change of the flag never runs after newer writes,
 * which it would refuse or zero.
 */
import type { SkuState, WriteOutcome } from '../../port/offers.ts';
import type { Rows } from '../engine/connection.ts';
import type { Database } from '../engine/engine.ts';
import { TableStatistics } from '../engine/table-statistics.ts';
import { DRAW_NUMBER, drawBatchNumber, drawnNumber } from '../engine/write-numbers.ts';
import type { AuthorIds, Authors } from '../history/authors.ts';
import type { ReviewAnnouncer } from '../review/review-announcer.ts';
import { type RowKind, type RowWrite, type Wave, type WaveRow, wavesOf } from './offer-commands.ts';
import { LOCK_OFFERS, type LockedOffer, type RowNumbers, writeCommands } from './row-statements.ts';

export class OfferWrites {
  readonly #database: Database;
  readonly #announcer: ReviewAnnouncer;
  readonly #authors: Authors;
  readonly #statistics: TableStatistics;

  constructor(database: Database, announcer: ReviewAnnouncer, authors: Authors) {
    this.#authors = authors;
    this.#database = database;
    this.#announcer = announcer;
    this.#statistics = new TableStatistics(database);
  }

  /** Writes all or none, at most PLACES. Returns the outcomes in the order of the writes. */
  async write(accountId: number, writes: readonly RowWrite[], deadlineMs: number): Promise<WriteOutcome[]> {
    const waves = wavesOf(writes);
    const authors = await this.#authors.idsOf(accountId, writes, deadlineMs);
    const [kind, rows] = onlyStatement(waves) ?? [];
    if (kind === undefined || rows === undefined) {
      return this.#writeLocked(accountId, writes, waves, authors, deadlineMs);
    }

    const number = await drawBatchNumber(this.#database, deadlineMs);
    const writing = this.#database.runTogether(
      writeCommands(kind, rows, accountId, this.#numbers(number, authors)),
      deadlineMs,
    );
    const [written = []] = await this.#announcer.noteMarked(accountId, writing, 0);
    if (kind === 'document') this.#statistics.addWritten(written.length);
    const outcomes = new Array<WriteOutcome>(writes.length).fill('stored');
    if (written.length === rows.length) return outcomes;

    // The rows may have changed since, so the others are tried again under locks.
    const writtenIds = new Set(written.map(([skuId]) => skuId));
    const places = rows.filter(({ write }) => !writtenIds.has(write.skuId)).flatMap((row) => row.places);
    await this.#writeAgain(accountId, writes, places, outcomes, authors, deadlineMs);
    return outcomes;
  }

  async #writeAgain(
    accountId: number,
    writes: readonly RowWrite[],
    places: readonly number[],
    outcomes: WriteOutcome[],
    authors: AuthorIds,
    deadlineMs: number,
  ): Promise<void> {
    const left = places.map((place) => writes[place] as RowWrite);
    const found = await this.#writeLocked(accountId, left, wavesOf(left), authors, deadlineMs);
    places.forEach((place, index) => {
      outcomes[place] = found[index] as WriteOutcome;
    });
  }

  async #writeLocked(
    accountId: number,
    writes: readonly RowWrite[],
    waves: readonly Wave[],
    authors: AuthorIds,
    deadlineMs: number,
  ): Promise<WriteOutcome[]> {
    const skuIds = [...new Set(writes.map(({ skuId }) => skuId))];
    const steps = waves.flatMap((wave) => [...wave]);
    const locking = [{ statement: LOCK_OFFERS, values: [accountId, skuIds] }, DRAW_NUMBER];
    // Place of each step's write among the commands.
    let places: number[] = [];
    const writing = this.#database.runInTwoRounds(
      locking,
      ([, found = []]) => {
        const numbers = this.#numbers(drawnNumber(found), authors);
        const commands = steps.map(([kind, rows]) => writeCommands(kind, rows, accountId, numbers));
        places = commands.map((_, step) => commands.slice(0, step).flat().length);
        return commands.flat();
      },
      deadlineMs,
    );
    const [locked = [], , ...written] = await this.#announcer.noteMarked(accountId, writing, locking.length);

    const states = new Map<string, SkuState>();
    for (const [skuId, archived] of locked as readonly LockedOffer[]) {
      states.set(skuId, archived ? 'archived' : 'open');
    }
    const outcomes = new Array<WriteOutcome>(writes.length);
    const missed = steps.flatMap(([kind, rows], step) =>
      collectOutcomes(kind, rows, written[places[step] as number] ?? [], states, outcomes),
    );
    if (missed.length > 0) await this.#writeAgain(accountId, writes, missed, outcomes, authors, deadlineMs);
    return outcomes;
  }

  #numbers(number: number, authors: AuthorIds): RowNumbers {
    return { number, drawn: number, authors, splitsWrites: this.#database.splitsWrites };
  }
}

/** Returns undefined if there are several, or if it changes the archive flag. */
function onlyStatement([first, ...others]: readonly Wave[]): readonly [RowKind, readonly WaveRow[]] | undefined {
  if (first === undefined || first.size > 1 || others.length > 0 || first.has('archive')) return undefined;
  return [...first][0];
}

/**
 * Fills in the outcomes of a step, and updates `states` to what the SKUs are after it. Returns the places of writes that failed
 * without a reason: another process created the SKU too late to be locked, and has zeroed or stocked it since.
 */
function collectOutcomes(
  kind: RowKind,
  rows: readonly WaveRow[],
  written: Rows,
  states: Map<string, SkuState>,
  outcomes: WriteOutcome[],
): number[] {
  const missed: number[] = [];
  const writtenIds = new Set(written.map(([skuId]) => skuId));
  for (const { write, places } of rows) {
    const outcome = outcomeOf(kind, writtenIds.has(write.skuId), states.get(write.skuId) ?? 'unknown');
    if (outcome === undefined) missed.push(...places);
    else for (const place of places) outcomes[place] = outcome;
    if (!writtenIds.has(write.skuId)) continue;
    if (write.kind === 'archive') states.set(write.skuId, write.archived ? 'archived' : 'open');
    if (write.kind === 'document') states.set(write.skuId, 'open');
  }
  return missed;
}

function outcomeOf(kind: RowKind, isWritten: boolean, state: SkuState): WriteOutcome | undefined {
  if (isWritten) return 'stored';
  // Nothing else refuses an upload, even if another process just created and archived the SKU.
  if (kind === 'document') return 'archived';
  if (kind === 'archive') return 'unknown';
  return state === 'open' ? undefined : state;
}
