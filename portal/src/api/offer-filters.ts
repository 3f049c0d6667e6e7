/** Reads the filters, sort order and page of the offer list from the page's URL. */
import { OFFER_SORTS, type OfferSort } from '#domain/vocabulary/offer-sorts.ts';
import { SUB_STATUSES, type SubStatus } from '#domain/vocabulary/statuses.ts';

export interface OfferFilters {
  readonly q?: string;
  readonly status?: string;
  readonly sub_status?: SubStatus;
  readonly category?: string;
  readonly stock?: 'in' | 'out';
  readonly archived?: 'yes' | 'no';
  /** Id of an announced change, or `yes` for all. */
  readonly upcoming?: string;
  readonly sort?: OfferSort;
}

/** `after` is the cursor where the page begins, and `page` is its number. Both are absent on the first page. */
export interface OfferListSearch extends OfferFilters {
  readonly after?: string;
  readonly page?: number;
}

/** Ignores invalid parameters, so that an old or mistyped URL still shows the list. */
export function readOfferFilters(search: Readonly<Record<string, unknown>>): OfferListSearch {
  const { q, status, sub_status, category, stock, archived, upcoming, sort, after, page } = search;
  return {
    ...(isText(q) ? { q: String(q) } : {}),
    ...(isText(status) ? { status: String(status) } : {}),
    ...(SUB_STATUSES.includes(sub_status as SubStatus) ? { sub_status: sub_status as SubStatus } : {}),
    ...(isText(category) ? { category: String(category) } : {}),
    ...(stock === 'in' || stock === 'out' ? { stock } : {}),
    ...(archived === 'yes' || archived === 'no' ? { archived } : {}),
    ...(isText(upcoming) ? { upcoming: String(upcoming) } : {}),
    ...(OFFER_SORTS.includes(sort as OfferSort) ? { sort: sort as OfferSort } : {}),
    ...(isText(after) && Number.isSafeInteger(page) ? { after: String(after), page: page as number } : {}),
  };
}

/** Returns the filters and sort order without the position of the page. */
export function filtersOf({ after: _after, page: _page, ...filters }: OfferListSearch): OfferFilters {
  return filters;
}

/** Returns true for numbers too, because the router parses all-digit values as numbers. */
export function isText(value: unknown): boolean {
  return (typeof value === 'string' && value !== '') || typeof value === 'number';
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The page of offers opens this change for all offers. */
    readonly change?: 'price' | 'stock' | 'archive' | 'unarchive';
    /** The list from which the offer was opened, for the link back. */
    readonly listed?: OfferListSearch;
    /** The `after` values of the previous pages, '' for the first page. Missing if the page was opened by its URL. */
    readonly pagesBefore?: readonly string[];
    /** How many offers come before this page and each page before it. Missing if the page was opened by its URL. */
    readonly offersBefore?: readonly number[];
  }
}
