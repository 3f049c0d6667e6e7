/** Reads a merchant's account settings; reads and changes API keys, of the merchant or of the marketplace. */
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

export type Key = components['schemas']['ListKeysAnswer']['keys'][number];
export type Scope = Key['scopes'][number];

type Limits = Omit<components['schemas']['AddKeyBody'], 'name' | 'scopes'>;
type MerchantScopes = NonNullable<components['schemas']['AddKeyBody']['scopes']>;
type MarketplaceScopes = components['schemas']['AddMarketplaceKeyBody']['scopes'];

const path = (environment: Environment) => ({ params: { path: { environment } } });
const pathOfKey = (environment: Environment, key_id: string) => ({ params: { path: { environment, key_id } } });

export const MERCHANT_KEYS = {
  owner: 'merchant',
  list: (environment: Environment) => ask(api.GET('/{environment}/keys', path(environment))),
  add: (environment: Environment, { name, scopes, ...limits }: SentKey) => {
    const filled: Limits = Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== ''));
    const body = { name, scopes: scopes as MerchantScopes, ...filled };
    return ask(api.POST('/{environment}/keys', { ...path(environment), body }));
  },
  roll: (environment: Environment, key: string, overlap_hours: number) =>
    ask(api.POST('/{environment}/keys/{key_id}/roll', { ...pathOfKey(environment, key), body: { overlap_hours } })),
  revoke: (environment: Environment, key: string) =>
    ask(api.DELETE('/{environment}/keys/{key_id}', pathOfKey(environment, key))),
} as const;

export const MARKETPLACE_KEYS = {
  owner: 'marketplace',
  list: (environment: Environment) => ask(api.GET('/{environment}/marketplace-keys', path(environment))),
  add: (environment: Environment, { name, scopes }: SentKey) => {
    const body = { name, scopes: scopes as MarketplaceScopes };
    return ask(api.POST('/{environment}/marketplace-keys', { ...path(environment), body }));
  },
  roll: (environment: Environment, key: string, overlap_hours: number) =>
    ask(
      api.POST('/{environment}/marketplace-keys/{key_id}/roll', {
        ...pathOfKey(environment, key),
        body: { overlap_hours },
      }),
    ),
  revoke: (environment: Environment, key: string) =>
    ask(api.DELETE('/{environment}/marketplace-keys/{key_id}', pathOfKey(environment, key))),
} as const;

export type KeyCalls = typeof MERCHANT_KEYS | typeof MARKETPLACE_KEYS;

export const keysQuery = (calls: KeyCalls, environment: Environment) =>
  queryOptions({ queryKey: ['keys', calls.owner, environment], queryFn: () => calls.list(environment) });

/** A key as a form has it. Its limits are '' if it has none. */
export interface SentKey {
  readonly name: string;
  readonly scopes: Scope[];
  readonly sku_prefix: string;
  readonly plan_offers_max: number | string;
  readonly plan_price_percent_max: number | string;
  readonly plan_hours: string;
}
