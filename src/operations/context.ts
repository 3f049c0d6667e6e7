/** What every operation works with: the store, the rules compiled for the names in force, and the time. */

import type { BodyChecks } from '../domain/bodies/all-bodies.ts';
import type { Names } from '../domain/names.ts';
import type { Store } from '../store/port.ts';
import type { ReviewRules } from './review-knowledge.ts';

export interface Context {
  readonly store: Pick<Store, 'images' | 'offers' | 'review'>;
  readonly bodies: BodyChecks;
  readonly names: Names;
  /** That offers are reviewed by. */
  readonly rules: ReviewRules;
  readonly nowMs: () => number;
  /** Called after each write that may make an offer due for review: whoever reviews need not wait for his next look. */
  readonly onOfferWritten: () => void;
}
