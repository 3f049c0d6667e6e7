/** Encodes the sub-statuses of an offer as bits of one number, and counts offers by status and sub-status. */
import { SUB_STATUSES, type SubStatus, type Verdict } from '../vocabulary/statuses.ts';

/** Stores have an index for each bit. Bits are stored: never change one; a new one needs a new index. */
export const SUB_STATUS_BITS = Object.freeze(
  Object.fromEntries(SUB_STATUSES.map((subStatus, index) => [subStatus, 1 << index])) as Record<SubStatus, number>,
);

const NONE: readonly SubStatus[] = Object.freeze([]);

/** Returns the bits by which the offer list finds and counts issues. Archived offers have no issues to fix. */
export function issueBits({ status, subStatuses }: Verdict): number {
  if (status === 'archived') return 0;
  return subStatuses.reduce((bits, subStatus) => bits | SUB_STATUS_BITS[subStatus], 0);
}

export function subStatusesOf(bits: number): readonly SubStatus[] {
  return bits === 0 ? NONE : SUB_STATUSES.filter((subStatus) => bits & SUB_STATUS_BITS[subStatus]);
}

/** The part of a verdict that the offer list and its counts use. */
export interface ListedVerdict {
  readonly status: string;
  readonly subStatusBits: number;
}

export type CountKind = 'status' | 'sub_status';
export type CountChange = readonly [kind: CountKind, value: string, by: number];

/** Collects a commit's changes to the offer counts. */
export class OfferCountChanges {
  /** By kind and value as JSON text. */
  readonly #changes = new Map<string, number>();

  /** Adds 1 or -1 to the counts of an offer with this verdict. */
  count({ status, subStatusBits }: ListedVerdict, by: 1 | -1): void {
    const values = subStatusesOf(subStatusBits).map((subStatus) => ['sub_status', subStatus]);
    for (const value of [['status', status], ...values]) {
      const name = JSON.stringify(value);
      this.#changes.set(name, (this.#changes.get(name) ?? 0) + by);
    }
  }

  list(): CountChange[] {
    return [...this.#changes]
      .filter(([, by]) => by !== 0)
      .map(([name, by]) => [...(JSON.parse(name) as [CountKind, string]), by]);
  }
}
