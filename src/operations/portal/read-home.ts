/** Use case: an operator reads how the offers of all merchants develop, and which files and webhooks failed. */
import { ENVIRONMENTS, type Environment, type Merchant } from '../../domain/account.ts';
import { LIMITS } from '../../domain/limits.ts';
import { DAY_MS, HOUR_MS } from '../../domain/vocabulary/iso-time.ts';
import { StoreUnavailableError } from '../../store/port/errors.ts';
import type { Store } from '../../store/port.ts';

export interface HomeContext {
  readonly store: {
    readonly settings: Pick<Store['settings'], 'listMerchants'>;
    readonly offerList: Pick<Store['offerList'], 'sumOfferDays' | 'listOfferRises'>;
    readonly files: Pick<Store['files'], 'listRejectedFiles'>;
    readonly webhooks: Pick<Store['webhooks'], 'listFailingWebhooks'>;
  };
  readonly nowMs: () => number;
}

export type Home = Awaited<ReturnType<typeof readHome>>;

/** The merchant and environment of an account; the merchant is null for the marketplace. */
export interface Owner {
  readonly merchant: Pick<Merchant, 'merchantId' | 'name'> | null;
  readonly environment: Environment;
}

/** Over how many days failing offers are compared. */
const RISE_DAYS = 7;

/** `http/portal/home.ts` describes the values. */
export async function readHome({ store, nowMs }: HomeContext) {
  const now = nowMs();
  const [merchants, days, files, webhooks] = await Promise.all([
    store.settings.listMerchants(),
    store.offerList.sumOfferDays(Math.floor(now / DAY_MS) - LIMITS.offer_days + 1),
    store.files.listRejectedFiles(now - DAY_MS, LIMITS.home_items_max).catch(nullIfUnavailable),
    store.webhooks.listFailingWebhooks(now - HOUR_MS, LIMITS.home_items_max),
  ]);
  const owners = new Map<number, Owner>();
  for (const merchant of merchants) {
    for (const environment of ENVIRONMENTS) owners.set(merchant.accounts[environment], { merchant, environment });
  }
  const last = days.at(-1)?.day ?? 0;
  const first = days.find(({ day }) => day >= last - RISE_DAYS)?.day ?? 0;
  const rises = await store.offerList.listOfferRises(first, last, LIMITS.home_items_max);
  const owned = <T extends { readonly accountId: number }>(rows: readonly T[]) =>
    rows.flatMap((row) => {
      const owner = owners.get(row.accountId);
      return owner === undefined ? [] : [{ ...row, ...owner }];
    });
  return {
    days,
    risesSinceMs: first * DAY_MS,
    rises: owned(rises),
    files: files === null ? null : owned(files),
    webhooks: webhooks.flatMap((webhook) => {
      const owner = owners.get(webhook.accountId);
      if (owner !== undefined) return [{ ...webhook, ...owner }];
      return webhook.shop === null ? [] : [{ ...webhook, merchant: null, environment: webhook.shop }];
    }),
  };
}

/** Files are searched on all database nodes. While one of them does not respond, the rest of the page is still shown. */
function nullIfUnavailable(error: unknown): null {
  if (error instanceof StoreUnavailableError) return null;
  throw error;
}
