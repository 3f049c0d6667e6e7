/** Reads the history of an offer, restores versions of its parts, and archives and unarchives it. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, ask } from './client.ts';
import { type OfferKey, pathOf } from './offer.ts';
import { isOnePage } from './pages.ts';
import type { components } from './schema.d.ts';

export type Change = components['schemas']['GetHistoryAnswer']['changes'][number];
type StockChange = Extract<Change, { part: 'inventory' }>;

const CHANGES_PER_PAGE = 20;

const keyOf = ({ environment, sku }: OfferKey) => ['offers', environment, 'offer', sku, 'history'] as const;

export const historyQuery = (key: OfferKey) =>
  infiniteQueryOptions({
    queryKey: keyOf(key),
    queryFn: ({ pageParam }) => readPage(key, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchOnWindowFocus: isOnePage,
  });

function readPage(key: OfferKey, after?: string) {
  const query = { limit: CHANGES_PER_PAGE, ...(after === undefined ? {} : { after }) };
  const params = { path: pathOf(key), query };
  return ask(api.GET('/{environment}/merchant-skus/{user_defined_sku_id}/history', { params }));
}

/** Sets the part back to its value before the change. */
export function restoreChange(key: OfferKey, change: number): Promise<unknown> {
  const params = { path: { ...pathOf(key), change_id: String(change) } };
  return ask(api.POST('/{environment}/merchant-skus/{user_defined_sku_id}/history/{change_id}/restore', { params }));
}

export function setArchived(key: OfferKey, is_archived: boolean): Promise<unknown> {
  return ask(
    api.PUT('/{environment}/merchant-skus/{user_defined_sku_id}/status/archive', {
      params: { path: pathOf(key) },
      body: { is_archived },
    }),
  );
}

/** The stock before archiving set it to 0. */
export interface ArchivedStock {
  /** The change to restore. */
  readonly id: number;
  readonly quantities: readonly (readonly [node: string, quantity: number])[];
}

export const archivedStockQuery = (key: OfferKey) =>
  queryOptions({
    queryKey: [...keyOf(key), 'archived-stock'],
    queryFn: () => findArchivedStock(key),
  });

/** Returns null if there was no stock, or it is not in the history. Reads the newest page only, because archived offers are not edited. */
export async function findArchivedStock(key: OfferKey): Promise<ArchivedStock | null> {
  const { changes } = await readPage(key);
  const archive = changes.find(({ part }) => part === 'archive');
  if (archive?.part !== 'archive' || archive.after?.is_archived !== true) return null;
  // The same write sets the archive flag and the stock.
  const zeroed = changes.find(
    (change): change is StockChange =>
      change.part === 'inventory' && change.at === archive.at && change.by.name === archive.by.name,
  );
  return zeroed === undefined ? null : { id: zeroed.id, quantities: Object.entries(zeroed.before ?? {}) };
}
