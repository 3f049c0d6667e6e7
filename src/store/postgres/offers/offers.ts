/** Offers on PostgreSQL: reads by key on shared connections, lists through a queue, writes batched by account. */
import type { OfferStore } from '../../port/offers.ts';
import { methodsOf, type RunCommand } from '../../shared/aggregates.ts';
import { charactersIn } from '../../shared/call-sizes.ts';
import type { Database } from '../engine/engine.ts';
import type { CallQueue } from '../engine/waiting-calls.ts';
import type { FileRows } from '../files/file-rows.ts';
import type { MicroBatches } from './micro-batches.ts';
import { offerWriteOf } from './offer-commands.ts';
import { offerReads } from './offer-reads.ts';

export function offersOn(
  run: RunCommand,
  database: Database,
  lists: CallQueue,
  batches: MicroBatches,
  rows: Pick<FileRows, 'applyLate'>,
): OfferStore {
  const commands = methodsOf('offers', run);
  const { listSkus, readMembers } = commands;
  return {
    ...commands,
    ...offerReads((statement, values) => database.readQuickly(statement, values)),
    listSkus: (...asked) => lists.run(charactersIn(asked), () => listSkus(...asked)),
    readMembers: (...asked) => lists.run(charactersIn(asked), () => readMembers(...asked)),
    write(key, parts, nowMs, conditions, scope = 'part') {
      if (conditions?.late !== undefined) return rows.applyLate(key, parts, conditions.late, nowMs);
      const { accountId, skuId, by } = key;
      const write = offerWriteOf({ skuId, parts, precondition: conditions, scope, by, atMs: nowMs });
      return batches.write(accountId, write, charactersIn(write));
    },
  };
}
