/** GET and POST /{environment}/keys: the credential sets of the person's merchant. */
import Type, { type Static } from 'typebox';
import { issueCredential } from '../../access/secrets.ts';
import { CredentialRollBody } from '../../domain/setup/credential-roll.ts';
import { MERCHANT_ROLES } from '../../domain/vocabulary/portal-roles.ts';
import { type ListedCredential, listCredentials } from '../../operations/setup/list-credentials.ts';
import { rollCredentials } from '../../operations/setup/roll-credentials.ts';
import { foundAnswer } from '../answers/answers.ts';
import { isoTime } from '../answers/iso-time.ts';
import type { AccountCall, AccountEndpoint, Answer } from '../endpoint.ts';
import { isoTimeOrNull, OrNull, Time } from './answer-schemas.ts';
import { changedAnswer } from './answers.ts';

/** An active set, without its secret. */
export const KeyAnswer = Type.Object({
  user: Type.String(),
  created: Time('Time of creation.'),
  ends: OrNull(Time('Time of expiry.'), 'Null unless it was replaced with an overlap. ISO 8601, UTC.'),
  last_used: OrNull(Time('Time of the last use.'), 'Null if it was never used. ISO 8601, UTC, to the minute.'),
});

const RolledAnswer = Type.Object({
  user: Type.String(),
  secret: Type.String({ description: 'Shown only once.' }),
  previous_end: OrNull(Time('When the replaced set expires.'), 'Null if it has expired. ISO 8601, UTC.'),
});

export function keyJson({ user, createdMs, endsMs, lastUsedMs }: ListedCredential): Static<typeof KeyAnswer> {
  return {
    user,
    created: isoTime(createdMs),
    ends: isoTimeOrNull(endsMs),
    last_used: isoTimeOrNull(lastUsedMs),
  };
}

const shared = { access: 'account', path: '/keys', tag: 'Keys' } as const;

export const keysEndpoints: readonly AccountEndpoint[] = [
  {
    ...shared,
    id: 'listKeys',
    method: 'GET',
    roles: MERCHANT_ROLES,
    summary: 'List the active keys, oldest first',
    answer: Type.Object({ keys: Type.Array(KeyAnswer) }),
    handle: listAnswer,
  },
  {
    ...shared,
    id: 'rollKeys',
    method: 'POST',
    roles: ['merchant-admin'],
    summary: 'Create keys that replace the existing ones',
    description: 'The replaced sets and their tokens expire at once or after the overlap.',
    requestBody: CredentialRollBody,
    answer: RolledAnswer,
    failures: [400],
    handle: rollAnswer,
  },
];

async function listAnswer({ services, account }: AccountCall): Promise<Answer> {
  const { merchantId, environment } = account;
  const listed = await listCredentials(services.setup, { merchantId, environments: [environment] });
  return foundAnswer(listed, (credentials) => JSON.stringify({ keys: credentials.map(keyJson) }));
}

async function rollAnswer({ services, account, body }: AccountCall): Promise<Answer> {
  const { merchantId, environment } = account;
  const next = issueCredential(environment);
  const rolled = await rollCredentials(services.setup, { merchantId, environment }, body, next.stored);
  return changedAnswer(services, rolled, ({ previousEndMs }): Static<typeof RolledAnswer> => {
    const isOver = previousEndMs <= services.setup.nowMs();
    return { user: next.user, secret: next.secret, previous_end: isOver ? null : isoTime(previousEndMs) };
  });
}
