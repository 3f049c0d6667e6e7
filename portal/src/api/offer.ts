/** Queries for the parts of one offer; each part uses the same call as API clients. */
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { api, ask, askVersioned, type Versioned } from './client.ts';
import type { components } from './schema.d.ts';
import type { Environment } from './session.ts';

export interface OfferKey {
  readonly environment: Environment;
  readonly sku: string;
}

type Schemas = components['schemas'];
export type Offer = Versioned<Schemas['Sku']>;
export type Price = Versioned<Schemas['GetPriceAnswer']>;
export type Inventory = Versioned<Schemas['GetInventoryAnswer']>;
export type Group = Versioned<Schemas['GetVariationAnswer']>;
export type ShippingExceptions = Versioned<Schemas['GetShippingExceptionAnswer']>;
export type ReturnsExceptions = Versioned<Schemas['GetReturnsExceptionAnswer']>;
type SetPart = Schemas['ReadSetPartsAnswer']['parts'][number];
export type Review = Schemas['GetReviewAnswer'];
export type ReviewCheck = Review['checks'][number];
export type Fix = NonNullable<ReviewCheck['fixes']>[number];
export type UpcomingCheck = Review['upcoming'][number];

/** Polling interval while checks are pending. */
const PENDING_MS = 2000;

export const pathOf = ({ environment, sku }: OfferKey) => ({ environment, user_defined_sku_id: sku });

const SKU = '/{environment}/merchant-skus/{user_defined_sku_id}';

export const offerQuery = (key: OfferKey) =>
  queryOptions({
    queryKey: [...keyOf(key), 'data'],
    queryFn: () => askVersioned(api.GET(SKU, { params: { path: pathOf(key) } })),
  });

export const reviewQuery = (key: OfferKey) =>
  queryOptions({
    queryKey: [...keyOf(key), 'review'],
    queryFn: () => ask(api.GET(`${SKU}/review`, { params: { path: pathOf(key) } })),
    refetchInterval: ({ state }) =>
      state.data?.checks.some((check) => check.state === 'pending') ? PENDING_MS : false,
  });

/** Changes the data of the offer, unless it has changed since the fixes were read. */
export function applyFixes(key: OfferKey, fixes: readonly Fix[]) {
  const body = { fixes: fixes.map(({ id }) => id) };
  return ask(api.POST(`${SKU}/review/fixes`, { params: { path: pathOf(key) }, body }));
}

/** The call exists only while the storefront is on. */
export const positionQuery = (key: OfferKey) =>
  queryOptions({
    queryKey: [...keyOf(key), 'position'],
    queryFn: () => ask(api.GET(`${SKU}/position`, { params: { path: pathOf(key) } })),
  });

/** Reads which optional parts are set. */
const setPartsQuery = (key: OfferKey) =>
  queryOptions({
    queryKey: [...keyOf(key), 'set-parts'],
    queryFn: () => ask(api.GET('/{environment}/offers/{user_defined_sku_id}/parts', { params: { path: pathOf(key) } })),
    // This is read again before each part is read. Reads at the same time share the response.
    staleTime: 0,
  });

/** Returns null if the part was never set. Browsers log a 404 as an error, so such a part is not read. */
const partQuery = <T>(key: OfferKey, part: SetPart, read: () => Promise<T>) =>
  queryOptions({
    queryKey: [...keyOf(key), part],
    queryFn: async ({ client }): Promise<T | null> => {
      const { parts } = await client.fetchQuery(setPartsQuery(key));
      return parts.includes(part) ? read() : null;
    },
  });

export const priceQuery = (key: OfferKey) =>
  partQuery(key, 'price', () => askVersioned(api.GET(`${SKU}/price`, { params: { path: pathOf(key) } })));

export const groupQuery = (key: OfferKey) =>
  partQuery(key, 'variation', () => askVersioned(api.GET(`${SKU}/variation`, { params: { path: pathOf(key) } })));

export const shippingExceptionsQuery = (key: OfferKey) =>
  partQuery(key, 'shipping_exception', () =>
    askVersioned(api.GET(`${SKU}/shippingexception`, { params: { path: pathOf(key) } })),
  );

export const returnsExceptionsQuery = (key: OfferKey) =>
  partQuery(key, 'returns_exception', () =>
    askVersioned(api.GET(`${SKU}/returnsexception`, { params: { path: pathOf(key) } })),
  );

export const inventoryQuery = (key: OfferKey) =>
  queryOptions({
    queryKey: [...keyOf(key), 'inventory'],
    queryFn: () => askVersioned(api.GET(`${SKU}/inventory`, { params: { path: pathOf(key) } })),
  });

/** The parent of the group that has this offer as a child. */
export const groupOfQuery = (key: OfferKey) =>
  queryOptions({
    queryKey: [...keyOf(key), 'group-of'],
    queryFn: () => ask(api.GET('/{environment}/offers/{user_defined_sku_id}/group', { params: { path: pathOf(key) } })),
  });

/** Reloads all parts after a change, because review and history change with each of them. */
export async function refreshOffer(queryClient: QueryClient, key: OfferKey): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: ['offers', key.environment] });
}

function keyOf({ environment, sku }: OfferKey) {
  return ['offers', environment, 'offer', sku] as const;
}
