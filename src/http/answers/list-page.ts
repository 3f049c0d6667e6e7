/** Cuts a list to the page that a call requests with `offset` and `limit`. */
import { Whole } from '../../domain/check/schema.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Parameter } from '../endpoint.ts';
import type { QueryReading } from '../query.ts';

export interface ListPage {
  readonly offset: number;
  readonly limit: number;
}

const OFFSET = { min: 0, max: LIMITS.count_max, fallback: 0 };
export const LIST_LIMIT = Object.freeze({ min: 1, max: LIMITS.list_limit_max, fallback: LIMITS.list_limit_default });

export const PAGE_QUERY = Object.freeze({
  offset: { description: 'Number of entries to skip.', schema: Whole(OFFSET.min, OFFSET.max) },
  limit: {
    description: `Maximum number of entries to return. The default is ${LIST_LIMIT.fallback}.`,
    schema: Whole(LIST_LIMIT.min, LIST_LIMIT.max),
  },
}) satisfies Readonly<Record<string, Parameter>>;

export function readListPage(reading: QueryReading): ListPage {
  return { offset: reading.wholeNumber('offset', OFFSET), limit: reading.wholeNumber('limit', LIST_LIMIT) };
}
