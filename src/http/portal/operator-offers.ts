/** GET /offers, POST /offers/recheck and GET /review-backlog: the offers of all merchants, for operators. */
import { ENVIRONMENTS, type Environment } from '../../domain/account.ts';
import { OneOf, Whole } from '../../domain/check/schema.ts';
import { type Static, Type } from '../../domain/check/type.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Names } from '../../domain/names.ts';
import type { OfferFilter } from '../../domain/offers/offer-list.ts';
import { type Problem, requestProblem } from '../../domain/problem.ts';
import { hasForbiddenCharacter } from '../../domain/text.ts';
import { chooseAccounts } from '../../operations/portal/chosen-accounts.ts';
import { type Backlog, readBacklog } from '../../operations/portal/read-backlog.ts';
import {
  type FoundOffer,
  type SearchPlace,
  type SearchRequest,
  searchOffers,
} from '../../operations/portal/search-offers.ts';
import { requestReview } from '../../operations/request-review.ts';
import { recheckOffers } from '../../operations/review/recheck-offers.ts';
import { acceptedAnswer, foundAnswer } from '../answers/answers.ts';
import type { ActWords, Answer, PersonCall, PersonEndpoint } from '../endpoint.ts';
import { parameterShown, QueryReading } from '../query.ts';
import { Count, OrNull } from './answer-schemas.ts';
import { LIMIT, readFilter } from './offer-query.ts';
import { FILTERS, ListedOffer, offerJson } from './offers.ts';

const MerchantOfOffer = Type.Object({
  id: Type.String(),
  name: Type.String(),
  suspended: Type.Boolean({ description: 'If true, no offer of the merchant is for sale, whatever its status says.' }),
});

const Found = (names: Names) =>
  Type.Object({
    merchant: MerchantOfOffer,
    environment: OneOf(ENVIRONMENTS),
    ...ListedOffer(names).properties,
  });

const SearchAnswer = (names: Names) =>
  Type.Object({
    exact: Type.Array(Found(names), {
      description:
        'Offers with `q` as SKU id or product code, if there is no other filter. Only on the first page; `offers` may list ' +
        'them again.',
    }),
    offers: Type.Array(Found(names), {
      description: 'Sorted by merchant id, then live before test, then newest first.',
    }),
    next: OrNull(
      Type.String(),
      'Value of `after` to continue the search; null at the end. A page may have fewer offers than requested, even none.',
    ),
    merchants: Count('Merchants to search.'),
    merchants_searched: Count('Merchants whose offers have all been searched, on this page or before.'),
    accounts_missing: Count('Accounts skipped on this page because their database node does not respond.'),
  });

const BacklogAnswer = Type.Object({
  due: Count('Offers due for review; at most 100,000 are counted per account.'),
  oldest_due_seconds: Count('How long the oldest of these offers has been due. 0 if there is none.'),
  images: Count('Images waiting to be fetched.'),
  images_retrying: Count('Waiting images whose download failed and is retried.'),
  marking: Count('Accounts with offers that are being marked as due, after a rule change or for a re-check.'),
  accounts_missing: Count('Accounts that are not counted because their database node does not respond.'),
  accounts: Type.Array(
    Type.Object({
      merchant: MerchantOfOffer,
      environment: OneOf(ENVIRONMENTS),
      due: Count('Offers due for review.'),
      oldest_due_seconds: Count('How long the oldest of these offers has been due.'),
      images: Count('Images of this account that are waiting to be fetched.'),
      marking: Type.Boolean({ description: 'More offers are being marked as due.' }),
    }),
    {
      description: `Accounts with due offers, images to fetch or offers being marked; longest wait first, at most ${LIMITS.backlog_accounts_max}.`,
    },
  ),
});

const CHOICE = {
  merchant: {
    description: 'Only this merchant. Takes a merchant id; the default is all merchants.',
    schema: Type.String(),
  },
  environment: { description: 'Only this environment. The default is both.', schema: OneOf(ENVIRONMENTS) },
};

const shared = { access: 'person', roles: ['operator'], unhurried: true } as const;

export const operatorOffersEndpoints: readonly PersonEndpoint[] = [
  {
    ...shared,
    id: 'searchOffers',
    method: 'GET',
    path: '/offers',
    tag: 'Offers',
    summary: 'Search the offers of all merchants',
    description:
      'Searches merchant by merchant, for at most about a second per page. Continue with `next` to search the others.',
    query: {
      ...CHOICE,
      ...FILTERS,
      after: { description: '`next` of the previous page with the same filters.', schema: Type.String() },
      limit: {
        description: `Maximum number of results. The default is ${LIMIT.fallback}.`,
        schema: Whole(LIMIT.min, LIMIT.max),
      },
    },
    answer: SearchAnswer,
    failures: [400, 404],
    handle: searchAnswer,
  },
  {
    ...shared,
    id: 'recheckOffers',
    method: 'POST',
    path: '/offers/recheck',
    tag: 'Offers',
    summary: 'Re-review offers: one, or all that match',
    description:
      'With `sku`, `merchant` and `environment`, the images of that offer are fetched again and it is reviewed. Otherwise the ' +
      'offers that match are marked as due in the background and reviewed with the stored results of their images.',
    query: { ...CHOICE, sku: { description: 'SKU id of a single offer.', schema: Type.String() }, ...FILTERS },
    failures: [400, 404],
    act: recheckWords,
    handle: recheckAnswer,
  },
  {
    ...shared,
    id: 'readBacklog',
    method: 'GET',
    path: '/review-backlog',
    tag: 'System',
    summary: 'Read how many offers wait for review, by merchant and environment, and how long',
    answer: BacklogAnswer,
    handle: async ({ services }) =>
      foundAnswer(await readBacklog(services.search.store), (backlog) => JSON.stringify(backlogJson(backlog))),
  },
];

