/** GET /offers, POST /offers/recheck and GET /review-backlog: the offers of all merchants, for operators. */
import { ENVIRONMENTS, type Environment } from '../../domain/account.ts';
import { OneOf } from '../../domain/check/schema.ts';
import { type Static, Type } from '../../domain/check/type.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Names } from '../../domain/names.ts';
import type { OfferFilter } from '../../domain/offers/offer-list.ts';
import { requestProblem } from '../../domain/problem.ts';
import { hasForbiddenCharacter } from '../../domain/text/text-rules.ts';
import { chooseAccounts } from '../../operations/portal/chosen-accounts.ts';
import { type Backlog, readBacklog } from '../../operations/portal/read-backlog.ts';
import {
  type FoundOffer,
  type SearchPosition,
  type SearchRequest,
  searchOffers,
} from '../../operations/portal/search-offers.ts';
import { recheckOffers, requestReview } from '../../operations/request-review.ts';
import { acceptedAnswer, foundAnswer } from '../answers/answers.ts';
import { type ActWords, endpointsOf, type PersonCall } from '../endpoint.ts';
import { limitParameter, parameterShown, type QueryReading, readQuery } from '../query.ts';
import { Count, OrNull, seconds } from './answer-schemas.ts';
import { cursorOf, type FilterContext, isOrder, LIMIT, partsOfCursor, readFilter } from './offer-query.ts';
import { FILTERS, ListedOffer, offerJson } from './offers.ts';

const MerchantOfOffer = Type.Object(
  {
    id: Type.String({ description: 'Merchant id.' }),
    name: Type.String({ description: 'Name for people.' }),
    suspended: Type.Boolean({
      description: 'If true, no offer of the merchant is for sale, whatever its status says.',
    }),
  },
  { description: 'The merchant of the account.' },
);

const EnvironmentOfOffer = OneOf(ENVIRONMENTS, { description: 'Environment of the account.' });

const Found = (names: Names) =>
  Type.Object({
    merchant: MerchantOfOffer,
    environment: EnvironmentOfOffer,
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
  due: Count('Offers due for review; above 100,000 per account, the count may be 1 % low.'),
  oldest_due_seconds: Count('How long the oldest of these offers has been due. 0 if there is none.'),
  images: Count('Images waiting to be fetched.'),
  images_retrying: Count('Waiting images whose download failed and is retried.'),
  marking: Count('Accounts with offers that are being marked as due, after a rule change or for a re-check.'),
  accounts_missing: Count('Accounts that are not counted because their database node does not respond.'),
  accounts: Type.Array(
    Type.Object({
      merchant: MerchantOfOffer,
      environment: EnvironmentOfOffer,
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

const shared = { access: 'person', roles: ['operator'], tag: 'Offers', unhurried: true } as const;

export const operatorOffersEndpoints = endpointsOf(shared, {
  'GET /offers': {
    id: 'searchOffers',
    summary: 'Search the offers of all merchants',
    description:
      'Searches merchant by merchant, for at most about a second per page. Continue with `next` to search the others.',
    query: {
      ...CHOICE,
      ...FILTERS,
      after: { description: 'The `next` of the previous page with the same filters.', schema: Type.String() },
      limit: limitParameter(LIMIT),
    },
    answer: SearchAnswer,
    failures: [404],
    async handle({ services, query }) {
      const { names } = services.context;
      const request = readQuery(query, (reading) => readSearch(reading, services.context));
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
    },
  },
  'POST /offers/recheck': {
    id: 'recheckOffers',
    summary: 'Re-review offers: one, or all that match',
    description:
      'With `sku`, `merchant` and `environment`, the images of that offer are fetched again and it is reviewed. Otherwise the ' +
      'offers that match are marked as due in the background and reviewed with the stored results of their images.',
    query: { ...CHOICE, sku: { description: 'SKU id of a single offer.', schema: Type.String() }, ...FILTERS },
    failures: [404],
    act: recheckWords,
    async handle({ services, query }) {
      const asked = readQuery(query, (reading) => {
        return { skuId: readName(reading, 'sku'), request: readSearch(reading, services.context) };
      });
      if ('problems' in asked) return asked;
      const { skuId, request } = asked;
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
    },
  },
  'GET /review-backlog': {
    id: 'readBacklog',
    tag: 'System',
    summary: 'Read the review backlog: offers and waiting times by merchant and environment',
    description: 'A backlog is normal after a large file, a changed policy or another taxonomy.',
    answer: BacklogAnswer,
    async handle({ services }) {
      return { status: 200, json: JSON.stringify(backlogJson(await readBacklog(services.search.store))) };
    },
  },
});

/** The filter as sent, for the activity log. */
function recheckWords({ query }: PersonCall): ActWords {
  const names = ['environment', 'sku', ...Object.keys(FILTERS)];
  const sent = names.map((name) => [name, parameterShown(query, name)] as const).filter(([, value]) => value !== '');
  const detail = sent.map(([name, value]) => `${name}: ${value}`).join(', ');
  return { subject: parameterShown(query, 'merchant') || 'all merchants', detail: detail || 'all offers' };
}

function readSearch(reading: QueryReading, context: FilterContext): SearchRequest {
  const filter = readFilter(reading, context);
  const { words: _words, ...others } = filter;
  const isTextOnly = Object.values(others).every((value) => value === undefined);
  return {
    merchantId: readName(reading, 'merchant'),
    environment: reading.oneOf('environment', ENVIRONMENTS),
    filter,
    text: isTextOnly ? reading.filledText('q')?.trim() : undefined,
    after: readCursor(reading),
    limit: reading.wholeNumber('limit', LIMIT),
  };
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
function searchCursor({ merchantId, environment, position }: SearchPosition): string {
  return cursorOf([merchantId, environment, position?.order ?? null]);
}

function readCursor(reading: QueryReading): SearchPosition | undefined {
  const text = reading.filledText('after');
  if (text === undefined) return undefined;
  const position = parseCursor(text);
  return position ?? reading.refuse('after: must be the `next` value of a page.');
}

function parseCursor(text: string): SearchPosition | undefined {
  const [merchantId, environment, order] = partsOfCursor(text);
  if (typeof merchantId !== 'string' || hasForbiddenCharacter(merchantId)) return undefined;
  if (!ENVIRONMENTS.includes(environment as Environment)) return undefined;
  if (order !== null && !isOrder(order)) return undefined;
  const position = order === null ? undefined : { key: '', order };
  return { merchantId, environment: environment as Environment, position };
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
