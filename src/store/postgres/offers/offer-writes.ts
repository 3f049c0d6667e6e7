/**
 * Writes a batch of an account's single calls, and determines the outcome of each.
 *
 * Nearly always a batch is one statement, which commits by itself. If a batch mixes kinds of writes or changes an archive flag, it
 * first locks the rows, in key order to prevent deadlocks. The flags of the locked rows then determine the outcome of each write in
 * turn. The sequence number is drawn after the locks are taken, and the writes are sent while they are held. So an abandoned change
 * of the archive flag never runs after newer writes, where it would refuse them or zero their stock.
 */

import type { WriteOutcome } from '../../../domain/offers/part.ts';
import { outcomeFor, skuState } from '../../../domain/offers/write-state.ts';
import type { PartsOutcome } from '../../port/offers.ts';
import { inventoryTag } from '../../port/part-tags.ts';
import { storedInventory } from '../../shared/offers/offer-columns.ts';
import type { Command, Rows } from '../engine/connection.ts';
import type { Database } from '../engine/engine.ts';
import type { TableStatistics } from '../engine/table-statistics.ts';
import { DRAW_NUMBER, drawBatchNumber, drawnNumber } from '../engine/write-numbers.ts';
import type { Authors } from '../history/authors.ts';
import { eventCommands } from '../history/event-commands.ts';
import type { ReviewAnnouncer } from '../review/review-announcer.ts';
import { type Attribution, type RowWrite, type Step, stepsOf } from './offer-commands.ts';
import {
  type LockedOffer,
  lockStatement,
  type RowContext,
  type WrittenOffer,
  writeCommands,
} from './row-statements.ts';

export type RowOutcome = WriteOutcome | Extract<PartsOutcome, { readonly newTag: unknown }>;

export const LOCK_OFFERS = lockStatement('lock offers');

/** The dependencies of every offer write. */
export interface OfferWriter {
  readonly database: Database;
  readonly announcer: ReviewAnnouncer;
  readonly authors: Authors;
  readonly statistics: TableStatistics;
}

interface Batch {
  readonly accountId: number;
  /** Author and time of each write. */
  readonly attributions: readonly Attribution[];
  /** Set only for rows of a file. */
  readonly fileNumber?: number;
  /** Whether the batch writes groups. */
  readonly hasGroups?: boolean;
  readonly deadlineMs?: number | undefined;
}

/** Runs one transaction: `first` locks, then the number is drawn, and `next` builds the writes. Announces the offers that they mark. */
export async function lockAndWrite(
  { database, announcer, authors }: OfferWriter,
  { accountId, attributions, fileNumber, hasGroups, deadlineMs }: Batch,
  first: readonly Command[],
  next: (locked: readonly Rows[], context: RowContext) => Iterable<Command>,
): Promise<{ readonly locked: readonly Rows[]; readonly written: readonly WrittenOffer[] }> {
  const authorIds = await authors.idsOf(accountId, attributions, deadlineMs);
  const { splitsWrites } = database;
  const addsEvents = splitsWrites || hasGroups;
  const writesFrom = first.length + 1;
  let sent: readonly Command[] = [];
  const write = (found: readonly Rows[]) => {
    const drawn = drawnNumber(found[first.length] ?? []);
    const writes = next(found, { accountId, number: fileNumber ?? drawn, drawn, authors: authorIds, splitsWrites });
    if (!addsEvents) return writes;
    sent = [...writes];
    return [...sent, DRAW_NUMBER];
  };
  const tell = (found: readonly Rows[]) => eventCommands(accountId, sent, found.slice(writesFrom));
  const writing = database.runInRounds([...first, DRAW_NUMBER], addsEvents ? [write, tell] : [write], deadlineMs);
  const results = await announcer.noteMarked(accountId, writing, writesFrom);
  const written: Rows = results.slice(writesFrom, addsEvents ? writesFrom + sent.length : undefined).flat();
  return { locked: results.slice(0, first.length), written: written as readonly WrittenOffer[] };
}

