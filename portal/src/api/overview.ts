/** Queries for an environment's overview. */
import { queryOptions } from '@tanstack/react-query';
import { api, ask } from './client.ts';
import type { components } from './schema.d.ts';
import type { Environment } from './session.ts';

export type Overview = components['schemas']['GetOverviewAnswer'];

export const overviewQuery = (environment: Environment) =>
  queryOptions({
    queryKey: ['overview', environment],
    queryFn: () => ask(api.GET('/{environment}/overview', { params: { path: { environment } } })),
  });

export const heldBackQuery = (environment: Environment) =>
  queryOptions({
    queryKey: ['overview', environment, 'held-back'],
    queryFn: ({ signal }) =>
      ask(api.GET('/{environment}/overview/held-back', { params: { path: { environment } }, signal })),
  });
