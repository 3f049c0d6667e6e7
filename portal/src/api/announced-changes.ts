/**
 * Queries for announced changes. Operators see all that apply at a date, and those that were applied or cancelled. Merchants see how many of
 * their offers would fail under each.
 */
import { queryOptions } from '@tanstack/react-query';
import { api, ask } from './client.ts';
import type { components } from './schema.d.ts';
import type { Environment } from './session.ts';

export type Announced = components['schemas']['ListAnnouncedChangesAnswer']['changes'][number];

const REFRESH_MS = 15_000;

export const announcedQuery = queryOptions({
  queryKey: ['announced-changes'],
  queryFn: () => ask(api.GET('/announced-changes')),
  refetchInterval: REFRESH_MS,
});

export const upcomingQuery = (environment: Environment) =>
  queryOptions({
    queryKey: ['upcoming', environment],
    queryFn: () => ask(api.GET('/{environment}/requirements/upcoming', { params: { path: { environment } } })),
  });