async function searchAnswer({ services, query }: PersonCall): Promise<Answer> {
  const { names } = services.context;
  const request = readSearch(query, names);
  if ('problems' in request) return request;
  return foundAnswer(await searchOffers(services.search, request), (page) => {
    const answer: Static<ReturnType<typeof SearchAnswer>> = {
      exact: page.exact.map((found) => foundJson(found, names)),
      offers: page.offers.map((found) => foundJson(found, names)),
      next: page.next === undefined ? null : searchCursor(page.next),
      merchants: page.merchants,
      merchants_searched: page.merchantsSearched,
      accounts_missing: page.accountsMissing,
    };
    return JSON.stringify(answer);
  });
}

async function recheckAnswer({ services, query }: PersonCall): Promise<Answer> {
  const reading = new QueryReading(query);
  const skuId = readName(reading, 'sku');
  const request = readSearch(query, services.context.names, reading);
  if ('problems' in request) return request;
  const { store, account: readAccount } = services.search;
  if (skuId === undefined) return acceptedAnswer(await recheckOffers(store, request, filterOf(request)));
  if (request.merchantId === undefined || request.environment === undefined) {
    return { problems: [requestProblem('query_invalid', 'sku: needs merchant and environment as well.')] };
  }
  const chosen = await chooseAccounts(store, request);
  if (!chosen.ok) return chosen;
  const account = await readAccount(chosen.value[0]?.accountId ?? 0);
  if (account === undefined) throw new Error(`Merchant ${request.merchantId} has no account.`);
  return acceptedAnswer(await requestReview(services.context, account, skuId));
}

/** The filter as sent, for the activity log. */
function recheckWords({ query }: PersonCall): ActWords {
  const names = ['environment', 'sku', ...Object.keys(FILTERS)];
  const sent = names.map((name) => [name, parameterShown(query, name)] as const).filter(([, value]) => value !== '');
  const detail = sent.map(([name, value]) => `${name}: ${value}`).join(', ');
  return { subject: parameterShown(query, 'merchant') || 'all merchants', detail: detail || 'all offers' };
}

function readSearch(
  query: string,
  names: Names,
  reading = new QueryReading(query),
): SearchRequest | { readonly problems: readonly Problem[] } {
  const filter = readFilter(reading, names);
  const { words: _words, ...others } = filter;
  const isTextOnly = Object.values(others).every((value) => value === undefined);
  const request: SearchRequest = {
    merchantId: readName(reading, 'merchant'),
    environment: reading.oneOf('environment', ENVIRONMENTS),
    filter,
    text: isTextOnly ? reading.filledText('q')?.trim() : undefined,
    after: readCursor(reading),
    limit: reading.wholeNumber('limit', LIMIT),
  };
  return reading.problems.length === 0 ? request : { problems: reading.problems };
}

function readName(reading: QueryReading, name: 'merchant' | 'sku'): string | undefined {
  const text = reading.filledText(name);
  if (text === undefined || !hasForbiddenCharacter(text)) return text;
  return reading.refuse(`${name}: must not contain NUL characters or unpaired surrogates.`);
}

/** Returns undefined if every offer matches. */
function filterOf({ filter }: SearchRequest): OfferFilter | undefined {
  const { words, ...others } = filter;
  const isSet = words.length > 0 || Object.values(others).some((value) => value !== undefined);
  return isSet ? filter : undefined;
}

/** Offers are listed in upload order, so a position in the list is a number. */
function searchCursor({ merchantId, environment, place }: SearchPlace): string {
  return Buffer.from(JSON.stringify([merchantId, environment, place?.order ?? null])).toString('base64url');
}

function readCursor(reading: QueryReading): SearchPlace | undefined {
  const text = reading.filledText('after');
  if (text === undefined) return undefined;
  const place = parseCursor(text);
  return place ?? reading.refuse('after: must be the `next` value of a page.');
}

function parseCursor(text: string): SearchPlace | undefined {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined;
  }
  if (!Array.isArray(parts) || parts.length !== 3) return undefined;
  const [merchantId, environment, order] = parts as unknown[];
  if (typeof merchantId !== 'string' || hasForbiddenCharacter(merchantId)) return undefined;
  if (!ENVIRONMENTS.includes(environment as Environment)) return undefined;
  if (order !== null && !(Number.isSafeInteger(order) && (order as number) >= 0)) return undefined;
  const place = order === null ? undefined : { key: '', order: order as number };
  return { merchantId, environment: environment as Environment, place };
}

function foundJson({ offer, account: { merchant, environment } }: FoundOffer, names: Names) {
  return { merchant: merchantJson(merchant), environment, ...offerJson(offer, names) };
}

function merchantJson({ merchantId, name, suspended }: FoundOffer['account']['merchant']) {
  return { id: merchantId, name, suspended };
}

function backlogJson(backlog: Backlog): Static<typeof BacklogAnswer> {
  const { due, oldestDue_ms, images, imagesRetrying, marking, accountsMissing, accounts } = backlog;
  return {
    due,
    oldest_due_seconds: seconds(oldestDue_ms),
    images,
    images_retrying: imagesRetrying,
    marking,
    accounts_missing: accountsMissing,
    accounts: accounts.map((account) => ({
      merchant: merchantJson(account.merchant),
      environment: account.environment,
      due: account.due,
      oldest_due_seconds: seconds(account.oldestDue_ms),
      images: account.images,
      marking: account.isMarking,
    })),
  };
}

function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}
