/** Use case: a merchant's user asks which optional parts of an offer are set. */
import type { Account } from '../../domain/account.ts';
import { accept, type Outcome } from '../../domain/outcome.ts';
import type { Context } from '../context.ts';
import { refuseUnknown } from '../unknown-or-archived-sku.ts';

export const OPTIONAL_PARTS = Object.freeze(['price', 'variation', 'shipping_exception', 'returns_exception'] as const);
export type OptionalPart = (typeof OPTIONAL_PARTS)[number];

export async function readSetParts(
  { store: { offers } }: Context,
  { accountId }: Account,
  skuId: string,
): Promise<Outcome<readonly OptionalPart[]>> {
  const key = { accountId, skuId };
  const [price, offer] = await Promise.all([offers.readPrice(key), offers.readReviewedOffer(key)]);
  if (offer === undefined) return refuseUnknown(skuId);
  const isSet: Readonly<Record<OptionalPart, boolean>> = {
    price: typeof price === 'object',
    variation: offer.group !== null,
    shipping_exception: offer.shippingExceptions !== null,
    returns_exception: offer.returnLocationIds !== null,
  };
  return accept(OPTIONAL_PARTS.filter((part) => isSet[part]));
}
