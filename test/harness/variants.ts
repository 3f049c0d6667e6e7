/** In charge of the forms in which the API suite runs: under both spellings, and on both stores. */
import { postgresSkipped } from '../../src/store/postgres/testing/availability.ts';
import { SPELLINGS, type Spelling } from './spellings.ts';
import type { StoreKind } from './store-place.ts';

export interface Variant extends Spelling {
  readonly store: StoreKind;
  /** Why its cases cannot run here. */
  readonly skip: string | false;
}

/** The store does not know names, so that it is tried under one spelling only. */
export const VARIANTS: readonly Variant[] = SPELLINGS.flatMap((spelling): Variant[] => {
  const embedded: Variant = { ...spelling, store: 'sqlite', skip: false };
  if (spelling.pairs.length > 0) return [embedded];
  const title = `${spelling.title}, PostgreSQL`;
  return [embedded, { ...spelling, title, store: 'postgres', skip: postgresSkipped() }];
});

export const FIRST_VARIANT = VARIANTS[0] as Variant;
