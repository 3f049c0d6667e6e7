/** Query for announced changes of requirements, with the number of offers that would fail by each. */
import { queryOptions } from '@tanstack/react-query';
import { api, ask } from './client.ts';
import type { Environment } from './session.ts';

export const upcomingQuery = (environment: Environment) =>
  queryOptions({
    queryKey: ['upcoming', environment],
    queryFn: () => ask(api.GET('/{environment}/requirements/upcoming', { params: { path: { environment } } })),
  });
