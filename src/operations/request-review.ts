/** Use case: a merchant requests a re-check of a SKU: its images are fetched again, and the offer is re-reviewed. */
import type { Account } from '../domain/account.ts';
import { LIMITS } from '../domain/limits.ts';
import { refuseState, refuseUnknown } from '../domain/offers/write-state.ts';
import { accept, type Outcome } from '../domain/outcome.ts';
import type { Context } from './context.ts';
import { factsOf, imageAddresses } from './stored-facts.ts';

/** Minimum time between two fetches of an image, because the image hosts belong to third parties. */
const PAUSE_MS = LIMITS.image_check_pause_seconds * 1000;

export async function requestReview(context: Context, account: Account, skuId: string): Promise<Outcome<undefined>> {
  const { store, rules, onOfferWritten } = context;
  const { accountId } = account;
  const offer = await store.offers.readOffer({ accountId, skuId });
  if (offer === undefined) return refuseUnknown(skuId);
  // Shoppers do not see the images of an archived SKU, and unarchiving triggers a review.
  if (offer.archived) return refuseState('archived', skuId, []);
  if (rules.imageCheck === 'on') {
    const { document } = factsOf(offer);
    const wants = imageAddresses(document).map((address) => ({ accountId, skuId, address }));
    await store.images.wantImages(wants, PAUSE_MS);
  }
  await store.review.markDue(accountId, [skuId]);
  onOfferWritten();
  return accept(undefined);
}
