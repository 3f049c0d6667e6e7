/**
 * Composes offers on SQLite: reads by key on the calling thread, lists on the reader thread, writes on the writer thread.
 */
import type { GroupUpload, NodePrice, NodeQuantity, OfferStore, SkuKey, WriteKey } from '../../port/offers.ts';
import { storeError } from '../engine/engine.ts';
import type { ReaderService } from '../threads/reader-thread.ts';
import type { ThreadClient } from '../threads/thread-client.ts';
import { calls, packedCalls } from '../threads/thread-methods.ts';
import type { WriterService } from '../threads/writer-service.ts';
import type { OfferReads } from './offer-reads.ts';

export function offersOn(
  reads: OfferReads,
  writer: ThreadClient<WriterService>,
  reader: ThreadClient<ReaderService>,
): OfferStore {
  return {
    ...withStoreErrors(reads),
    ...calls(reader, 'offers', ['readMembers', 'listSkus']),
    ...calls(writer, 'offers', ['drawNumber']),
    ...packedCalls(writer, 'offers', WRITES),
  };
}

const WRITES = {
  putSku: ({ accountId, skuId, by }: WriteKey, document: string, nowMs: number) =>
    [accountId, skuId, document, nowMs, by] as const,
  putPrice: (
    { accountId, skuId, by }: WriteKey,
    { price, nodes }: { price: number; nodes: readonly NodePrice[] },
    nowMs: number,
  ) => [accountId, skuId, price, nodes.length === 0 ? '[]' : JSON.stringify(nodes), nowMs, by] as const,
  patchInventory: ({ accountId, skuId, by }: WriteKey, quantities: readonly NodeQuantity[], nowMs: number) =>
    [
      accountId,
      skuId,
      quantities.map((node) => node.fulfillment_node_id),
      quantities.map((node) => node.quantity),
      nowMs,
      by,
    ] as const,
  putGroup: ({ accountId, skuId, by }: WriteKey, { refinements, title, childrenSkus }: GroupUpload, nowMs: number) =>
    [accountId, skuId, refinements, title, childrenSkus, nowMs, by] as const,
  putShippingExceptions: ({ accountId, skuId, by }: WriteKey, exceptions: string | null, nowMs: number) =>
    [accountId, skuId, exceptions, nowMs, by] as const,
  putReturnLocations: ({ accountId, skuId, by }: WriteKey, locationIds: readonly string[] | null, nowMs: number) =>
    [accountId, skuId, locationIds === null ? null : JSON.stringify(locationIds), nowMs, by] as const,
  setArchived: ({ accountId, skuId, by }: WriteKey, archived: boolean, nowMs: number) =>
    [accountId, skuId, archived, nowMs, by] as const,
};

/** Reads by key return synchronously and throw synchronously. Each takes the key as its only argument. */
function withStoreErrors(reads: OfferReads): OfferReads {
  const methods = Object.entries<(key: SkuKey) => unknown>(reads).map(([name, read]) => {
    const checked = (key: SkuKey) => {
      try {
        return read(key);
      } catch (error) {
        throw storeError(error);
      }
    };
    return [name, checked];
  });
  return Object.fromEntries(methods);
}
