/** Reads the query of the offer list, and reports every problem with it. */
import { readId } from '../../domain/int64.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Names } from '../../domain/names.ts';
import type { ListPlace, OfferFilter } from '../../domain/offers/offer-list.ts';
import type { Problem } from '../../domain/problem.ts';
import { searchWords } from '../../domain/search-words.ts';
import { OFFER_SORTS } from '../../domain/vocabulary/offer-sorts.ts';
import { STATUSES, type Status, SUB_STATUSES } from '../../domain/vocabulary/statuses.ts';
import type { ListRequest } from '../../operations/portal/list-offers.ts';
import type { OfferListRequest } from '../../store/port/offer-list.ts';
import type { QueryReading } from '../query.ts';
import { readListCursor } from './list-cursor.ts';

export const LIMIT = Object.freeze({ min: 1, max: LIMITS.offer_page_max, fallback: LIMITS.offer_page_default });
export const STATUS_KEYS: readonly Status[] = Object.freeze(Object.keys(STATUSES) as Status[]);
export const STOCK = Object.freeze(['in', 'out'] as const);
export const ARCHIVED = Object.freeze(['yes', 'no'] as const);

export function readOfferQuery(
  reading: QueryReading,
  names: Names,
): ListRequest | { readonly problems: readonly Problem[] } {
  const sort = reading.oneOf('sort', OFFER_SORTS) ?? 'newest';
  const request: ListRequest = {
    ...readFilter(reading, names),
    sort,
    after: readAfter(reading, sort),
    limit: reading.wholeNumber('limit', LIMIT),
  };
  return reading.problems.length === 0 ? request : { problems: reading.problems };
}

export function readFilter(reading: QueryReading, names: Names): OfferFilter {
  const stock = reading.oneOf('stock', STOCK);
  const archived = reading.oneOf('archived', ARCHIVED);
  return {
    words: searchWords(reading.searchText('q', LIMITS.offer_search_characters_max)),
    status: readStatus(reading, names),
    subStatus: reading.oneOf('sub_status', SUB_STATUSES),
    categoryId: readCategory(reading),
    inStock: stock === undefined ? undefined : stock === 'in',
    archived: archived === undefined ? undefined : archived === 'yes',
  };
}

/** Accepts both names of the status that can be renamed. */
function readStatus(reading: QueryReading, names: Names): Status | undefined {
  const text = reading.filledText('status');
  if (text === undefined) return undefined;
  const found = STATUS_KEYS.find((status) => text === names.status(status) || text === STATUSES[status]);
  const allowed = STATUS_KEYS.map((status) => names.status(status)).join(', ');
  return found ?? reading.refuse(`status: must be one of ${allowed}.`);
}

function readCategory(reading: QueryReading): string | undefined {
  const text = reading.filledText('category');
  if (text === undefined) return undefined;
  return readId(text) === undefined ? reading.refuse('category: must be the id of a category, in digits.') : text;
}

function readAfter(reading: QueryReading, sort: OfferListRequest['sort']): ListPlace | undefined {
  const text = reading.filledText('after');
  if (text === undefined) return undefined;
  const read = readListCursor(text, sort);
  if ('value' in read) return read.value;
  reading.problems.push(read.problem);
  return undefined;
}
