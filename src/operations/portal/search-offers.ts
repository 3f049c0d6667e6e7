/**
 * Use case: an operator searches the offers of all merchants. The search walks the accounts in order and each account's offer
 * list, for a limited time per page, so it needs no index across accounts and each statement reads one account.
 */
import type { Account, Environment } from '../../domain/account.ts';
import type { ListPlace, OfferFilter } from '../../domain/offers/offer-list.ts';
import { accept, type Outcome } from '../../domain/outcome.ts';
import { readCatalogCode } from '../../domain/review/product-code.ts';
import type { ListedOffer } from '../../store/port/offer-list.ts';
import { ReadsByAccount } from '../../store/port/reads-by-account.ts';
import type { Store } from '../../store/port.ts';
import { reviewKnowledge } from '../review-knowledge.ts';
import { type AccountChoice, type ChosenAccount, chooseAccounts, isBefore } from './chosen-accounts.ts';
import { currentOffers, listCurrent, type OfferRow, type Page, rowOf } from './list-offers.ts';
import type { WatchContext } from './watch-context.ts';

export interface SearchContext {
  readonly watch: WatchContext;
  readonly store: Store;
  readonly account: (accountId: number) => Promise<Account | undefined>;
}

/** Where a page ended. Without `place`, the search continues at the start of this account. */
export interface SearchPlace {
  readonly merchantId: string;
  readonly environment: Environment;
  readonly place: ListPlace | undefined;
}

export interface SearchRequest extends AccountChoice {
  readonly filter: OfferFilter;
  /** The search text, which is also looked up as a SKU id and a product code. If undefined, only the filter applies. */
  readonly text: string | undefined;
  readonly after: SearchPlace | undefined;
  readonly limit: number;
}

export interface FoundOffer {
  readonly offer: OfferRow;
  readonly account: ChosenAccount;
}

export interface SearchPage {
  /** Offers with the text as SKU id or product code. Only on the first page; later pages may have them again. */
  readonly exact: readonly FoundOffer[];
  /** Sorted by merchant id, then live before test, then newest first. */
  readonly offers: readonly FoundOffer[];
  readonly next: SearchPlace | undefined;
  readonly merchants: number;
  /** Number of merchants whose offers have all been searched. */
  readonly merchantsSearched: number;
  /** Accounts skipped on this page, because their database node does not respond. */
  readonly accountsMissing: number;
}

/** Timeout of a page, and of the exact matches before it. At least one account is searched. */
const SEARCH_MS_MAX = 500;
const EXACT_OFFERS_MAX = 50;
/** Lookups by key are quick, and PostgreSQL runs several at the same time. */
const LOOKUPS_AT_ONCE = 8;

export async function searchOffers(context: SearchContext, request: SearchRequest): Promise<Outcome<SearchPage>> {
  const chosen = await chooseAccounts(context.store, request);
  if (!chosen.ok) return chosen;
  const accounts = chosen.value;
  const { after, limit } = request;
  const reads = new ReadsByAccount();
  const exact = after === undefined ? await findExact(context, request.text, accounts, reads) : [];
  const offers: FoundOffer[] = [];
  const left = accounts.filter((account) => after === undefined || !isBefore(account, after));
  const isSame = left[0]?.merchant.merchantId === after?.merchantId && left[0]?.environment === after?.environment;
  let place = isSame ? after?.place : undefined;
  const endMs = performance.now() + SEARCH_MS_MAX;
  do {
    const [account] = left;
    if (account === undefined) break;
    const asked = { ...request.filter, sort: 'newest', after: place, limit: limit - offers.length } as const;
    const page = await reads.read(() => listIn(context, account, asked));
    offers.push(...(page?.offers.map((offer) => ({ offer, account })) ?? []));
    place = page?.next;
    if (place === undefined) left.shift();
  } while (offers.length < limit && performance.now() < endMs);
  const merchants = countMerchants(accounts);
  return accept({
    exact,
    offers,
    next: left[0] && { merchantId: left[0].merchant.merchantId, environment: left[0].environment, place },
    merchants,
    merchantsSearched: merchants - countMerchants(left),
    accountsMissing: reads.missing,
  });
}

async function listIn(
  { watch, account: read }: SearchContext,
  { accountId }: ChosenAccount,
  request: Parameters<typeof listCurrent>[2],
): Promise<Page<OfferRow> | undefined> {
  const account = await read(accountId);
  if (account === undefined) return undefined;
  const page = await listCurrent(watch, account, request);
  if (!page.ok) throw new Error('The offer list in order of upload was refused.');
  const { taxonomy } = reviewKnowledge(watch.rules, account);
  return { ...page.value, offers: page.value.offers.map((offer) => rowOf(offer, taxonomy)) };
}

/** Searches accounts that use the product code first, so that the time limit is enough for them. */
async function findExact(
  context: SearchContext,
  text: string | undefined,
  accounts: readonly ChosenAccount[],
  reads: ReadsByAccount,
): Promise<readonly FoundOffer[]> {
  if (text === undefined) return [];
  const skusByAccount = new Map(accounts.map(({ accountId }) => [accountId, new Set([text])]));
  const code = readCatalogCode(text);
  for (const environment of new Set(accounts.map((account) => account.environment))) {
    if (code === undefined) break;
    const users = await context.store.catalog.readCatalogUsers(environment, code, null, EXACT_OFFERS_MAX);
    for (const { accountId, skuId } of users) skusByAccount.get(accountId)?.add(skuId);
  }
  const skusOf = ({ accountId }: ChosenAccount) => [...(skusByAccount.get(accountId) ?? [])];
  const left = accounts.toSorted((one, other) => skusOf(other).length - skusOf(one).length);
  const endMs = performance.now() + SEARCH_MS_MAX;
  const exact: FoundOffer[] = [];
  while (left.length > 0 && exact.length < EXACT_OFFERS_MAX && performance.now() < endMs) {
    const found = await Promise.all(
      left.splice(0, LOOKUPS_AT_ONCE).map(async (account) => {
        const listed = await reads.read(() =>
          context.watch.store.offerList.readListed(account.accountId, skusOf(account)),
        );
        const offers = listed?.length ? await rowsIn(context, account, listed) : [];
        return offers.map((offer) => ({ offer, account }));
      }),
    );
    exact.push(...found.flat());
  }
  return exact.slice(0, EXACT_OFFERS_MAX);
}

async function rowsIn(
  { watch, account: read }: SearchContext,
  { accountId }: ChosenAccount,
  listed: readonly ListedOffer[],
): Promise<readonly OfferRow[]> {
  const account = await read(accountId);
  if (account === undefined) return [];
  const { taxonomy } = reviewKnowledge(watch.rules, account);
  return (await currentOffers(watch, account, listed)).map((offer) => rowOf(offer, taxonomy));
}

function countMerchants(accounts: readonly ChosenAccount[]): number {
  return new Set(accounts.map(({ merchant }) => merchant.merchantId)).size;
}
