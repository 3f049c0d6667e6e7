/**
 * Composes offers on SQLite: reads by key on the calling thread, lists on the reader thread, writes on the writer thread.
 */
import type {
  GroupUpload,
  NodePrice,
  NodeQuantity,
  OfferStore,
  PartWrite,
  Precondition,
  SkuKey,
  WriteKey,
} from '../../port/offers.ts';
import { storeError } from '../engine/engine.ts';
import type { ReaderService } from '../threads/reader-thread.ts';
import type { ThreadClient } from '../threads/thread-client.ts';
import { calls, packedCalls } from '../threads/thread-methods.ts';
import type { TickSnapshot } from '../threads/tick-snapshot.ts';
import type { WriterService } from '../threads/writer-service.ts';
import type { OfferReads } from './offer-reads.ts';
import type { PackedWrite } from './offer-writes.ts';

export function offersOn(
  commands: Pick<OfferStore, 'readNumbers'>,
  reads: OfferReads,
  snapshot: Pick<TickSnapshot, 'enter'>,
  writer: ThreadClient<WriterService>,
  reader: ThreadClient<ReaderService>,
): OfferStore {
  return {
    ...commands,
    ...withinSnapshot(snapshot, reads),
    ...calls(reader, 'offers', ['readMembers', 'listSkus']),
    ...calls(writer, 'offers', ['drawNumber']),
    ...packedCalls(writer, 'offers', { ...WRITES, writeParts: packParts }),
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

function packParts(
  key: WriteKey,
  parts: readonly PartWrite[],
  nowMs: number,
  precondition?: Precondition,
): readonly [number, string, PartWrite['kind'], readonly PackedWrite[], Precondition | null] {
  const [first] = parts;
  if (first === undefined) throw new Error('A write has at least one part.');
  const writes = parts.map((part) => packPart(key, part, nowMs));
  return [key.accountId, key.skuId, first.kind, writes, precondition ?? null];
}

function packPart(key: WriteKey, part: PartWrite, nowMs: number): PackedWrite {
  switch (part.kind) {
    case 'sku':
      return ['putSku', WRITES.putSku(key, part.document, nowMs)];
    case 'price':
      return ['putPrice', WRITES.putPrice(key, part, nowMs)];
    case 'inventory':
      return ['patchInventory', WRITES.patchInventory(key, part.quantities, nowMs)];
    case 'shipping':
      return ['putShippingExceptions', WRITES.putShippingExceptions(key, part.exceptions, nowMs)];
    case 'returns':
      return ['putReturnLocations', WRITES.putReturnLocations(key, part.locationIds, nowMs)];
    case 'archive':
      return ['setArchived', WRITES.setArchived(key, part.archived, nowMs)];
    case 'group':
      return ['putGroup', WRITES.putGroup(key, part.group, nowMs)];
  }
}

/**
 * Reads of one event loop tick share a snapshot. They return synchronously and throw synchronously. Each takes the key as its only
 * argument.
 */
function withinSnapshot(snapshot: Pick<TickSnapshot, 'enter'>, reads: OfferReads): OfferReads {
  const methods = Object.entries<(key: SkuKey) => unknown>(reads).map(([name, read]) => {
    const checked = (key: SkuKey) => {
      try {
        snapshot.enter();
        return read(key);
      } catch (error) {
        throw storeError(error);
      }
    };
    return [name, checked];
  });
  return Object.fromEntries(methods);
}
