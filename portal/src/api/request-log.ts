/** Reads the request log and single requests, and the tab and filters of the Developers page from the URL. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { REQUEST_RESULTS, type RequestResult } from '#domain/vocabulary/request-results.ts';
import { api, ask } from './client.ts';
import { isOnePage } from './pages.ts';
import type { components } from './schema.d.ts';
import type { Environment } from './session.ts';

export type LoggedRequest = components['schemas']['ListRequestsAnswer']['requests'][number];

export const DEVELOPER_TABS = ['keys', 'requests', 'webhooks'] as const;

export type DeveloperTab = (typeof DEVELOPER_TABS)[number];

export interface RequestFilters {
  /** A SKU or a request ID. */
  readonly q?: string;
  readonly status?: RequestResult;
  readonly call?: string;
  readonly code?: string;
  readonly key?: string;
}

export interface DeveloperPlace extends RequestFilters {
  /** The open tab; absent for the first one. */
  readonly tab?: DeveloperTab;
  /** The webhook whose deliveries are shown. */
  readonly webhook?: string;
}

/** Ignores invalid parameters. Only the request log has filters. */
export function readDeveloperPlace({ tab, status, webhook, ...search }: Record<string, unknown>): DeveloperPlace {
  if (tab === 'webhooks') return { tab, ...(typeof webhook === 'string' ? { webhook } : {}) };
  if (tab !== 'requests') return {};
  const texts = (['q', 'call', 'code', 'key'] as const).flatMap((name) => {
    const value = search[name];
    // The router parses all-digit values as numbers.
    return (typeof value === 'string' && value !== '') || typeof value === 'number' ? [[name, String(value)]] : [];
  });
  return {
    tab,
    ...Object.fromEntries(texts),
    ...(REQUEST_RESULTS.includes(status as RequestResult) ? { status: status as RequestResult } : {}),
  };
}

/** Reads a request by its ID, and whether the log keeps bodies; undefined if the request is not in the log, or no longer is. */
export const requestQuery = (environment: Environment, id: string) =>
  queryOptions({
    queryKey: ['requests', environment, 'one', id],
    queryFn: async () => {
      const query = { q: id, limit: 200 };
      const log = await ask(api.GET('/{environment}/requests', { params: { path: { environment }, query } }));
      return { request: log.requests.find((one) => one.id === id), log };
    },
  });

/** Path and query of a request. Those of a successful one are not stored, but follow from its call. */
export function urlOf({ url, call, sku }: Pick<LoggedRequest, 'url' | 'call' | 'sku'>): string {
  const [, pattern = ''] = call.split(' ');
  return url ?? (sku === null ? pattern : pattern.replace('{user_defined_sku_id}', encodeURIComponent(sku)));
}

export const requestLogQuery = (environment: Environment, filters: RequestFilters) =>
  infiniteQueryOptions({
    queryKey: ['requests', environment, filters],
    queryFn: ({ pageParam }) =>
      ask(
        api.GET('/{environment}/requests', {
          params: {
            path: { environment },
            query: { ...filters, ...(pageParam !== undefined && { after: pageParam }) },
          },
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchOnWindowFocus: isOnePage,
  });
