/** Reads and counts the offers of a list, exports them, and changes many at once. */
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import { LIMITS } from '#domain/limits.ts';
import type { SheetType } from '#domain/vocabulary/file-types.ts';
import { API_URL, api, ask } from './client.ts';
import type { OfferFilters, OfferListSearch } from './offer-filters.ts';
import type { components } from './schema.d.ts';
import type { Environment } from './session.ts';
import { nearestText, wordsIn } from './spelling.ts';

export type OfferPage = components['schemas']['ListOffersAnswer'];
export type ListedOffer = OfferPage['offers'][number];
export type OfferTotal = components['schemas']['CountOffersAnswer'];
export type OffersChange = components['schemas']['ChangeOffersBody'];
export type ChangePreview = components['schemas']['PreviewOffersChangeAnswer'];
export type OffersCopy = components['schemas']['CopyOffersBody'];
export type CopyPreview = components['schemas']['PreviewOffersCopyAnswer'];
export type CopiedOffers = components['schemas']['CopyOffersAnswer'];
export type ChangedOffers = components['schemas']['ChangeOffersAnswer'];

const OFFERS_PER_PAGE = 50;

export const offersQuery = (environment: Environment, search: OfferListSearch) =>
  queryOptions({
    queryKey: ['offers', environment, 'list', search],
    queryFn: ({ signal }) => readPage(environment, search, signal),
    placeholderData: keepPreviousData,
  });

export const offerTotalQuery = (environment: Environment, { sort: _sort, ...filters }: OfferFilters) =>
  queryOptions({
    queryKey: ['offers', environment, 'count', filters],
    queryFn: ({ signal }) =>
      ask(api.GET('/{environment}/offers/count', { params: { path: { environment }, query: filters }, signal })),
  });

/**
 * With a filter that few offers match, the server returns a partial and possibly empty page. Requests continue until a page
 * has offers or the list ends.
 */
async function readPage(environment: Environment, search: OfferListSearch, signal: AbortSignal): Promise<OfferPage> {
  const { page: _page, ...from } = search;
  let query = { ...from, limit: OFFERS_PER_PAGE };
  for (;;) {
    const page = await ask(api.GET('/{environment}/offers', { params: { path: { environment }, query }, signal }));
    if (page.offers.length > 0 || page.next === null) return page;
    query = { ...query, after: page.next };
  }
}

/** Shows a saved value in the lists without reading them again. */
export function showInLists(
  queryClient: QueryClient,
  environment: Environment,
  sku: string,
  row: Partial<Pick<ListedOffer, 'price' | 'quantity'>>,
): void {
  queryClient.setQueriesData<OfferPage>(
    { queryKey: ['offers', environment, 'list'] },
    (page) =>
      page && { ...page, offers: page.offers.map((offer) => (offer.sku === sku ? { ...offer, ...row } : offer)) },
  );
}

/** Returns the URL of a CSV file: a sheet that can be uploaded again, or the list if `type` is undefined. */
export function exportUrl(environment: Environment, filters: OfferFilters, type: SheetType | undefined): string {
  const query = new URLSearchParams({ ...filters, ...(type && { file_type: type }) });
  return `${API_URL}/${environment}/offers/export?${query}`;
}

/** Changes the offers that match, unless the change names SKUs. */
export function changeOffers(
  environment: Environment,
  { sort: _sort, ...filters }: OfferFilters,
  change: OffersChange,
): Promise<ChangedOffers> {
  const params = { path: { environment }, query: filters };
  return ask(api.POST('/{environment}/offers/change', { params, body: change }));
}

/** Copies offers of the test environment that match, unless the copy names SKUs. */
export function copyToLive({ sort: _sort, ...filters }: OfferFilters, copy: OffersCopy): Promise<CopiedOffers> {
  const params = { path: { environment: 'live' as const }, query: filters };
  return ask(api.POST('/{environment}/offers/copy', { params, body: copy }));
}

export const copyPreviewQuery = ({ sort: _sort, ...filters }: OfferFilters, copy: OffersCopy) =>
  queryOptions({
    queryKey: ['copy-preview', filters, copy],
    queryFn: ({ signal }) => {
      const params = { path: { environment: 'live' as const }, query: filters };
      return ask(api.POST('/{environment}/offers/copy/preview', { params, body: copy, signal }));
    },
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

/** What the change would do. Read once, because the figures must not change while the user checks them. */
export const changePreviewQuery = (
  environment: Environment,
  { sort: _sort, ...filters }: OfferFilters,
  change: OffersChange,
) =>
  queryOptions({
    queryKey: ['change-preview', environment, filters, change],
    queryFn: ({ signal }) => {
      const params = { path: { environment }, query: filters };
      return ask(api.POST('/{environment}/offers/change/preview', { params, body: change, signal }));
    },
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

type FixPage = components['schemas']['ListFixesAnswer'];
export type FixableOffer = FixPage['offers'][number];

const FIXES_PER_PAGE = 100;

/** The fixes of the offers that match. Read once, because the list must not change while the user chooses. */
export const fixesQuery = (environment: Environment, { sort: _sort, ...filters }: OfferFilters) =>
  queryOptions({
    queryKey: ['fixes', environment, filters],
    queryFn: async ({ signal }) => {
      const offers: FixableOffer[] = [];
      let examined = 0;
      let query: typeof filters & { limit: number; after?: string } = { ...filters, limit: FIXES_PER_PAGE };
      for (;;) {
        const params = { path: { environment }, query };
        const page = await ask(api.GET('/{environment}/offers/fixes', { params, signal }));
        offers.push(...page.offers);
        examined += page.examined;
        const isMore = page.next !== null;
        if (page.next === null || offers.length >= LIMITS.offers_fixed_max || examined >= LIMITS.fixes_examined_max) {
          return { offers: offers.slice(0, LIMITS.offers_fixed_max), examined, isMore };
        }
        query = { ...query, after: page.next };
      }
    },
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

/** Applies the chosen fixes with one bulk file. */
export function fixOffers(environment: Environment, chosen: readonly FixableOffer[]): Promise<ChangedOffers> {
  const offers = chosen.map(({ sku, fixes }) => ({ sku, fixes: fixes.map(({ id }) => id) }));
  return ask(api.POST('/{environment}/offers/fixes', { params: { path: { environment } }, body: { offers } }));
}

const SAME_START = 3;

/**
 * Suggests another search text if nothing matches this one. The search matches beginnings of words, so one more search, for the
 * first letters of each word, finds the candidates, at the same cost on every database.
 */
export const suggestionQuery = (environment: Environment, text: string) =>
  queryOptions({
    queryKey: ['offers', environment, 'suggestion', text],
    queryFn: async ({ signal }) => {
      const starts = wordsIn(text).map((word) => word.slice(0, SAME_START));
      const params = { path: { environment }, query: { q: starts.join(' '), limit: OFFERS_PER_PAGE } };
      const { offers } = await ask(api.GET('/{environment}/offers', { params, signal }));
      const titles = offers.map(({ title, brand }) => `${title} ${brand}`);
      return nearestText(text, titles);
    },
    enabled: wordsIn(text).some((word) => word.length > SAME_START),
  });
