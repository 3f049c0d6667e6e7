/** Searches the offers of all merchants, and re-checks them; for operators. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { SubStatus } from '#domain/vocabulary/statuses.ts';
import { api, ask } from './client.ts';
import { readOfferFilters } from './offer-filters.ts';
import { isOnePage } from './pages.ts';
import type { components } from './schema.d.ts';
import type { Environment } from './session.ts';

export type SearchPage = components['schemas']['SearchOffersAnswer'];
export type FoundOffer = SearchPage['offers'][number];

export interface SearchFilters {
  readonly q?: string;
  readonly merchant?: string;
  readonly environment?: Environment;
  readonly status?: string;
  readonly sub_status?: SubStatus;
}

/** Ignores invalid parameters, as the merchants' list does. */
export function readSearchFilters(search: Readonly<Record<string, unknown>>): SearchFilters {
  const { q, status, sub_status } = readOfferFilters(search);
  const { merchant, environment } = search;
  return {
    ...(q === undefined ? {} : { q }),
    ...(typeof merchant === 'string' && merchant !== '' ? { merchant } : {}),
    ...(environment === 'test' || environment === 'live' ? { environment } : {}),
    ...(status === undefined ? {} : { status }),
    ...(sub_status === undefined ? {} : { sub_status }),
  };
}

export const merchantsQuery = queryOptions({
  queryKey: ['merchants'],
  queryFn: () => ask(api.GET('/merchants')),
});

export const searchQuery = (filters: SearchFilters) =>
  infiniteQueryOptions({
    queryKey: ['all-offers', filters],
    queryFn: ({ pageParam, signal }) => {
      const query = pageParam === undefined ? filters : { ...filters, after: pageParam };
      return ask(api.GET('/offers', { params: { query }, signal }));
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchOnWindowFocus: isOnePage,
  });

/** Exact matches come first, and only once. */
export function foundOffers(pages: readonly SearchPage[]): readonly FoundOffer[] {
  const all = pages.flatMap(({ exact, offers }) => [...exact, ...offers]);
  return [...new Map(all.map((offer) => [keyOf(offer), offer])).values()];
}

export function keyOf({ merchant, environment, sku }: FoundOffer): string {
  return `${merchant.id} ${environment} ${sku}`;
}

/** Re-checks one offer if a SKU is given, otherwise all that match. */
export function recheckOffers(filters: SearchFilters & { readonly sku?: string }): Promise<unknown> {
  return ask(api.POST('/offers/recheck', { params: { query: filters } }));
}

const VIEWED_FROM = 'viewed-from';

/** Returns the page that the operator left to view a merchant in this tab. */
export function viewedFrom(merchantId: string): string {
  return sessionStorage.getItem(VIEWED_FROM) ?? new URL(`operator/merchants/${merchantId}`, document.baseURI).href;
}

/** Opens a page of the merchant, read-only. Reloads the application, because everything on this page belongs to the operator. */
export async function viewAsMerchant(merchantId: string, path = ''): Promise<void> {
  await ask(api.POST('/merchants/{merchant_id}/view', { params: { path: { merchant_id: merchantId } } }));
  sessionStorage.setItem(VIEWED_FROM, window.location.href);
  window.location.assign(new URL(path, document.baseURI));
}
