/** Reads the offer list page by page, and archives offers. */
import { infiniteQueryOptions } from '@tanstack/react-query';
import { api, ask } from './client.ts';
import type { OfferFilters } from './offer-filters.ts';
import { isOnePage } from './pages.ts';
import type { components } from './schema.d.ts';
import type { Environment } from './session.ts';

export type OfferPage = components['schemas']['ListOffersAnswer'];
export type ListedOffer = OfferPage['offers'][number];
export type ArchivedOffers = components['schemas']['ArchiveOffersAnswer'];

const OFFERS_PER_PAGE = 50;

export const offersQuery = (environment: Environment, filters: OfferFilters) =>
  infiniteQueryOptions({
    queryKey: ['offers', environment, 'list', filters],
    queryFn: ({ pageParam, signal }) => readPage(environment, filters, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchOnWindowFocus: isOnePage,
  });

/**
 * With a filter that few offers match, the server returns a partial and possibly empty page. Requests continue until a page
 * has offers or the list ends.
 */
async function readPage(
  environment: Environment,
  filters: OfferFilters,
  from: string | undefined,
  signal: AbortSignal,
): Promise<OfferPage> {
  let after = from;
  for (;;) {
    const query = { ...filters, ...(after === undefined ? {} : { after }), limit: OFFERS_PER_PAGE };
    const page = await ask(api.GET('/{environment}/offers', { params: { path: { environment }, query }, signal }));
    if (page.offers.length > 0 || page.next === null) return page;
    after = page.next;
  }
}

export function archiveOffers(
  environment: Environment,
  skus: readonly string[],
  archived: boolean,
): Promise<ArchivedOffers> {
  const body = { skus: [...skus], archived };
  return ask(api.POST('/{environment}/offers/archive', { params: { path: { environment } }, body }));
}
