/** Describes the requests that add and roll a credential set: its name and rights, and how long the replaced set keeps working. */
import { type BodyCheck, createBodyCheck } from '../bodies/body-check.ts';
import { isPresent } from '../check/compile.ts';
import { List, OneOf, Pattern, Text, Whole } from '../check/schema.ts';
import { type Static, Type } from '../check/type.ts';
import { LIMITS } from '../limits.ts';
import type { Names } from '../names.ts';
import { ALL_RIGHTS, type KeyRights, MARKETPLACE_SCOPES, MERCHANT_SCOPES, type Scope, scopeSet } from './key-scopes.ts';

const HOUR_SECONDS = 3600;
/** From an hour to another one, such as `08-18` or `22-06`. */
const PLAN_HOURS = '^(?!(\\d\\d)-\\1$)(?:[01]\\d|2[0-3])-(?:[01]\\d|2[0-4])$';

export const NewCredentialBody = Type.Object({
  name: Text(LIMITS.credential_name_characters_max, {
    min: 1,
    description: 'Name for the API key, such as the system that uses it.',
  }),
  scopes: Type.Optional(
    List(OneOf(MERCHANT_SCOPES), MERCHANT_SCOPES.length, {
      min: 1,
      description: 'What the key may do. The default is everything.',
    }),
  ),
  sku_prefix: Type.Optional(
    Text(LIMITS.sku_id_characters_max, {
      min: 1,
      description:
        'The key can only use SKU ids that begin with this text, and cannot make calls that concern several SKUs. ' +
        'The default is all SKUs.',
    }),
  ),
  plan_offers_max: Type.Optional(
    Whole(0, LIMITS.plan_offers_max, { description: 'Plans that change more offers need the approval of a user.' }),
  ),
  plan_price_percent_max: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: LIMITS.price_percent_max,
      description: 'Plans that change a price by more than this percentage need the approval of a user.',
    }),
  ),
  plan_hours: Type.Optional(
    Pattern(PLAN_HOURS, 'must be two different hours such as 08-18', {
      description: 'Outside these hours of the day (UTC), plans need the approval of a user.',
    }),
  ),
});

const PLAN_LIMITS = ['plan_offers_max', 'plan_price_percent_max', 'plan_hours'] as const;

/** A key with a SKU prefix cannot make plans, and a key with plan limits changes offers only through plans. */
export function createNewCredentialCheck(names: Names): BodyCheck<Static<typeof NewCredentialBody>> {
  return createBodyCheck(NewCredentialBody, names, (_clean, sent, report) => {
    if (isPresent(sent.sku_prefix) && PLAN_LIMITS.some((limit) => isPresent(sent[limit]))) {
      report.add('not_allowed', 'cannot be combined with limits of plans', 'sku_prefix');
    }
  });
}

/** A key of the marketplace. Its scopes have no default, because each is a right over all merchants. */
export const MarketplaceKeyBody = Type.Object({
  name: NewCredentialBody.properties.name,
  scopes: List(OneOf(MARKETPLACE_SCOPES), MARKETPLACE_SCOPES.length, { min: 1, description: 'What the key may do.' }),
});

/** The rights in a request, or in a line of an export. */
export function rightsIn({ scopes, sku_prefix: skuPrefix, ...sent }: SentRights): KeyRights {
  const {
    plan_offers_max: offersMax = null,
    plan_price_percent_max: percentMax = null,
    plan_hours: hours = null,
  } = sent;
  const hasLimits = offersMax !== null || percentMax !== null || hours !== null;
  return {
    scopes: scopes === undefined ? ALL_RIGHTS.scopes : scopeSet(scopes),
    skuPrefix: skuPrefix ?? ALL_RIGHTS.skuPrefix,
    planLimits: hasLimits ? { offersMax, percentMax, hours } : null,
  };
}

/** The guard rails as answers have them; null: no limit. A line of an export leaves out those that are null. */
export function planLimitFields(limits: KeyRights['planLimits']) {
  const { offersMax = null, percentMax = null, hours = null } = limits ?? {};
  return { plan_offers_max: offersMax, plan_price_percent_max: percentMax, plan_hours: hours };
}

interface SentRights {
  readonly scopes?: readonly Scope[] | undefined;
  readonly sku_prefix?: string | undefined;
  readonly plan_offers_max?: number | undefined;
  readonly plan_price_percent_max?: number | undefined;
  readonly plan_hours?: string | undefined;
}

export const CredentialRollBody = Type.Object({
  overlap_seconds: Type.Optional(
    Whole(0, LIMITS.credential_overlap_seconds_max, {
      description: 'Seconds for which the replaced key keeps working. The default is 0.',
    }),
  ),
  overlap_hours: Type.Optional(
    Whole(0, LIMITS.credential_overlap_seconds_max / HOUR_SECONDS, {
      description: 'Hours for which the replaced key keeps working. Alternative to overlap_seconds.',
    }),
  ),
});

export type CredentialRoll = Static<typeof CredentialRollBody>;

export function createCredentialRollCheck(names: Names): BodyCheck<CredentialRoll> {
  return createBodyCheck(CredentialRollBody, names, (_clean, sent, report) => {
    if (isPresent(sent.overlap_seconds) && isPresent(sent.overlap_hours)) {
      report.add('not_allowed', 'must not be sent together with overlap_seconds', 'overlap_hours');
    }
  });
}

export function overlapSeconds({ overlap_seconds: seconds, overlap_hours: hours = 0 }: CredentialRoll): number {
  return seconds ?? hours * HOUR_SECONDS;
}
