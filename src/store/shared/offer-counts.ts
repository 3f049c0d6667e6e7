/** Encodes the sub-statuses of an offer as bits of one number, and counts the offers of each status and sub-status. */
import type { Status, SubStatus } from '../../domain/vocabulary/statuses.ts';
import type { OfferCounts } from '../port/offer-list.ts';
import type { StoredReview } from '../port/review.ts';

/** Stores have an index for each bit. Bits are stored: never change one; a new one needs a new index. */
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

interface CountedListing {
  readonly status: string;
  readonly subStatusBits: number;
}

type CountKind = 'status' | 'sub_status';
type CountChange = readonly [kind: CountKind, value: string, by: number];

/** Changes of one commit. */
export class OfferCountChanges {
  readonly #changes = new Map<string, { readonly kind: CountKind; readonly value: string; by: number }>();

  listed(listing: CountedListing): void {
    this.#count(listing, 1);
  }

  unlisted(listing: CountedListing): void {
    this.#count(listing, -1);
  }

  /** Sorted, so that concurrent commits do not deadlock. */
  list(): CountChange[] {
    return [...this.#changes.entries()]
      .filter(([, { by }]) => by !== 0)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, { kind, value, by }]) => [kind, value, by]);
  }

  #count({ status, subStatusBits }: CountedListing, by: number): void {
    this.#add('status', status, by);
    for (const subStatus of subStatusesOf(subStatusBits)) this.#add('sub_status', subStatus, by);
  }

  #add(kind: CountKind, value: string, by: number): void {
    const name = `${kind} ${value}`;
    const change = this.#changes.get(name);
    if (change === undefined) this.#changes.set(name, { kind, value, by });
    else change.by += by;
  }
}

/** A stored count, or a count of due offers that are `reviewed` or `unreviewed`. */
export type CountRow = readonly [kind: CountKind | 'due', value: string, offers: number];

/** All rows are of one snapshot, so that no offer is missing or counted twice. */
export function countsOf(rows: readonly CountRow[]): OfferCounts {
  const of = (wanted: CountRow[0]) =>
    rows
      .filter(([kind, , offers]) => kind === wanted && offers > 0)
      .map(([, value, offers]) => [value, offers] as const);
  const due = new Map<string, number>(of('due'));
  const unreviewed = due.get('unreviewed') ?? 0;
  return {
    byStatus: new Map(of('status') as [Status, number][]),
    bySubStatus: new Map(of('sub_status') as [SubStatus, number][]),
    due: unreviewed + (due.get('reviewed') ?? 0),
    unreviewed,
  };
}
