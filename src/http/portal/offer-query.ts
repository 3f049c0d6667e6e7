/** Reads the query of the offer list, with the cursor of a page, and reports every problem with it. */
import { Type } from '../../domain/check/type.ts';
import { readId } from '../../domain/int64.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Names } from '../../domain/names.ts';
import type { ListPosition, OfferFilter } from '../../domain/offers/offer-list.ts';
import { searchWords } from '../../domain/text/search-words.ts';
import { hasForbiddenCharacter } from '../../domain/text/text-rules.ts';
import { OFFER_SORTS, type OfferSort } from '../../domain/vocabulary/offer-sorts.ts';
import { STATUSES, type Status, SUB_STATUSES } from '../../domain/vocabulary/statuses.ts';
import type { Context } from '../../operations/context.ts';
import type { ListRequest } from '../../operations/portal/list-offers.ts';
import type { QueryReading } from '../query.ts';

export const LIMIT = Object.freeze({ min: 1, max: LIMITS.offer_page_max, fallback: LIMITS.offer_page_default });
export const STATUS_KEYS: readonly Status[] = Object.freeze(Object.keys(STATUSES) as Status[]);
const BY_NUMBER = /price|stock|updated/;
const NUMBER = /^-?\d{1,16}(?:\.\d{1,20})?(?:e[+-]?\d{1,3})?$/;
export const STOCK = Object.freeze(['in', 'out'] as const);
export const ARCHIVED = Object.freeze(['yes', 'no'] as const);
export const UPCOMING = Object.freeze({
  description:
    'Only offers that would fail under an announced change of requirements, as of their last review. Takes the id of the change, or `yes` for ' +
    'all announced changes.',
  schema: Type.String(),
});

export type FilterContext = Pick<Context, 'names' | 'rules'>;

export function readOfferQuery(reading: QueryReading, context: FilterContext): ListRequest {
  const sort = reading.oneOf('sort', OFFER_SORTS) ?? 'newest';
  return {
    ...readFilter(reading, context),
    sort,
    after: readAfter(reading, sort),
    limit: reading.wholeNumber('limit', LIMIT),
  };
}

export function readFilter(reading: QueryReading, context: FilterContext): OfferFilter {
  const stock = reading.oneOf('stock', STOCK);
  const archived = reading.oneOf('archived', ARCHIVED);
  return {
    words: searchWords(reading.searchText('q', LIMITS.offer_search_characters_max)),
    status: readStatus(reading, context.names),
    subStatus: reading.oneOf('sub_status', SUB_STATUSES),
    categoryId: readCategory(reading),
    inStock: stock === undefined ? undefined : stock === 'in',
    archived: archived === undefined ? undefined : archived === 'yes',
    upcoming: readUpcoming(reading, context),
  };
}

/** Returns the id of the announced change, or those of all. */
export function readUpcoming(reading: QueryReading, { rules }: FilterContext): readonly number[] | undefined {
  const text = reading.filledText('upcoming');
  if (text === undefined) return undefined;
  const ids = (rules.policies.announced ?? []).map(({ change }) => change.announcedId);
  const found = text === 'yes' ? ids : ids.filter((id) => String(id) === text);
  if (text === 'yes' || found.length > 0) return found;
  return reading.refuse('upcoming: must be `yes` or the id of an announced change.');
}

/** Accepts both names of the status that can be renamed. */
export function readStatus(reading: QueryReading, names: Names): Status | undefined {
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

/** A cursor is only valid for the sort order that it was issued for. */
function readAfter(reading: QueryReading, sort: OfferSort): ListPosition | undefined {
  const text = reading.filledText('after');
  if (text === undefined) return undefined;
  const [cursorSort, key, order] = partsOfCursor(text);
  const isPlace =
    cursorSort === sort &&
    typeof key === 'string' &&
    key.length <= LIMITS.offer_search_characters_max &&
    !hasForbiddenCharacter(key) &&
    (!BY_NUMBER.test(sort) || NUMBER.test(key)) &&
    isOrder(order);
  if (isPlace) return { key, order };
  return reading.refuse('after: must be the `next` value of a page with the same sort order.');
}

export function listCursor(sort: OfferSort, { key, order }: ListPosition): string {
  return cursorOf([sort, key, order]);
}

/** Encodes a position in a list as opaque text. */
export function cursorOf(parts: readonly [unknown, unknown, unknown]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** Returns the three parts of a cursor, which are not checked; none if it is malformed. */
export function partsOfCursor(text: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return Array.isArray(parts) && parts.length === 3 ? parts : [];
  } catch {
    return [];
  }
}

/** The position of an offer in upload order. */
export function isOrder(order: unknown): order is number {
  return Number.isSafeInteger(order) && (order as number) >= 0;
}
