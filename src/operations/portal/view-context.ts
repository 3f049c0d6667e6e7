/** Defines the context of portal operations that read an account's offers, counts and files. */

import type { Store } from '../../store/port.ts';
import type { ReviewRules } from '../review-knowledge.ts';

export interface ViewContext {
  readonly store: Pick<Store, 'files' | 'offerList' | 'offers' | 'settings' | 'traffic'>;
  /** The data that reviews depend on. */
  readonly rules: ReviewRules;
  /** Estimates of available offers without stock, by account. */
  readonly stockEstimates: Map<number, { readonly offers: number; readonly atMs: number }>;
  /** Requests allowed per environment of a merchant. */
  readonly requestsPerMinute: number;
  readonly nowMs: () => number;
}
