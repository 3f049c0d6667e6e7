/** Offers on PostgreSQL: reads by key on the shared connection, lists in turn, writes together with others of the account. */
import type {
  GroupOutcome,
  GroupUpload,
  NodePrice,
  NodeQuantity,
  OfferStore,
  WriteKey,
  WriteOutcome,
} from '../../port/offers.ts';
import { joined } from '../../shared/methods.ts';
import type { Database } from '../engine/engine.ts';
import { drawNumber } from '../engine/write-numbers.ts';
import type { MicroBatches } from './micro-batches.ts';
import { documentWrite, inventoryWrite, priceWrite, type RowWrite, returnsWrite } from './offer-commands.ts';
import { OfferReads } from './offer-reads.ts';
import { lengthOfAll, type OfferScans } from './offer-scans.ts';

export function offersOn(database: Database, scans: OfferScans, batches: MicroBatches): OfferStore {
  return joined(new OfferReads(database), new SingleWrites(batches), {
    drawNumber: () => drawNumber(database),
    listSkus: (...args: Parameters<OfferScans['listSkus']>) => scans.listSkus(...args),
    readMembers: (...args: Parameters<OfferScans['readMembers']>) => scans.readMembers(...args),
  });
}

/** Makes a waiting write of each call. The sizes count the text that waits. */
class SingleWrites {
  readonly #batches: MicroBatches;

  constructor(batches: MicroBatches) {
    this.#batches = batches;
  }

  putSku({ accountId, skuId, by }: WriteKey, document: string, nowMs: number): Promise<'stored' | 'archived'> {
    const write = documentWrite(skuId, document, { by, atMs: nowMs });
    return this.#write(accountId, write, document.length) as Promise<'stored' | 'archived'>;
  }

  putPrice(
    { accountId, skuId, by }: WriteKey,
    price: { price: number; nodes: readonly NodePrice[] },
    nowMs: number,
  ): Promise<WriteOutcome> {
    const write = priceWrite(skuId, price, { by, atMs: nowMs });
    return this.#write(accountId, write, write.nodes.length);
  }

  patchInventory(
    { accountId, skuId, by }: WriteKey,
    quantities: readonly NodeQuantity[],
    nowMs: number,
  ): Promise<WriteOutcome> {
    const write = inventoryWrite(skuId, quantities, { by, atMs: nowMs });
    return this.#write(accountId, write, lengthOfAll([...write.nodes.keys()]));
  }

  putGroup({ accountId, skuId, by }: WriteKey, group: GroupUpload, nowMs: number): Promise<GroupOutcome> {
    const { refinements, title, childrenSkus } = group;
    const characters = refinements.length + (title?.length ?? 0) + lengthOfAll(childrenSkus);
    const write = { kind: 'group', skuId, group, by, atMs: nowMs } as const;
    return this.#batches.write(accountId, write, skuId.length + characters);
  }

  putShippingExceptions(
    { accountId, skuId, by }: WriteKey,
    exceptions: string | null,
    nowMs: number,
  ): Promise<WriteOutcome> {
    const write = { kind: 'shipping', skuId, exceptions, by, atMs: nowMs } as const;
    return this.#write(accountId, write, exceptions?.length ?? 0);
  }

  putReturnLocations(
    { accountId, skuId, by }: WriteKey,
    locationIds: readonly string[] | null,
    nowMs: number,
  ): Promise<WriteOutcome> {
    const write = returnsWrite(skuId, locationIds, { by, atMs: nowMs });
    return this.#write(accountId, write, write.locationIds?.length ?? 0);
  }

  setArchived({ accountId, skuId, by }: WriteKey, archived: boolean, nowMs: number): Promise<'stored' | 'unknown'> {
    const kind = archived ? 'archive' : 'unarchive';
    return this.#write(accountId, { kind, skuId, nowMs, by, atMs: nowMs }, 0) as Promise<'stored' | 'unknown'>;
  }

  #write(accountId: number, write: RowWrite, characters: number): Promise<WriteOutcome> {
    // Only groups have an outcome of another kind.
    return this.#batches.write(accountId, write, write.skuId.length + characters) as Promise<WriteOutcome>;
  }
}
