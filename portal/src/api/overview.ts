/** Queries for an environment's overview. */
import { queryOptions } from '@tanstack/react-query';
import { STATUSES } from '../../../src/domain/vocabulary/statuses.ts';
import { api, ask } from './client.ts';
import type { components } from './schema.d.ts';
import type { Environment } from './session.ts';

export type Overview = components['schemas']['GetOverviewAnswer'];

export const overviewQuery = (environment: Environment) =>
  queryOptions({
    queryKey: ['overview', environment],
    queryFn: () => ask(api.GET('/{environment}/overview', { params: { path: { environment } } })),
  });

export interface OutOfStock {
  readonly offers: number;
  /** There may be more than were counted. */
  readonly isMore: boolean;
}

const COUNTED_AT_ONCE = 200;
const COUNT_REQUESTS_MAX = 3;

/** Counts offers that passed review but have no stock, by reading the list: the server keeps no count of them. */
export const outOfStockQuery = (environment: Environment) =>
  queryOptions({
    queryKey: ['offers', environment, 'out-of-stock'],
    queryFn: async ({ signal }): Promise<OutOfStock> => {
      let offers = 0;
      let after = '';
      for (let request = 0; request < COUNT_REQUESTS_MAX; request++) {
        const query = {
          status: STATUSES.available,
          stock: 'out',
          limit: COUNTED_AT_ONCE,
          ...(after && { after }),
        } as const;
        const page = await ask(api.GET('/{environment}/offers', { params: { path: { environment }, query }, signal }));
        offers += page.offers.length;
        if (page.next === null) return { offers, isMore: false };
        after = page.next;
      }
      return { offers, isMore: true };
    },
  });
