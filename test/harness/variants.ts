/** Variants in which tests of the API and the portal run. */
import { postgresSkipped, QUICK_VARIABLE } from '../../src/store/postgres/testing/availability.ts';
import { isRun } from './scope.ts';
import { PROFILE_SPELLING, SPELLINGS, type Spelling } from './spellings.ts';
import type { StoreKind } from './store-place.ts';

export interface Variant extends Spelling {
  readonly store: StoreKind;
  /** Why the cases of the variant cannot run here. */
  readonly skip: string | false;
}

/**
 * If this variable is set, test servers have the profile COMPATIBILITY=jet, and API tests run once: see test/api-with-profile.test.ts and
 * test/client-with-profile.test.ts.
 */
export const PROFILE_VARIABLE = 'TEST_WITH_PROFILE';

const PROFILE: readonly Variant[] | undefined = process.env[PROFILE_VARIABLE]
  ? [onEmbedded(PROFILE_SPELLING)]
  : undefined;

const [NEUTRAL, SET] = SPELLINGS as readonly [Spelling, Spelling];

/** Neutral names on both databases. */
export const STORE_VARIANTS: readonly [Variant, Variant] = [onEmbedded(NEUTRAL), onPostgres(NEUTRAL)];

export const [FIRST_VARIANT] = STORE_VARIANTS;

/**
 * Like STORE_VARIANTS, but PostgreSQL only among the long tests. For tests of what is above the database: the store contract tests both
 * databases, and the API tests call both.
 */
export const VARIANTS_BY_SCOPE: readonly Variant[] = STORE_VARIANTS.filter(({ store }) =>
  isRun(store === 'sqlite' ? 'usual' : 'long'),
);

/**
 * Both spellings and both databases. Names do not affect the database, so two variants are enough. Without PostgreSQL, the configured names
 * run on SQLite. A quick run uses the first variant only.
 */
export const VARIANTS: readonly Variant[] =
  PROFILE ??
  (process.env[QUICK_VARIABLE]
    ? [FIRST_VARIANT]
    : [FIRST_VARIANT, onPostgres(SET), ...(postgresSkipped() === false ? [] : [onEmbedded(SET)])]);

/** Both spellings without PostgreSQL, for rules about a body. */
export const BODY_VARIANTS: readonly Variant[] =
  PROFILE ?? (process.env[QUICK_VARIABLE] ? [FIRST_VARIANT] : [FIRST_VARIANT, onEmbedded(SET)]);

function onEmbedded(spelling: Spelling): Variant {
  return { ...spelling, store: 'sqlite', skip: false };
}

function onPostgres(spelling: Spelling): Variant {
  return { ...spelling, title: `${spelling.title}, PostgreSQL`, store: 'postgres', skip: postgresSkipped() };
}
