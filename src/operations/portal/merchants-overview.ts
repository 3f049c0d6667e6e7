/** Use cases: an operator lists the merchants with their statistics, and reads one of them. */

import { ENVIRONMENTS, type Environment, type Merchant, type Returns } from '../../domain/account.ts';
import type { BulkFile } from '../../domain/bulk-files.ts';
import { accept, type Outcome, refuse } from '../../domain/outcome.ts';
import { MINUTE_MS } from '../../domain/vocabulary/iso-time.ts';
import type { FileStore } from '../../store/port/files.ts';
import type { OfferCounts, OfferListStore } from '../../store/port/offer-list.ts';
import { ReadsByAccount } from '../../store/port/reads-by-account.ts';
import type { LoggedRequest } from '../../store/port/traffic.ts';
import type { Store } from '../../store/port.ts';
import { type ListedCredential, listCredentials } from '../setup/list-credentials.ts';
import type { SetupContext } from '../setup/merchant-accounts.ts';
import { merchantUnknown } from '../setup/merchant-accounts.ts';
import { type RequestMinute, readRequestMinutes } from './read-overview.ts';

export interface MerchantsContext {
  readonly setup: SetupContext;
  readonly store: {
    readonly offerList: Pick<OfferListStore, 'readOfferCounts'>;
    readonly files: Pick<FileStore, 'listFiles'>;
    readonly traffic: Pick<Store['traffic'], 'readRequestCounts' | 'readMinute' | 'readRequestLog'>;
  };
  /** Requests allowed per environment of a merchant. */
  readonly requestsPerMinute: number;
}

export interface MerchantSummary extends Omit<Merchant, 'accounts' | 'unfinished' | keyof Returns> {
  /** Number of portal users. */
  readonly users: number;
  /** Number of offers; null while the database node of the account does not respond. */
  readonly offers: Readonly<Record<Environment, number | null>>;
}

export interface ListedMerchant extends MerchantSummary {
  /** Requests in the last whole minute. */
  readonly lastMinute: Readonly<Record<Environment, number>>;
}

/** What the operator sees of one account. */
export interface AccountActivity {
  readonly counts: OfferCounts;
  readonly lastFile: BulkFile | undefined;
  readonly lastRequest: LoggedRequest | undefined;
}

export interface MerchantDetails extends MerchantSummary, Returns {
  readonly note: string;
  /** Undefined while the database node of the account does not respond. */
  readonly activity: Readonly<Record<Environment, AccountActivity | undefined>>;
  readonly minutes: Readonly<Record<Environment, readonly RequestMinute[]>>;
  readonly keys: readonly ListedCredential[];
}

const MINUTES_SHOWN = 60;

/** Lists the merchants, sorted by id. */
export async function listMerchantsWithUse(context: MerchantsContext): Promise<Outcome<readonly ListedMerchant[]>> {
  const merchants = await context.setup.store.settings.listMerchants();
  const users = await countUsers(context);
  const lastMinute = Math.floor(context.setup.nowMs() / MINUTE_MS) - 1;
  const requests = new Map<number, number>();
  for (const counted of await context.store.traffic.readMinute(lastMinute))
    requests.set(counted.accountId, counted.requests);
  const reads = new ReadsByAccount();
  const listed: ListedMerchant[] = [];
  for (const merchant of merchants) {
    const { test, live } = merchant.accounts;
    const used = { test: requests.get(test) ?? 0, live: requests.get(live) ?? 0 };
    listed.push({ ...(await summarize(context, reads, merchant, users)), lastMinute: used });
  }
  return accept(listed);
}

export async function readMerchantDetails(
  context: MerchantsContext,
  merchantId: string,
): Promise<Outcome<MerchantDetails>> {
  const { setup, store } = context;
  const merchant = await setup.store.settings.readMerchant(merchantId);
  if (merchant === undefined) return refuse([merchantUnknown(merchantId)]);
  const keys = await listCredentials(setup, { merchantId, environments: ENVIRONMENTS });
  if (!keys.ok) return keys;
  const { timeToReturnDays, returnShippingMethods } = merchant;
  const reads = new ReadsByAccount();
  return accept({
    ...(await summarize(context, reads, merchant, await countUsers(context))),
    note: (await setup.store.settings.readMerchantNote(merchantId)) ?? '',
    activity: await inBoth(merchant, (accountId) => reads.read(() => readActivity(store, accountId))),
    timeToReturnDays,
    returnShippingMethods,
    minutes: await inBoth(merchant, (accountId) =>
      readRequestMinutes(store.traffic, accountId, setup.nowMs(), MINUTES_SHOWN),
    ),
    keys: keys.value,
  });
}

async function readActivity(
  { offerList, files, traffic }: MerchantsContext['store'],
  accountId: number,
): Promise<AccountActivity> {
  const [counts, listed, requests] = await Promise.all([
    offerList.readOfferCounts(accountId),
    files.listFiles(accountId, { madeAfterMs: 0, offset: 0, limit: 1 }),
    traffic.readRequestLog(accountId, { sinceMs: 0, limit: 1 }),
  ]);
  return { counts, lastFile: listed.files[0], lastRequest: requests[0] };
}

async function summarize(
  { store }: MerchantsContext,
  reads: ReadsByAccount,
  merchant: Merchant,
  users: ReadonlyMap<string | null, number>,
): Promise<MerchantSummary> {
  const { merchantId, name, createdMs, suspended } = merchant;
  const offers = await inBoth(merchant, async (accountId) => {
    const counts = await reads.read(() => store.offerList.readOfferCounts(accountId));
    return counts?.byStatus.values().reduce((sum, count) => sum + count, counts.unreviewed) ?? null;
  });
  return { merchantId, name, createdMs, suspended, users: users.get(merchantId) ?? 0, offers };
}

async function countUsers({ setup }: MerchantsContext): Promise<ReadonlyMap<string | null, number>> {
  const counts = new Map<string | null, number>();
  for (const { merchantId } of await setup.store.people.listPortalUsers()) {
    counts.set(merchantId, (counts.get(merchantId) ?? 0) + 1);
  }
  return counts;
}

async function inBoth<T>(
  { accounts }: Merchant,
  read: (accountId: number) => Promise<T>,
): Promise<Record<Environment, T>> {
  return { test: await read(accounts.test), live: await read(accounts.live) };
}
