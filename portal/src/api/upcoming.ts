/** Queries for announced changes of requirements, and for the offers that would fail by them. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, ask } from './client.ts';
import { isOnePage } from './pages.ts';
import type { components } from './schema.d.ts';
import type { Environment } from './session.ts';

export type UpcomingChange = components['schemas']['ListUpcomingRequirementsAnswer']['changes'][number];

export const upcomingQuery = (environment: Environment) =>
  queryOptions({
    queryKey: ['upcoming', environment],
    queryFn: () => ask(api.GET('/{environment}/requirements/upcoming', { params: { path: { environment } } })),
  });

export const upcomingOffersQuery = (environment: Environment, changeId: number) =>
  infiniteQueryOptions({
    queryKey: ['upcoming', environment, changeId],
    queryFn: ({ pageParam, signal }) =>
      ask(
        api.GET('/{environment}/requirements/upcoming/{requirement_id}/offers', {
          params: {
            path: { environment, requirement_id: String(changeId) },
            query: pageParam === undefined ? {} : { after: pageParam },
          },
          signal,
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchOnWindowFocus: isOnePage,
  });
