/** GET and POST /{environment}/keys, POST …/keys/{key_id}/roll, DELETE …/keys/{key_id}: credential sets of the user's merchant. */
import { issueCredential } from '../../access/tokens/secrets.ts';
import { OneOf } from '../../domain/check/schema.ts';
import { type Static, Type } from '../../domain/check/type.ts';
import { CredentialRollBody, NewCredentialBody } from '../../domain/setup/credential-roll.ts';
import { SCOPES, scopesIn } from '../../domain/setup/key-scopes.ts';
import { isoTime } from '../../domain/vocabulary/iso-time.ts';
import { type ListedCredential, listCredentials } from '../../operations/setup/list-credentials.ts';
import { targetOf } from '../../operations/setup/merchant-accounts.ts';
import { addCredential, revokeCredential, rollCredential } from '../../operations/setup/roll-credentials.ts';
import { changedAnswer, foundAnswer } from '../answers/answers.ts';
import { endpointsOf } from '../endpoint.ts';
import { isoTimeOrNull, OrNull, Time } from './answer-schemas.ts';

/** An active API key, without its secret. */
export const KeyAnswer = Type.Object({
  user: Type.String(),
  name: Type.String({ description: 'Name of the key; empty if it has none.' }),
  scopes: Type.Array(OneOf(SCOPES), { description: 'What the key may do.' }),
  sku_prefix: OrNull(Type.String(), 'The key can only use SKU ids that begin with this text; null: all.'),
  created: Time('Time of creation.'),
  ends: OrNull(Time('Time of expiry.'), 'Null unless it was replaced with an overlap. ISO 8601, UTC.'),
  last_used: OrNull(Time('Time of the last use.'), 'Null if it was never used. ISO 8601, UTC, to the minute.'),
});

export const CredentialAnswer = Type.Object({
  user: Type.String(),
  secret: Type.String({ description: 'Shown only once.' }),
});

const RolledAnswer = Type.Object({
  ...CredentialAnswer.properties,
  previous_end: OrNull(Time('When the replaced key expires.'), 'Null if it has expired. ISO 8601, UTC.'),
});

export function keyJson(key: ListedCredential): Static<typeof KeyAnswer> {
  const { user, name, scopes, skuPrefix, createdMs, endsMs, lastUsedMs } = key;
  return {
    user,
    name,
    scopes: [...scopesIn(scopes)],
    sku_prefix: skuPrefix === '' ? null : skuPrefix,
    created: isoTime(createdMs),
    ends: isoTimeOrNull(endsMs),
    last_used: isoTimeOrNull(lastUsedMs),
  };
}

const shared = { access: 'account', tag: 'Keys' } as const;

export const keysEndpoints = endpointsOf(shared, {
  'GET /keys': {
    id: 'listKeys',
    summary: 'List the active keys, oldest first',
    answer: Type.Object({ keys: Type.Array(KeyAnswer) }),
    async handle({ services, account }) {
      const listed = await listCredentials(services.setup, targetOf(account));
      return foundAnswer(listed, (credentials) => JSON.stringify({ keys: credentials.map(keyJson) }));
    },
  },
  'POST /keys': {
    id: 'addKey',
    summary: 'Create a key without replacing others',
    requestBody: NewCredentialBody,
    answer: CredentialAnswer,
    async handle({ services, account, body }) {
      const { user, secret, stored } = issueCredential(account.environment);
      const added = await addCredential(services.setup, account, body, stored);
      return changedAnswer(services, added, (): Static<typeof CredentialAnswer> => ({ user, secret }));
    },
  },
  'POST /keys/{key_id}/roll': {
    id: 'rollKey',
    summary: 'Create a key that replaces this one',
    description:
      'The new key has the same name, scopes and SKU prefix. The replaced key and its tokens expire immediately or after the overlap. Refused if the key was already rolled.',
    requestBody: CredentialRollBody,
    answer: RolledAnswer,
    failures: [404],
    async handle({ services, account, targetId: replaced, body }) {
      const { user, secret, stored } = issueCredential(account.environment);
      const rolled = await rollCredential(services.setup, account, replaced, body, stored);
      return changedAnswer(services, rolled, ({ previousEndMs }): Static<typeof RolledAnswer> => {
        const isOver = previousEndMs <= services.setup.nowMs();
        return { user, secret, previous_end: isOver ? null : isoTime(previousEndMs) };
      });
    },
  },
  'DELETE /keys/{key_id}': {
    id: 'revokeKey',
    summary: 'Revoke a key and its tokens',
    failures: [404],
    handle: async ({ services, account, targetId: user }) =>
      changedAnswer(services, await revokeCredential(services.setup, account, user)),
  },
});
