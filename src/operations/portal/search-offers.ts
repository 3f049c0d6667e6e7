/**
 * Use case: an operator searches the offers of all merchants. The search walks the accounts in order and each account's offer
 * list, for a limited time per page, so it needs no index across accounts and each statement reads one account.
 */
import type { Account, Environment } from '../../domain/account.ts';
import type { ListPosition, OfferFilter } from '../../domain/offers/offer-list.ts';
import { accept } from '../../domain/outcome.ts';
import { readCatalogCode } from '../../domain/review/product-code.ts';
import type { ListedOffer } from '../../store/port/offer-list.ts';
import { ReadsByAccount } from '../../store/port/reads-by-account.ts';
import type { Store } from '../../store/port.ts';
import { reviewKnowledge } from '../review-knowledge.ts';
import { type AccountChoice, type ChosenAccount, chooseAccounts, isBefore } from './chosen-accounts.ts';
import { currentOffers, listCurrent, type OfferRow, type Page, rowOf } from './list-offers.ts';
import type { ViewContext } from './view-context.ts';

export interface SearchContext {
  readonly views: ViewContext;
  readonly store: Store;
  readonly account: (accountId: number) => Promise<Account | undefined>;
}

/** Where a page ended. Without `position`, the search continues at the start of this account. */
export interface SearchPosition {
  readonly merchantId: string;
  readonly environment: Environment;
  readonly position: ListPosition | undefined;
}

export interface SearchRequest extends AccountChoice {
  readonly filter: OfferFilter;
  /** The search text, which is also looked up as a SKU id and a product code. If undefined, only the filter applies. */
  readonly text: string | undefined;
  readonly after: SearchPosition | undefined;
  readonly limit: number;
}

export interface FoundOffer {
  readonly offer: OfferRow;
  readonly account: ChosenAccount;
}

/** Timeout of a page, and of the exact matches before it. At least one account is searched. */
const SEARCH_MS_MAX = 500;
const EXACT_OFFERS_MAX = 50;
/** Lookups by key are quick, and PostgreSQL runs several at the same time. */
const LOOKUPS_AT_ONCE = 8;

/** `http/portal/operator-offers.ts` describes the values. */
export async function searchOffers(context: SearchContext, request: SearchRequest) {
  const chosen = await chooseAccounts(context.store, request);
  if (!chosen.ok) return chosen;
  const accounts = chosen.value;
  const { after, limit } = request;
  const reads = new ReadsByAccount();
  const exact = after === undefined ? await findExact(context, request.text, accounts, reads) : [];
  const offers: FoundOffer[] = [];
  const left = accounts.filter((account) => after === undefined || !isBefore(account, after));
  const isSame = left[0]?.merchant.merchantId === after?.merchantId && left[0]?.environment === after?.environment;
  let position = isSame ? after?.position : undefined;
  const endMs = performance.now() + SEARCH_MS_MAX;
  do {
    const [account] = left;
    if (account === undefined) break;
    const asked = { ...request.filter, sort: 'newest', after: position, limit: limit - offers.length } as const;
    const page = await reads.read(() => listIn(context, account, asked));
    offers.push(...(page?.offers.map((offer) => ({ offer, account })) ?? []));
    position = page?.next;
    if (position === undefined) left.shift();
  } while (offers.length < limit && performance.now() < endMs);
  const merchants = countMerchants(accounts);
  return accept({
    exact,
    offers,
    next: left[0] && { merchantId: left[0].merchant.merchantId, environment: left[0].environment, position },
    merchants,
    merchantsSearched: merchants - countMerchants(left),
    accountsMissing: reads.missing,
  });
}

async function listIn(
  { views, account: read }: SearchContext,
  { accountId }: ChosenAccount,
  request: Parameters<typeof listCurrent>[2],
): Promise<Page<OfferRow> | undefined> {
  const account = await read(accountId);
  if (account === undefined) return undefined;
  const page = await listCurrent(views, account, request);
  if (!page.ok) throw new Error('The offer list in order of upload was refused.');
  const { taxonomy } = reviewKnowledge(views.rules, account);
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
          context.views.store.offerList.readListed(account.accountId, skusOf(account)),
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
  { views, account: read }: SearchContext,
  { accountId }: ChosenAccount,
  listed: readonly ListedOffer[],
): Promise<readonly OfferRow[]> {
  const account = await read(accountId);
  if (account === undefined) return [];
  const { taxonomy } = reviewKnowledge(views.rules, account);
  return (await currentOffers(views, account, listed)).map((offer) => rowOf(offer, taxonomy));
}

function countMerchants(accounts: readonly ChosenAccount[]): number {
  return new Set(accounts.map(({ merchant }) => merchant.merchantId)).size;
}
