/** GET and POST /{environment}/keys, POST …/keys/{key_id}/roll, DELETE …/keys/{key_id}: credential sets of the user's merchant. */
import { issueCredential } from '../../access/secrets.ts';
import { type Static, Type } from '../../domain/check/type.ts';
import { CredentialNameBody, CredentialRollBody } from '../../domain/setup/credential-roll.ts';
import { isoTime } from '../../domain/vocabulary/iso-time.ts';
import { MERCHANT_ROLES } from '../../domain/vocabulary/portal-roles.ts';
import { type ListedCredential, listCredentials } from '../../operations/setup/list-credentials.ts';
import { addCredential, revokeCredential, rollCredential } from '../../operations/setup/roll-credentials.ts';
import { foundAnswer } from '../answers/answers.ts';
import type { AccountCall, AccountEndpoint, Answer } from '../endpoint.ts';
import { isoTimeOrNull, OrNull, Time } from './answer-schemas.ts';
import { changedAnswer } from './answers.ts';

/** An active API key, without its secret. */
export const KeyAnswer = Type.Object({
  user: Type.String(),
  name: Type.String({ description: 'Name of the key; empty if it has none.' }),
  created: Time('Time of creation.'),
  ends: OrNull(Time('Time of expiry.'), 'Null unless it was replaced with an overlap. ISO 8601, UTC.'),
  last_used: OrNull(Time('Time of the last use.'), 'Null if it was never used. ISO 8601, UTC, to the minute.'),
});

const AddedAnswer = Type.Object({
  user: Type.String(),
  secret: Type.String({ description: 'Shown only once.' }),
});

const RolledAnswer = Type.Object({
  ...AddedAnswer.properties,
  previous_end: OrNull(Time('When the replaced key expires.'), 'Null if it has expired. ISO 8601, UTC.'),
});

export function keyJson({ user, name, createdMs, endsMs, lastUsedMs }: ListedCredential): Static<typeof KeyAnswer> {
  return {
    user,
    name,
    created: isoTime(createdMs),
    ends: isoTimeOrNull(endsMs),
    last_used: isoTimeOrNull(lastUsedMs),
  };
}

const shared = { access: 'account', tag: 'Keys' } as const;

export const keysEndpoints: readonly AccountEndpoint[] = [
  {
    ...shared,
    id: 'listKeys',
    method: 'GET',
    path: '/keys',
    roles: MERCHANT_ROLES,
    summary: 'List the active keys, oldest first',
    answer: Type.Object({ keys: Type.Array(KeyAnswer) }),
    handle: listAnswer,
  },
  {
    ...shared,
    id: 'addKey',
    method: 'POST',
    path: '/keys',
    roles: ['merchant-admin'],
    summary: 'Create a key without replacing others',
    requestBody: CredentialNameBody,
    answer: AddedAnswer,
    failures: [400],
    handle: addAnswer,
  },
  {
    ...shared,
    id: 'rollKey',
    method: 'POST',
    path: '/keys/{key_id}/roll',
    roles: ['merchant-admin'],
    summary: 'Create a key that replaces this one',
    description:
      'The replaced key and its tokens expire immediately or after the overlap. Refused if the key was already rolled.',
    requestBody: CredentialRollBody,
    answer: RolledAnswer,
    failures: [400, 404],
    handle: rollAnswer,
  },
  {
    ...shared,
    id: 'revokeKey',
    method: 'DELETE',
    path: '/keys/{key_id}',
    roles: ['merchant-admin'],
    summary: 'Revoke a key and its tokens',
    failures: [400, 404],
    handle: revokeAnswer,
  },
];

async function listAnswer({ services, account }: AccountCall): Promise<Answer> {
  const { merchantId, environment } = account;
  const listed = await listCredentials(services.setup, { merchantId, environments: [environment] });
  return foundAnswer(listed, (credentials) => JSON.stringify({ keys: credentials.map(keyJson) }));
}

async function addAnswer({ services, account, body }: AccountCall): Promise<Answer> {
  const next = issueCredential(account.environment);
  const added = await addCredential(services.setup, account, body, next.stored);
  const answer: Static<typeof AddedAnswer> = { user: next.user, secret: next.secret };
  return changedAnswer(services, added, () => answer);
}

async function rollAnswer({ services, account, value: user, body }: AccountCall): Promise<Answer> {
  const next = issueCredential(account.environment);
  const rolled = await rollCredential(services.setup, account, user, body, next.stored);
  return changedAnswer(services, rolled, ({ previousEndMs }): Static<typeof RolledAnswer> => {
    const isOver = previousEndMs <= services.setup.nowMs();
    return { user: next.user, secret: next.secret, previous_end: isOver ? null : isoTime(previousEndMs) };
  });
}

async function revokeAnswer({ services, account, value: user }: AccountCall): Promise<Answer> {
  return changedAnswer(services, await revokeCredential(services.setup, account, user));
}
