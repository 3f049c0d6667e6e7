/** In charge of what the list of offers shows, as it stands in the address of the page. */
import { SUB_STATUSES, type SubStatus } from '../../../src/domain/vocabulary/statuses.ts';

export interface OfferFilters {
  readonly q?: string;
  readonly status?: string;
  readonly sub_status?: SubStatus;
  readonly category?: string;
  readonly stock?: 'in' | 'out';
  readonly archived?: 'yes' | 'no';
  readonly sort?: OfferSort;
}

export const OFFER_SORTS = Object.freeze(['newest', 'oldest', 'sku', '-sku', 'title', '-title'] as const);
export type OfferSort = (typeof OFFER_SORTS)[number];

/** What is not known is left out, so that an old or mistyped address still shows the list. */
export function readOfferFilters(search: Readonly<Record<string, unknown>>): OfferFilters {
  const { q, status, sub_status, category, stock, archived, sort } = search;
  return {
    ...(isText(q) ? { q: String(q) } : {}),
    ...(isText(status) ? { status: String(status) } : {}),
    ...(SUB_STATUSES.includes(sub_status as SubStatus) ? { sub_status: sub_status as SubStatus } : {}),
    ...(isText(category) ? { category: String(category) } : {}),
    ...(stock === 'in' || stock === 'out' ? { stock } : {}),
    ...(archived === 'yes' || archived === 'no' ? { archived } : {}),
    ...(OFFER_SORTS.includes(sort as OfferSort) ? { sort: sort as OfferSort } : {}),
  };
}

/** Words that look like numbers come out of the address as numbers. */
function isText(value: unknown): boolean {
  return (typeof value === 'string' && value !== '') || typeof value === 'number';
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Of the list from which an offer was opened: the way back leads to the same list. */
    readonly listed?: OfferFilters;
  }
}
