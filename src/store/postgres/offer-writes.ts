/**
 * In charge of writing to the offers of one account what arrived together, and of telling for each write what became
 * of it.
 *
 * Nearly always that is one statement for writes of one kind, which commits by itself. Where kinds mix, the rows are
 * locked first: in the order of their keys, so that processes cannot wait for each other in a circle, and with their
 * flags, from which it follows what each write met, whatever those before it changed.
 *
 * Where offers were marked as due for review, that work is announced behind the commit.
 */
import type { SkuState, WriteOutcome } from '../port.ts';
import type { Command, Rows } from './connection.ts';
import type { Database } from './engine.ts';
import type { RowKind, RowWrite } from './offer-commands.ts';
import type { ReviewAnnouncer } from './review-announcer.ts';
import { LOCK_OFFERS, type LockedOffer, type WrittenOffer, writeCommand } from './row-statements.ts';
import { TableStatistics } from './table-statistics.ts';
import { drawBatchNumber } from './write-numbers.ts';
import { type Wave, type WaveRow, wavesOf } from './write-waves.ts';

export class OfferWrites {
  readonly #database: Database;
  readonly #announcer: ReviewAnnouncer;
  readonly #statistics: TableStatistics;

  constructor(database: Database, announcer: ReviewAnnouncer) {
    this.#database = database;
    this.#announcer = announcer;
    this.#statistics = new TableStatistics(database);
  }

  /** All of them or none; outcomes in the order of the writes. They must not be more than a number has places for. */
  async write(accountId: number, writes: readonly RowWrite[], deadlineMs: number): Promise<WriteOutcome[]> {
    const waves = wavesOf(writes);
    const [kind, rows] = onlyStatement(waves) ?? [];
    if (kind === undefined || rows === undefined) return this.#writeLocked(accountId, writes, waves, deadlineMs);

    const number = await drawBatchNumber(this.#database, deadlineMs);
    const [written = []] = await this.#run(accountId, [writeCommand(kind, rows, accountId, number)], deadlineMs);
    if (kind === 'document') this.#statistics.noteUploads(written.length);
    const outcomes = new Array<WriteOutcome>(writes.length).fill('stored');
    if (written.length === rows.length) return outcomes;

    // What stood against the others may be gone by now: they are asked again, in a way that tells.
    const writtenIds = new Set(written.map(([skuId]) => skuId));
    const places = rows.filter(({ write }) => !writtenIds.has(write.skuId)).flatMap((row) => row.places);
    const left = places.map((place) => writes[place] as RowWrite);
    const found = await this.#writeLocked(accountId, left, wavesOf(left), deadlineMs);
    places.forEach((place, index) => {
      outcomes[place] = found[index] as WriteOutcome;
    });
    return outcomes;
  }

  async #writeLocked(
    accountId: number,
    writes: readonly RowWrite[],
    waves: readonly Wave[],
    deadlineMs: number,
  ): Promise<WriteOutcome[]> {
    const number = await drawBatchNumber(this.#database, deadlineMs);
    const skuIds = [...new Set(writes.map(({ skuId }) => skuId))];
    const steps = waves.flatMap((wave) => [...wave]);
    const commands = steps.map(([kind, rows]) => writeCommand(kind, rows, accountId, number));
    const [locked = [], ...written] = await this.#run(
      accountId,
      [{ statement: LOCK_OFFERS, values: [accountId, skuIds] }, ...commands],
      deadlineMs,
    );

    const states = new Map<string, SkuState>();
    for (const [skuId, archived] of locked as readonly LockedOffer[]) {
      states.set(skuId, archived ? 'archived' : 'open');
    }
    const outcomes = new Array<WriteOutcome>(writes.length);
    for (const [step, [kind, rows]] of steps.entries()) tellOutcomes(kind, rows, written[step] ?? [], states, outcomes);
    return outcomes;
  }

  async #run(accountId: number, commands: readonly Command[], deadlineMs: number): Promise<readonly Rows[]> {
    try {
      const written = await this.#database.runTogether(commands, deadlineMs);
      const isMarked = commands.some(({ statement }, place) => {
        return statement !== LOCK_OFFERS && hasMarked(written[place] ?? []);
      });
      if (isMarked) this.#announcer.note(accountId);
      return written;
    } catch (error) {
      // Whether they are stored is not known.
      this.#announcer.note(accountId);
      throw error;
    }
  }
}

function hasMarked(rows: Rows): boolean {
  return (rows as readonly WrittenOffer[]).some(([, isMarked]) => isMarked === true);
}

/** Undefined when there are several. */
function onlyStatement(waves: readonly Wave[]): readonly [RowKind, readonly WaveRow[]] | undefined {
  const [first, ...others] = waves;
  return others.length === 0 && first?.size === 1 ? [...first][0] : undefined;
}

/** Takes and leaves in `states` what each SKU was before and is behind the statement. */
function tellOutcomes(
  kind: RowKind,
  rows: readonly WaveRow[],
  written: Rows,
  states: Map<string, SkuState>,
  outcomes: WriteOutcome[],
): void {
  const writtenIds = new Set(written.map(([skuId]) => skuId));
  for (const { write, places } of rows) {
    const outcome = outcomeOf(kind, writtenIds.has(write.skuId), states.get(write.skuId) ?? 'unknown');
    for (const place of places) outcomes[place] = outcome;
    if (!writtenIds.has(write.skuId)) continue;
    if (kind === 'archive') states.set(write.skuId, 'archived');
    if (kind === 'document' || kind === 'unarchive') states.set(write.skuId, 'open');
  }
}

function outcomeOf(kind: RowKind, isWritten: boolean, state: SkuState): WriteOutcome {
  if (isWritten) return 'stored';
  // An upload is refused by nothing else, also when another process made and archived the SKU a moment ago.
  if (kind === 'document') return 'archived';
  // The flag had the value already.
  if (kind === 'archive' || kind === 'unarchive') return state === 'unknown' ? 'unknown' : 'stored';
  if (state === 'open') throw new Error('A write to a locked, open offer was not made.');
  return state;
}
