/** Defines the context of operations on offers: the store, the compiled rules and the time. */

import type { BodyChecks } from '../domain/bodies/all-bodies.ts';
import type { RowOutcome } from '../domain/bulk-files.ts';
import type { Names } from '../domain/names.ts';
import type { PartWrite } from '../domain/offers/part.ts';
import type { WriteKey } from '../store/port/offers.ts';
import type { Store } from '../store/port.ts';
import type { ReviewRules } from './review-knowledge.ts';

export interface LateRequest {
  /** The sequence number that was drawn before the first run. The first run's own writes, and all later writes, have higher numbers. */
  readonly number: number;
  /** Writes with this number, so that newer data stays. */
  write(key: WriteKey, rows: readonly PartWrite[]): Promise<RowOutcome>;
}

export interface Context {
  readonly store: Pick<Store, 'images' | 'offers' | 'review'>;
  readonly bodies: BodyChecks;
  readonly names: Names;
  /** The data that reviews depend on. */
  readonly rules: ReviewRules;
  readonly nowMs: () => number;
  /** Set for a retried request whose first run may have written (see http/idempotency.ts). */
  readonly late?: LateRequest;
  /** Called after each write that may make an offer due for review, so that the review starts immediately. */
  readonly onOfferWritten: () => void;
}
