/** Offers on PostgreSQL: reads by key on shared connections, lists through a queue, writes batched by account. */
import type { GroupOutcome, OfferStore, WriteKey, WriteOutcome } from '../../port/offers.ts';
import { charactersIn } from '../../shared/call-sizes.ts';
import type { Database } from '../engine/engine.ts';
import { boundTo } from '../engine/shared-commands.ts';
import { drawNumber } from '../engine/write-numbers.ts';
import type { MicroBatches } from './micro-batches.ts';
import { type OfferWrite, type PartRow, rowWriteOf } from './offer-commands.ts';
import * as reads from './offer-reads.ts';
import type { OfferScans } from './offer-scans.ts';

export function offersOn(
  commands: Pick<OfferStore, 'readNumbers'>,
  database: Database,
  scans: OfferScans,
  batches: MicroBatches,
): OfferStore {
  const send = (accountId: number, write: OfferWrite) => batches.write(accountId, write, charactersIn(write));
  // Only groups and preconditions have outcomes of another type.
  const put = <Outcome = WriteOutcome>({ accountId, by }: WriteKey, row: PartRow, atMs: number) =>
    send(accountId, rowWriteOf(row, { by, atMs })) as Promise<Outcome>;
  return {
    ...commands,
    ...boundTo(database, reads),
    drawNumber: () => drawNumber(database),
    listSkus: (...asked) => scans.listSkus(...asked),
    readMembers: (...asked) => scans.readMembers(...asked),
    putSku: (key, document, nowMs) => put(key, { kind: 'sku', skuId: key.skuId, document }, nowMs),
    putPrice: (key, price, nowMs) => put(key, { kind: 'price', skuId: key.skuId, ...price }, nowMs),
    patchInventory: (key, quantities, nowMs) => put(key, { kind: 'inventory', skuId: key.skuId, quantities }, nowMs),
    putShippingExceptions: (key, exceptions, nowMs) =>
      put(key, { kind: 'shipping', skuId: key.skuId, exceptions }, nowMs),
    putReturnLocations: (key, locationIds, nowMs) =>
      put(key, { kind: 'returns', skuId: key.skuId, locationIds }, nowMs),
    setArchived: (key, archived, nowMs) => put(key, { kind: 'archive', skuId: key.skuId, archived }, nowMs),
    putGroup: ({ accountId, skuId, by }, group, nowMs) =>
      send(accountId, { kind: 'group', skuId, group, by, atMs: nowMs }) as Promise<GroupOutcome>,
    writeParts: ({ accountId, skuId, by }, parts, nowMs, precondition) =>
      send(accountId, { kind: 'parts', skuId, parts, precondition, by, atMs: nowMs }),
  };
}
