/** Describes the requests that add and roll a credential set: its name and rights, and how long the replaced set keeps working. */
import { type BodyCheck, createBodyCheck } from '../bodies/body-check.ts';
import { isPresent } from '../check/compile.ts';
import { List, OneOf, Text, Whole } from '../check/schema.ts';
import { type Static, Type } from '../check/type.ts';
import { LIMITS } from '../limits.ts';
import type { Names } from '../names.ts';
import { ALL_RIGHTS, type KeyRights, MARKETPLACE_SCOPES, MERCHANT_SCOPES, type Scope, scopeSet } from './key-scopes.ts';

const HOUR_SECONDS = 3600;

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
});

/** A key of the marketplace. Its scopes have no default, because each is a right over all merchants. */
export const MarketplaceKeyBody = Type.Object({
  name: NewCredentialBody.properties.name,
  scopes: List(OneOf(MARKETPLACE_SCOPES), MARKETPLACE_SCOPES.length, { min: 1, description: 'What the key may do.' }),
});

/** The rights in a request, or in a line of an export. */
export function rightsIn({ scopes, sku_prefix: skuPrefix }: SentRights): KeyRights {
  return {
    scopes: scopes === undefined ? ALL_RIGHTS.scopes : scopeSet(scopes),
    skuPrefix: skuPrefix ?? ALL_RIGHTS.skuPrefix,
  };
}

interface SentRights {
  readonly scopes?: readonly Scope[] | undefined;
  readonly sku_prefix?: string | undefined;
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
