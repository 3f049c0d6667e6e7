/** Use case: a merchant asks for a new look at a SKU: its images are fetched again, and it is reviewed anew. */
import type { Account } from '../domain/account.ts';
import { LIMITS } from '../domain/limits.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { Context } from './context.ts';
import { fromWrite, refuseUnknown } from './sku-outcomes.ts';
import { factsOf, imageAddresses } from './stored-facts.ts';

/** However often it is asked for: the hosts are those of third parties. */
const PAUSE_MS = LIMITS.image_check_pause_seconds * 1000;

export async function requestReview(context: Context, account: Account, skuId: string): Promise<Outcome<undefined>> {
  const { store, rules, onOfferWritten } = context;
  const { accountId } = account;
  const offer = await store.offers.readOffer({ accountId, skuId });
  if (offer === undefined) return refuseUnknown(skuId);
  // Nobody sees its images, and unarchiving it brings a review of its own.
  if (offer.archived) return fromWrite('archived', skuId, []);
  if (rules.imageCheck === 'on') {
    const { document } = factsOf(offer);
    const wants = imageAddresses(document).map((address) => ({ accountId, skuId, address }));
    await store.images.wantImages(wants, PAUSE_MS);
  }
  await store.review.markDue(accountId, [skuId]);
  onOfferWritten();
  return fromWrite('stored', skuId, []);
}
