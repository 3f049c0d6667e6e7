/** Helpers for tests: each writes one part of an offer. */
import type {
  GroupOutcome,
  GroupUpload,
  NodePrice,
  NodeQuantity,
  PartWrite,
  WriteOutcome,
} from '../../domain/offers/part.ts';
import type { OfferStore, PartsOutcome, WriteKey } from '../port/offers.ts';

type Offers = Pick<OfferStore, 'write'>;
type Written = Promise<WriteOutcome>;

/** Only groups, and writes with a precondition, have outcomes of another type. */
async function write(offers: Offers, key: WriteKey, part: PartWrite, nowMs: number): Written {
  return withoutTag(await offers.write(key, [part], nowMs)) as WriteOutcome;
}

/** For tests that do not depend on the new tag. */
export function withoutTag(outcome: PartsOutcome): Exclude<PartsOutcome, { readonly newTag: unknown }> {
  return typeof outcome === 'object' && 'newTag' in outcome ? 'stored' : outcome;
}

export function putSku(offers: Offers, key: WriteKey, document: string, nowMs: number): Written {
  return write(offers, key, { kind: 'sku', skuId: key.skuId, document }, nowMs);
}

export function putPrice(
  offers: Offers,
  key: WriteKey,
  price: { readonly price: number; readonly nodes: readonly NodePrice[] },
  nowMs: number,
): Written {
  return write(offers, key, { kind: 'price', skuId: key.skuId, ...price }, nowMs);
}

export function patchInventory(
  offers: Offers,
  key: WriteKey,
  quantities: readonly NodeQuantity[],
  nowMs: number,
): Written {
  return write(offers, key, { kind: 'inventory', skuId: key.skuId, quantities }, nowMs);
}

export function putGroup(offers: Offers, key: WriteKey, group: GroupUpload, nowMs: number): Promise<GroupOutcome> {
  return offers.write(key, [{ kind: 'variation', skuId: key.skuId, group }], nowMs) as Promise<GroupOutcome>;
}

export function putShippingExceptions(
  offers: Offers,
  key: WriteKey,
  exceptions: string | null,
  nowMs: number,
): Written {
  return write(offers, key, { kind: 'shipping_exception', skuId: key.skuId, exceptions }, nowMs);
}

export function putReturnLocations(
  offers: Offers,
  key: WriteKey,
  locationIds: readonly string[] | null,
  nowMs: number,
): Written {
  return write(offers, key, { kind: 'returns_exception', skuId: key.skuId, locationIds }, nowMs);
}

export function setArchived(offers: Offers, key: WriteKey, archived: boolean, nowMs: number): Written {
  return write(offers, key, { kind: 'archive', skuId: key.skuId, archived }, nowMs);
}
