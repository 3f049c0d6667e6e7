/** Use case: a merchant's user sees which first steps are done. Each is derived from stored data. */
import type { Account } from '../../domain/account.ts';
import type { OfferCounts } from '../../store/port/offer-list.ts';
import type { Merchant } from '../../store/port/settings.ts';
import type { Store } from '../../store/port.ts';

export interface FirstSteps {
  /** A key was created in addition to the first one, or used. */
  readonly keys: boolean;
  readonly location: boolean;
  readonly offer: boolean;
  readonly price: boolean;
  /** An offer of the live environment is available. */
  readonly live: boolean;
}

export async function readFirstSteps(
  { store, nowMs }: { readonly store: Pick<Store, 'offerList' | 'settings'>; readonly nowMs: () => number },
  { accountId, nodes }: Account,
  { accounts, createdMs }: Merchant,
): Promise<FirstSteps> {
  const [keys, counts, live] = await Promise.all([
    store.settings.listCredentials(accountId, nowMs()),
    store.offerList.readOfferCounts(accountId),
    store.offerList.readOfferCounts(accounts.live),
  ]);
  const reviewed = counts.byStatus.values().reduce((sum, offers) => sum + offers, 0);
  return {
    keys: keys.some((key) => key.createdMs > createdMs || key.lastUsedMs !== null),
    location: nodes.size > 0,
    offer: reviewed + counts.unreviewed > 0,
    price: hasPrice(counts, reviewed),
    live: (live.byStatus.get('available') ?? 0) > 0,
  };
}

/** Offers without a price have this issue, unless they are archived. */
function hasPrice({ byStatus, bySubStatus }: OfferCounts, reviewed: number): boolean {
  return reviewed - (byStatus.get('archived') ?? 0) > (bySubStatus.get('Missing price') ?? 0);
}
