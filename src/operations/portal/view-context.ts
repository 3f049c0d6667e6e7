/** Defines the context of portal operations that read an account's offers, counts and files. */
import type { Status, SubStatus } from '../../domain/vocabulary/statuses.ts';
import type { Store } from '../../store/port.ts';
import type { ReviewRules } from '../review-knowledge.ts';

export interface ViewContext {
  readonly store: Pick<Store, 'files' | 'offerList' | 'offers' | 'settings' | 'traffic'>;
  /** The data that reviews depend on. */
  readonly rules: ReviewRules;
  /** Estimates of available offers without stock, by account. */
  readonly stockEstimates: Map<number, { readonly offers: number; readonly atMs: number }>;
  /** What issues hold back, by account. */
  readonly heldBack: Map<number, { readonly atMs: number; readonly found: Promise<HeldBack> }>;
  /** Requests allowed per environment of a merchant. */
  readonly requestsPerMinute: number;
  readonly nowMs: () => number;
}

/** Stock that is not for sale because of an issue. */
export interface Held {
  readonly units: number;
  /** Price times units; offers without a price count as 0. */
  readonly listValue: number;
}

export interface HeldBack {
  /** An offer with several issues counts for each of them. */
  readonly bySubStatus: ReadonlyMap<SubStatus, Held>;
  readonly byStatus: ReadonlyMap<Status, Held>;
  /** More offers are held back than were read: all figures are lower bounds. */
  readonly isMore: boolean;
}
