/** In charge of what an operator says when a credential set is replaced. */
import Type, { type Static } from 'typebox';
import { type BodyCheck, createBodyCheck } from '../bodies/body-check.ts';
import { Whole } from '../check/schema.ts';
import { LIMITS } from '../limits.ts';
import type { Names } from '../names.ts';

export const CredentialRollBody = Type.Object({
  overlap_seconds: Type.Optional(
    Whole(0, LIMITS.credential_overlap_seconds_max, {
      description: 'How long the replaced set goes on working; 0 when absent.',
    }),
  ),
});

export type CredentialRoll = Static<typeof CredentialRollBody>;

export function createCredentialRollCheck(names: Names): BodyCheck<CredentialRoll> {
  return createBodyCheck(CredentialRollBody, names);
}
