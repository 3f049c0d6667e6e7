/**
 * Writes parts of one offer together, one part under a precondition, or a group. The offers are locked first, so that their state and
 * tags hold until the commit.
 *
 * A SKU that does not exist cannot be locked. If another process creates it meanwhile, the upload would replace what that process
 * wrote; the transaction is rolled back and starts again, with a SKU that it can lock.
 */

import { refusalOf } from '../../../domain/offers/variation-group.ts';
import { outcomeFor, skuState } from '../../../domain/offers/write-state.ts';
import { isMet } from '../../../domain/precondition.ts';
import type { PartsOutcome, SkuKey } from '../../port/offers.ts';
import { readTag } from '../../port/part-tags.ts';
import { FIND_ORDER } from '../../shared/moves/offer-rows.ts';
import type { Command, Rows } from '../engine/connection.ts';
import type { Connection } from '../engine/engine.ts';
import { drawNumber, uploadOrder } from '../engine/write-numbers.ts';
import { addEvents } from '../history/event-commands.ts';
import { groupCommands, LOCK_GROUPS, membersOf } from './group-writes.ts';
import { type PartRow, type PartsWrite, rowWriteOf, stepsOf } from './offer-commands.ts';
import { offerReads } from './offer-reads.ts';
import { LOCK_OFFERS, type OfferWriter } from './offer-writes.ts';
import { type LockedOffer, type RowContext, writeCommands } from './row-statements.ts';

class CreatedMeanwhile extends Error {}

export async function writeParts(
  writer: OfferWriter,
  accountId: number,
  write: PartsWrite,
  deadlineMs: number,
): Promise<PartsOutcome> {
  const { database, announcer, statistics } = writer;
  const authors = await writer.authors.idsOf(accountId, [write], deadlineMs);
  // Set by the last attempt, because the transaction may be retried.
  let outcome: PartsOutcome = 'stored';
  const work = async (connection: Connection): Promise<readonly Rows[]> => {
    const decided = await decide(connection, { accountId, skuId: write.skuId }, write);
    outcome = decided.outcome;
    if (outcome !== 'stored') return [];
    const { number, isNew } = decided;
    const context = { accountId, number, drawn: number, authors, splitsWrites: database.splitsWrites };
    const written = await writeAll(connection, write, context, isNew);
    if (written.newTag !== undefined) outcome = { newTag: written.newTag };
    return written.results;
  };
  for (;;) {
    try {
      await announcer.noteMarked(accountId, database.inTransaction(work, { accountId, deadlineMs }), 0);
      const isStored = outcome === 'stored' || (typeof outcome === 'object' && 'newTag' in outcome);
      if (isStored && write.parts[0]?.part === 'sku') statistics.addWritten(1);
      return outcome;
    } catch (error) {
      if (!(error instanceof CreatedMeanwhile)) throw error;
    }
  }
}

/** Locks the offer, and decides by its state and its tag. The number is drawn after the lock was taken. */
async function decide(connection: Connection, key: SkuKey, { parts, precondition, scope }: PartsWrite) {
  const [first] = parts;
  if (first === undefined) throw new Error('A write has at least one part.');
  const members = first.part === 'variation' ? membersOf(first) : [key.skuId];
  const locking = connection.run(first.part === 'variation' ? LOCK_GROUPS : LOCK_OFFERS, [key.accountId, members]);
  const reads = offerReads((asked, values) => connection.run(asked, values));
  // Sent together: each statement sees what was committed before the lock was taken.
  const [locked, currentTag, number] = await Promise.all([
    locking,
    precondition === undefined ? null : readTag(reads, key, first.part, scope),
    drawNumber(connection),
  ]);
  const flags = new Map(locked as readonly LockedOffer[]);
  const state = skuState(flags.get(key.skuId));
  const isNew = state === 'unknown';
  const decided = first.part === 'variation' ? refusalOf(members, flags) : outcomeFor(first.part, state);
  if (decided !== undefined && decided !== 'stored') return { outcome: decided, number, isNew };
  const outcome = precondition === undefined || isMet(precondition, currentTag) ? 'stored' : { currentTag };
  return { outcome, number, isNew } as const;
}

/** Sends all writes at once, then the events that they did not add themselves. Returns the rows of each write, and the new tag. */
async function writeAll(connection: Connection, write: PartsWrite, context: RowContext, isNew: boolean) {
  const { accountId, drawn } = context;
  const { parts, skuId, by, atMs, scope } = write;
  const run = ({ statement, values }: Command): Promise<Rows> => connection.run(statement, values);
  const [first] = parts;
  const steps =
    first?.part === 'variation'
      ? [groupCommands([{ ...first, by, atMs }], context)]
      : stepsOf(parts.map((part) => rowWriteOf(part as PartRow, write))).map((step) => writeCommands(step, context));
  const writing = steps.map((commands) => Promise.all(commands.map(run)));
  const ordering = isNew ? connection.run(FIND_ORDER, [accountId, skuId]) : [];
  // Sent after the writes, so it sees them.
  const part = first?.part ?? 'sku';
  const reads = offerReads((asked, values) => connection.run(asked, values));
  const needsTag = scope === 'offer' || part === 'inventory' || part === 'archive';
  const tagging = needsTag ? readTag(reads, { accountId, skuId }, part, scope) : undefined;
  const [written, [order], newTag] = await Promise.all([Promise.all(writing), ordering, tagging]);
  if (isNew && order?.[0] !== uploadOrder(drawn, 0)) throw new CreatedMeanwhile();
  // The first command of a part is its write. The write of a group returns no row if nothing changed.
  const isRefused = first?.part !== 'variation' && written.some(([rows]) => rows?.length === 0);
  if (isRefused) throw new Error('A locked offer refused a part.');
  const results = written.flat();
  const batches = steps.flat().flatMap(({ events }, index) => events?.(results[index] ?? []) ?? []);
  if (batches.length > 0) await run(addEvents(accountId, drawn, batches));
  return { results, newTag };
}
