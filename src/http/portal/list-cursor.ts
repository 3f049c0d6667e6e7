/** Encodes a position in the offer list as opaque text, and checks it when it comes back. */
import { LIMITS } from '../../domain/limits.ts';
import type { ListPlace } from '../../domain/offers/offer-list.ts';
import { type Problem, requestProblem } from '../../domain/problem.ts';
import { hasForbiddenCharacter } from '../../domain/text.ts';
import type { OfferSort } from '../../domain/vocabulary/offer-sorts.ts';

const BY_NUMBER = /price|stock|updated/;
const NUMBER = /^-?\d{1,16}(?:\.\d{1,20})?(?:e[+-]?\d{1,3})?$/;

export function listCursor(sort: OfferSort, { key, order }: ListPlace): string {
  return Buffer.from(JSON.stringify([sort, key, order])).toString('base64url');
}

/** Decodes a cursor, which is only valid for the sort order that it was issued for. */
export function readListCursor(text: string, sort: OfferSort): { value: ListPlace } | { problem: Problem } {
  const fault = {
    problem: requestProblem('query_invalid', 'after: must be the `next` value of a page with the same sort order.'),
  };
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return fault;
  }
  if (!Array.isArray(parts) || parts.length !== 3) return fault;
  const [cursorSort, key, order] = parts as unknown[];
  const isPlace =
    typeof key === 'string' &&
    key.length <= LIMITS.offer_search_characters_max &&
    !hasForbiddenCharacter(key) &&
    (!BY_NUMBER.test(sort) || NUMBER.test(key)) &&
    Number.isSafeInteger(order) &&
    (order as number) >= 0;
  return isPlace && cursorSort === sort ? { value: { key, order: order as number } } : fault;
}
