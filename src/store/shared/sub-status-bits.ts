/**
 * Encodes the sub-statuses of an offer as bits of one number. Stores have an index for each bit. Bits are stored: never
 * change one; a new one needs a new index.
 */
import type { SubStatus } from '../../domain/vocabulary/statuses.ts';
import type { StoredReview } from '../port/review.ts';

export const SUB_STATUS_BITS: Readonly<Record<SubStatus, number>> = Object.freeze({
  'Missing variation information': 1,
  'Missing title': 2,
  'Missing shipping weight': 4,
  'Missing price': 8,
  'Missing image': 16,
  'Missing category': 32,
  'Missing brand': 64,
  'Missing attribute value': 128,
  'Invalid SKU identifier': 256,
  'Invalid category': 512,
  'Incorrect multipack quantity': 1024,
  'Additional SKU ID needed': 2048,
});

const ENTRIES = Object.freeze(Object.entries(SUB_STATUS_BITS) as [SubStatus, number][]);

/** The bits by which the offer list finds and counts issues. Archived offers have no issues to fix. */
export function issueBits({ status, subStatuses }: Pick<StoredReview, 'status' | 'subStatuses'>): number {
  if (status === 'archived') return 0;
  return subStatuses.reduce((bits, subStatus) => bits | SUB_STATUS_BITS[subStatus], 0);
}

export function subStatusesOf(bits: number): readonly SubStatus[] {
  return bits === 0 ? [] : ENTRIES.filter(([, bit]) => bits & bit).map(([subStatus]) => subStatus);
}
