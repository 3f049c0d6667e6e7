/** Offers on PostgreSQL: reads by key on shared connections, writes batched by account. */
import { KeyNotStoredError } from '../../port/errors.ts';
import type { OfferStore } from '../../port/offers.ts';
import { methodsOf, type RunCommand } from '../../shared/aggregates.ts';
import { charactersIn } from '../../shared/call-sizes.ts';
import type { Database } from '../engine/engine.ts';
import type { FileRows } from '../files/file-rows.ts';
import type { MicroBatches } from './micro-batches.ts';
import { offerWriteOf } from './offer-commands.ts';
import { offerReads } from './offer-reads.ts';

export function offersOn(
  run: RunCommand,
  database: Database,
  batches: MicroBatches,
  rows: Pick<FileRows, 'applyAgain'>,
): OfferStore {
  return {
    ...methodsOf('offers', run),
    ...offerReads((statement, values) => database.readQuickly(statement, values)),
    write(key, parts, nowMs, conditions, scope = 'part') {
      if (conditions?.firstRunNumber !== undefined) {
        return rows.applyAgain(key, parts, conditions.firstRunNumber, nowMs);
      }
      // Writes of several requests share a statement, which has no room for their keys.
      if (conditions?.keyed !== undefined)
        return Promise.reject(new KeyNotStoredError('The key is stored separately.'));
      const { accountId, skuId, by } = key;
      const write = offerWriteOf({ skuId, parts, precondition: conditions, scope, by, atMs: nowMs });
      return batches.write(accountId, write, charactersIn(write));
    },
  };
}
