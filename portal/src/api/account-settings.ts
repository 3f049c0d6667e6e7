/** Queries for a merchant's account settings. */
import { queryOptions } from '@tanstack/react-query';
import { api, ask, askVersioned, type Versioned } from './client.ts';
import type { components } from './schema.d.ts';
import type { Environment } from './session.ts';

export type Merchant = Versioned<components['schemas']['GetMerchantAnswer']>;
export type FulfillmentNode = components['schemas']['FulfillmentNode'];

export const nodesQuery = (environment: Environment) =>
  queryOptions({
    queryKey: ['nodes', environment],
    queryFn: () => ask(api.GET('/{environment}/fulfillment-nodes', { params: { path: { environment } } })),
  });

export const nodeQuery = (environment: Environment, node_id: string) =>
  queryOptions({
    queryKey: ['nodes', environment, node_id],
    queryFn: () =>
      askVersioned(api.GET('/{environment}/nodes/{node_id}', { params: { path: { environment, node_id } } })),
  });

export const returnLocationsQuery = (environment: Environment) =>
  queryOptions({
    queryKey: ['return-locations', environment],
    queryFn: () => ask(api.GET('/{environment}/setup/returnsLocations', { params: { path: { environment } } })),
  });

export const merchantQuery = queryOptions({
  queryKey: ['merchant'],
  queryFn: () => askVersioned(api.GET('/merchant')),
});
