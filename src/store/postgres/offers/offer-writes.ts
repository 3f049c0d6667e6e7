/**
 * In charge of writing to the offers of one account what arrived together, and of telling for each write what became
 * of it.
 *
 * Nearly always that is one statement for writes of one kind, which commits by itself. Where kinds mix, and where the
 * flag changes, the rows are locked first: in the order of their keys, so that processes cannot wait for each other in a
 * circle, and with their flags, from which it follows what each write met, whatever those before it changed.
 *
 * The number is drawn behind the locks, and the rest is sent when they are held: a change of the flag that nobody waits for
 * any more is never run behind newer writes, which it would refuse or zero.
 *
 * Where offers were marked as due for review, that work is announced behind the commit.
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

  /** All of them or none; outcomes in the order of the writes. They must not be more than a number has places for. */
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
    if (kind === 'document') this.#statistics.noteUploads(written.length);
    const outcomes = new Array<WriteOutcome>(writes.length).fill('stored');
    if (written.length === rows.length) return outcomes;

    // What stood against the others may be gone by now: they are asked again, in a way that tells.
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
    // Of each step its write, which others follow that give no rows.
    let places: number[] = [];
    const writing = this.#database.runInTwoGoes(
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
      tellOutcomes(kind, rows, written[places[step] as number] ?? [], states, outcomes),
    );
    if (missed.length > 0) await this.#writeAgain(accountId, writes, missed, outcomes, authors, deadlineMs);
    return outcomes;
  }

  #numbers(number: number, authors: AuthorIds): RowNumbers {
    return { number, drawn: number, authors, splitsWrites: this.#database.splitsWrites };
  }
}

/** Undefined when there are several, and for the flag. */
function onlyStatement(waves: readonly Wave[]): readonly [RowKind, readonly WaveRow[]] | undefined {
  const [first, ...others] = waves;
  if (first === undefined || first.size > 1 || others.length > 0 || first.has('archive') || first.has('unarchive')) {
    return undefined;
  }
  return [...first][0];
}

/**
 * Takes and leaves in `states` what each SKU was before and is behind the statement. Gives the places of writes that
 * were not made and have no reason: another process has made the SKU, which could not be locked before it was there,
 * and has zeroed or stocked it since.
 */
function tellOutcomes(
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
    if (kind === 'archive') states.set(write.skuId, 'archived');
    if (kind === 'document' || kind === 'unarchive') states.set(write.skuId, 'open');
  }
  return missed;
}

function outcomeOf(kind: RowKind, isWritten: boolean, state: SkuState): WriteOutcome | undefined {
  if (isWritten) return 'stored';
  // An upload is refused by nothing else, also when another process made and archived the SKU a moment ago.
  if (kind === 'document') return 'archived';
  // The flag had the value already.
  if (kind === 'archive' || kind === 'unarchive') return state === 'unknown' ? 'unknown' : 'stored';
  return state === 'open' ? undefined : state;
}
