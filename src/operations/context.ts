/** Defines the context of operations on offers: the store, the compiled rules and the time. */

import type { BodyChecks } from '../domain/bodies/all-bodies.ts';
import type { Names } from '../domain/names.ts';
import type { CategoryGuesses } from '../domain/review/fixes/fix.ts';
import type { Store } from '../store/port.ts';
import type { ReviewRules } from './review-knowledge.ts';

export interface Context {
  readonly store: Pick<Store, 'catalog' | 'images' | 'offers' | 'review'>;
  readonly bodies: BodyChecks;
  readonly names: Names;
  /** The data that reviews depend on. */
  readonly rules: ReviewRules;
  /** Undefined: no fix guesses a category. */
  readonly guesses?: CategoryGuesses;
  readonly nowMs: () => number;
  /** Called after each write that may make an offer due for review, so that the review starts immediately. */
  readonly onOfferWritten: () => void;
}
