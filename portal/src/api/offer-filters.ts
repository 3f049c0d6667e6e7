/** Reads the filters and sort order of the offer list from the page's URL. */
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

/** Ignores invalid parameters, so that an old or mistyped URL still shows the list. */
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

/** The router parses all-digit values as numbers. */
function isText(value: unknown): boolean {
  return (typeof value === 'string' && value !== '') || typeof value === 'number';
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Filters of the list from which the offer was opened, for the link back. */
    readonly listed?: OfferFilters;
  }
}
