/** Query for the rule changes that apply at a date, and those that were applied or cancelled. */
import { queryOptions } from '@tanstack/react-query';
import { api, ask } from './client.ts';
import type { components } from './schema.d.ts';

export type Announced = components['schemas']['ListAnnouncedChangesAnswer']['changes'][number];

const REFRESH_MS = 15_000;

export const announcedQuery = queryOptions({
  queryKey: ['announced-changes'],
  queryFn: () => ask(api.GET('/announced-changes')),
  refetchInterval: REFRESH_MS,
});
