/** Use case: an operator has offers re-reviewed in the background: all offers or those that match a filter, for one merchant or all. */
import type { OfferFilter } from '../../domain/offers/offer-list.ts';
import { accept, type Outcome } from '../../domain/outcome.ts';
import type { Store } from '../../store/port.ts';
import { type AccountChoice, chooseAccounts } from '../portal/chosen-accounts.ts';

/** Images keep their results, because fetching them all again would burden the image hosts. */
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
