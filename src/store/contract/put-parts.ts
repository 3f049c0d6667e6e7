/** Helpers for tests: each writes one part of an offer. */
import type {
  GroupOutcome,
  GroupUpload,
  NodePrice,
  NodeQuantity,
  PartWrite,
  ShownOffer,
  WriteOutcome,
} from '../../domain/offers/part.ts';
import type { OfferStore, PartsOutcome, WriteKey } from '../port/offers.ts';
import { ofEachClearable } from '../shared/offers/clearable-parts.ts';

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
  return write(offers, key, { part: 'sku', skuId: key.skuId, document }, nowMs);
}

export function putPrice(
  offers: Offers,
  key: WriteKey,
  price: { readonly price: number; readonly nodes: readonly NodePrice[] },
  nowMs: number,
): Written {
  return write(offers, key, { part: 'price', skuId: key.skuId, ...price }, nowMs);
}

export function patchInventory(
  offers: Offers,
  key: WriteKey,
  quantities: readonly NodeQuantity[],
  nowMs: number,
): Written {
  return write(offers, key, { part: 'inventory', skuId: key.skuId, quantities }, nowMs);
}

export function putGroup(offers: Offers, key: WriteKey, group: GroupUpload, nowMs: number): Promise<GroupOutcome> {
  return offers.write(key, [{ part: 'variation', skuId: key.skuId, group }], nowMs) as Promise<GroupOutcome>;
}

export function putShippingExceptions(
  offers: Offers,
  key: WriteKey,
  exceptions: string | null,
  nowMs: number,
): Written {
  return write(offers, key, { part: 'shipping_exception', skuId: key.skuId, text: exceptions }, nowMs);
}

export function putReturnLocations(
  offers: Offers,
  key: WriteKey,
  locationIds: readonly string[] | null,
  nowMs: number,
): Written {
  const text = locationIds && JSON.stringify(locationIds);
  return write(offers, key, { part: 'returns_exception', skuId: key.skuId, text }, nowMs);
}

export function setArchived(offers: Offers, key: WriteKey, archived: boolean, nowMs: number): Written {
  return write(offers, key, { part: 'archive', skuId: key.skuId, archived }, nowMs);
}

/** Returns the texts of the parts that can be cleared; the others are not set. */
export function clearableOf(set: Partial<ShownOffer['clearable']> = {}): ShownOffer['clearable'] {
  return { ...ofEachClearable<string | null>(() => null), ...set };
}
