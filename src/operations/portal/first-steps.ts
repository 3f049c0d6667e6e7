/**
 * Use case: a merchant's user sees which first steps are done, as described in `http/portal/overview.ts`. Each is derived from stored data.
 */
import type { Account, Merchant } from '../../domain/account.ts';
import { LIST_LIMITS, NO_FILTER } from '../../domain/offers/offer-list.ts';
import type { OfferCounts } from '../../store/port/offer-list.ts';
import type { Store } from '../../store/port.ts';

/** A merchant with more offers than this is not new: its step "stock" counts as done, without a query. */
const OFFERS_OF_BEGINNERS_MAX = 1000;

interface FirstStepsContext {
  readonly store: Pick<Store, 'offerList' | 'settings'>;
  readonly nowMs: () => number;
}

export async function readFirstSteps(
  { store, nowMs }: FirstStepsContext,
  { accountId, nodes }: Account,
  { accounts, createdMs }: Merchant,
) {
  const [keys, counts, live] = await Promise.all([
    store.settings.listCredentials(accountId, nowMs()),
    store.offerList.readOfferCounts(accountId),
    store.offerList.readOfferCounts(accounts.live),
  ]);
  const reviewed = counts.byStatus.values().reduce((sum, offers) => sum + offers, 0);
  const offers = reviewed + counts.unreviewed;
  return {
    keys: keys.some((key) => key.createdMs > createdMs || key.lastUsedMs !== null),
    location: nodes.size > 0,
    offer: offers > 0,
    price: hasPrice(counts, reviewed),
    stock: offers > OFFERS_OF_BEGINNERS_MAX || (offers > 0 && (await hasStock(store, accountId))),
    live: (live.byStatus.get('available') ?? 0) > 0,
  };
}

/** Returns whether any offer has a price. Offers without a price have the issue "Missing price", unless they are archived. */
function hasPrice({ byStatus, bySubStatus }: OfferCounts, reviewed: number): boolean {
  return reviewed - (byStatus.get('archived') ?? 0) > (bySubStatus.get('Missing price') ?? 0);
}

async function hasStock({ offerList }: FirstStepsContext['store'], accountId: number): Promise<boolean> {
  const request = { ...NO_FILTER, inStock: true, sort: 'newest', after: undefined, limit: 1 } as const;
  const { offers } = await offerList.listOffers(accountId, { ...request, limits: LIST_LIMITS });
  return offers.length > 0;
}
