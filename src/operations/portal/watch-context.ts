/** What the operations work with by which people look at an account: its offers, its counts and its files. */

import type { Store } from '../../store/port.ts';
import type { ReviewRules } from '../review-knowledge.ts';

export interface WatchContext {
  readonly store: Pick<Store, 'files' | 'offerList' | 'offers' | 'traffic'>;
  /** That offers are reviewed by. */
  readonly rules: ReviewRules;
  /** That an environment of a merchant may send. */
  readonly requestsPerMinute: number;
  readonly nowMs: () => number;
}