/** Writes all or none, at most PLACES. Returns the outcomes in the order of the writes. */
export async function writeRows(
  writer: OfferWriter,
  accountId: number,
  writes: readonly RowWrite[],
  deadlineMs: number,
): Promise<RowOutcome[]> {
  const { database, announcer, statistics } = writer;
  const batch = { accountId, attributions: writes, deadlineMs };
  const [only, ...others] = stepsOf(writes);
  if (only === undefined || others.length > 0 || only[0] === 'archive') return writeLocked(writer, batch, writes);

  const authors = await writer.authors.idsOf(accountId, writes, deadlineMs);
  const number = await drawBatchNumber(database, deadlineMs);
  const { splitsWrites } = database;
  const commands = writeCommands(only, { accountId, number, drawn: number, authors, splitsWrites });
  const [part, rows] = only;
  const writing = splitsWrites
    ? database.runInRounds(
        [...commands, DRAW_NUMBER],
        [(results) => eventCommands(accountId, commands, results)],
        deadlineMs,
      )
    : Promise.all(commands.map(({ statement, values }) => database.run(statement, values, deadlineMs)));
  const [written = []] = await announcer.noteMarked(accountId, writing, 0);
  if (part === 'sku') statistics.addWritten(written.length);
  const outcomes = new Array<RowOutcome>(writes.length).fill('stored');
  noteTags(outcomes, [only], written as readonly WrittenOffer[]);
  if (written.length === rows.length) return outcomes;

  // The rows may have changed since, so the other writes are retried under locks.
  const writtenIds = new Set(written.map(([skuId]) => skuId));
  const indexes = rows.filter(({ write }) => !writtenIds.has(write.skuId)).flatMap((row) => row.indexes);
  await writeAgain(writer, batch, writes, indexes, outcomes);
  return outcomes;
}

async function writeAgain(
  writer: OfferWriter,
  batch: Batch,
  writes: readonly RowWrite[],
  indexes: readonly number[],
  outcomes: RowOutcome[],
): Promise<void> {
  const left = indexes.map((rowIndex) => writes[rowIndex] as RowWrite);
  const found = await writeLocked(writer, batch, left);
  indexes.forEach((rowIndex, index) => {
    outcomes[rowIndex] = found[index] as RowOutcome;
  });
}

async function writeLocked(writer: OfferWriter, batch: Batch, writes: readonly RowWrite[]): Promise<RowOutcome[]> {
  const { accountId } = batch;
  const skuIds = [...new Set(writes.map(({ skuId }) => skuId))];
  const locking = [{ statement: LOCK_OFFERS, values: [accountId, skuIds] }];
  // Set by the last attempt, because the transaction may be retried.
  let outcomes: WriteOutcome[] = [];
  let steps: readonly Step[] = [];
  const { written } = await lockAndWrite(writer, batch, locking, ([locked = []], context) => {
    outcomes = outcomesOf(writes, locked as readonly LockedOffer[]);
    steps = stepsOf(writes.filter((_, rowIndex) => outcomes[rowIndex] === 'stored'));
    return steps.flatMap((step) => writeCommands(step, context));
  });
  const tags: RowOutcome[] = outcomes.filter((outcome) => outcome === 'stored');
  noteTags(tags, steps, written);
  const results = outcomes.map((outcome) => (outcome === 'stored' ? (tags.shift() as RowOutcome) : outcome));

  // A missing SKU cannot be locked. If another process has created it since, and archived it or changed its stock, it refuses writes.
  // All writes of the SKU are then sent again, even those that were stored: none of their calls has returned yet.
  const sent = Map.groupBy(
    steps.flatMap(([, rows]) => rows),
    ({ write }) => write.skuId,
  );
  const stored = Map.groupBy(written, ([skuId]) => skuId);
  const missed = writes.flatMap(({ skuId }, rowIndex) => {
    const isMissed = outcomes[rowIndex] === 'stored' && sent.get(skuId)?.length !== stored.get(skuId)?.length;
    return isMissed ? rowIndex : [];
  });
  if (missed.length > 0) await writeAgain(writer, batch, writes, missed, results);
  return results;
}

/**
 * Adds the new tags of stock and archive flags to the outcomes, by the indexes of the steps. The rows are in the order of the steps. Of
 * folded writes only the last has a tag: the tag of the others never existed.
 */
function noteTags(outcomes: RowOutcome[], steps: readonly Step[], written: readonly WrittenOffer[]): void {
  const tagged = Map.groupBy(
    written.filter(({ 4: state }) => typeof state === 'string'),
    ([skuId]) => skuId,
  );
  if (tagged.size === 0) return;
  for (const [part, rows] of steps) {
    if (part !== 'inventory' && part !== 'archive') continue;
    for (const { write, indexes } of rows) {
      const { 4: state, 5: zeroedNumber } = tagged.get(write.skuId)?.shift() ?? [];
      if (typeof state !== 'string') continue;
      const newTag = part === 'archive' ? state : inventoryTag(storedInventory(state, 0, zeroedNumber ?? 0));
      outcomes[indexes.at(-1) as number] = { newTag };
    }
  }
}

/** Decides the outcome of each write in turn. */
function outcomesOf(writes: readonly RowWrite[], locked: readonly LockedOffer[]): WriteOutcome[] {
  const flags = new Map(locked);
  return writes.map((write) => {
    const outcome = outcomeFor(write.part, skuState(flags.get(write.skuId)));
    if (outcome === 'stored') flags.set(write.skuId, write.part === 'archive' && write.archived);
    return outcome;
  });
}
