/** Counts the live offers of each merchant that is not suspended, once in each round of housekeeping; the last count of a day is kept. */
import { DAY_MS } from '../domain/vocabulary/iso-time.ts';
import type { Store } from '../store/port.ts';
import type { Chore } from './housekeeping.ts';

export interface OfferDayStore {
  readonly settings: Pick<Store['settings'], 'listMerchants'>;
  readonly offerList: Pick<Store['offerList'], 'countOffersByAccount' | 'putOfferDays'>;
}

export function countOffers({ settings, offerList }: OfferDayStore, nowMs: () => number): Chore {
  return async () => {
    const merchants = (await settings.listMerchants()).filter(({ suspended }) => !suspended);
    const live = new Set(merchants.map(({ accounts }) => accounts.live));
    const counted = await offerList.countOffersByAccount(Math.floor(nowMs() / DAY_MS));
    await offerList.putOfferDays(counted.filter(({ accountId }) => live.has(accountId)));
  };
}
