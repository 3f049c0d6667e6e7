/** Helpers for tests: each reads one part of an offer. */
import type { GroupUpload, ShownOffer } from '../../domain/offers/part.ts';
import type { Lookup, OfferStore, SkuKey } from '../port/offers.ts';

type Offers = Pick<OfferStore, 'readReviewedOffer'>;

async function read<T>(offers: Offers, key: SkuKey, partOf: (offer: ShownOffer) => T | null): Promise<Lookup<T>> {
  const offer = await offers.readReviewedOffer(key);
  return offer === undefined ? 'unknown' : (partOf(offer) ?? 'unset');
}

export function readShippingExceptions(offers: Offers, key: SkuKey): Promise<Lookup<string>> {
  return read(offers, key, ({ clearable }) => clearable.shipping_exception);
}

export function readReturnLocations(offers: Offers, key: SkuKey): Promise<Lookup<readonly string[]>> {
  return read(offers, key, ({ clearable: { returns_exception: text } }) => text && JSON.parse(text));
}

export function readGroup(offers: Offers, key: SkuKey): Promise<Lookup<GroupUpload>> {
  return read(offers, key, ({ group }) => group);
}
