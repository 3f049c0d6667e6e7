/** What every operation works with: the store, the rules compiled for the names in force, the taxonomy and the time. */
import type { BodyChecks } from '../domain/bodies/all-bodies.ts';
import type { Names } from '../domain/names.ts';
import type { Taxonomy } from '../domain/taxonomy.ts';
import type { OfferStore } from '../store/port.ts';

export interface Context {
  readonly store: OfferStore;
  readonly bodies: BodyChecks;
  readonly names: Names;
  readonly taxonomy: Taxonomy;
  readonly nowMs: () => number;
}
