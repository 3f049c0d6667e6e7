/** Use cases: a merchant requests a re-check of a SKU; an operator has offers re-reviewed in the background. */
import type { Account } from '../domain/account.ts';
import { LIMITS } from '../domain/limits.ts';
import type { OfferFilter } from '../domain/offers/offer-list.ts';
import { refuseState, refuseUnknown } from '../domain/offers/write-state.ts';
import { accept, type Outcome } from '../domain/outcome.ts';
import type { Store } from '../store/port.ts';
import type { Context } from './context.ts';
import { type AccountChoice, chooseAccounts } from './portal/chosen-accounts.ts';
import { factsOf, imageAddresses } from './review-knowledge.ts';

/** Minimum time between two fetches of an image, because the image hosts belong to third parties. */
const PAUSE_MS = LIMITS.image_check_pause_seconds * 1000;

/** Fetches the images of the offer again, and has it re-reviewed. */
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

/**
 * Covers all offers or those that match a filter, for one merchant or all. Images keep their results, because fetching them all again would
 * burden the image hosts.
 */
export async function recheckOffers(
  store: Store,
  choice: AccountChoice,
  filter: OfferFilter | undefined,
): Promise<Outcome<undefined>> {
  const { merchantId, environment } = choice;
  if (merchantId === undefined) {
    await store.review.beginSweeps(environment === undefined ? {} : { environment }, filter);
    return accept(undefined);
  }
  const chosen = await chooseAccounts(store, choice);
  if (!chosen.ok) return chosen;
  await store.review.beginSweeps({ accountIds: chosen.value.map(({ accountId }) => accountId) }, filter);
  return accept(undefined);
}
