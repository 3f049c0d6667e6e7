/**
 * GET and POST /{environment}/keys, POST …/keys/{key_id}/roll, DELETE …/keys/{key_id}: credential sets of the user's merchant; the same
 * below /{environment}/marketplace-keys for those of the marketplace, for operators.
 */
import { issueCredential } from '../../access/tokens/secrets.ts';
import { OneOf } from '../../domain/check/schema.ts';
import { type Static, Type } from '../../domain/check/type.ts';
import {
  CredentialRollBody,
  MarketplaceKeyBody,
  NewCredentialBody,
  planLimitFields,
} from '../../domain/setup/credential-roll.ts';
import { SCOPES, scopesIn } from '../../domain/setup/key-scopes.ts';
import { isoTime } from '../../domain/vocabulary/iso-time.ts';
import { type ListedCredential, listCredentials } from '../../operations/setup/list-credentials.ts';
import {
  addCredential,
  type KeyOwner,
  revokeCredential,
  rollCredential,
} from '../../operations/setup/roll-credentials.ts';
import { changedAnswer, foundAnswer } from '../answers/answers.ts';
import { type AccountCall, endpointsOf, type PersonCall } from '../endpoint.ts';
import { isoTimeOrNull, OrNull, Time } from './answer-schemas.ts';

/** An active API key, without its secret. */
export const KeyAnswer = Type.Object({
  user: Type.String({ description: 'User name with which a program signs in.' }),
  name: Type.String({ description: 'Name of the key; empty if it has none.' }),
  scopes: Type.Array(OneOf(SCOPES), { description: 'What the key may do.' }),
  sku_prefix: OrNull(Type.String(), 'The key can only use SKU ids that begin with this text; null: all.'),
  plan_offers_max: OrNull(Type.Integer(), 'Plans that change more offers need an approval; null: no limit.'),
  plan_price_percent_max: OrNull(
    Type.Number(),
    'Plans that change a price by a larger percentage need an approval; null: no limit.',
  ),
  plan_hours: OrNull(Type.String(), 'Outside these hours (UTC), plans need an approval; null: no limit.'),
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
  const { user, name, scopes, skuPrefix, planLimits, createdMs, endsMs, lastUsedMs } = key;
  return {
    user,
    name,
    scopes: [...scopesIn(scopes)],
    sku_prefix: skuPrefix === '' ? null : skuPrefix,
    ...planLimitFields(planLimits),
    created: isoTime(createdMs),
    ends: isoTimeOrNull(endsMs),
    last_used: isoTimeOrNull(lastUsedMs),
  };
}

/** The calls on the keys of one owner. */
function keyCalls<C extends PersonCall>(ownerOf: (call: C) => KeyOwner) {
  return {
    list: {
      summary: 'List the active keys, oldest first',
      answer: Type.Object({ keys: Type.Array(KeyAnswer) }),
      async handle(call: C) {
        const { merchantId, environment } = ownerOf(call);
        const listed = await listCredentials(call.services.setup, { merchantId, environments: [environment] });
        return foundAnswer(listed, (credentials) => JSON.stringify({ keys: credentials.map(keyJson) }));
      },
    },
    add: {
      summary: 'Create a key without replacing others',
      needsFreshSignIn: true,
      answer: CredentialAnswer,
      async handle(call: C) {
        const owner = ownerOf(call);
        const { user, secret, stored } = issueCredential(owner.environment);
        const added = await addCredential(call.services.setup, owner, call.body, stored);
        return changedAnswer(call.services, added, (): Static<typeof CredentialAnswer> => ({ user, secret }));
      },
    },
    roll: {
      summary: 'Create a key that replaces this one',
      needsFreshSignIn: true,
      description:
        'The new key has the same name and rights. The replaced key and its tokens expire immediately or after the overlap. Refused if the key was already rolled.',
      requestBody: CredentialRollBody,
      answer: RolledAnswer,
      failures: [404],
      async handle(call: C) {
        const { services, targetId: replaced, body } = call;
        const owner = ownerOf(call);
        const { user, secret, stored } = issueCredential(owner.environment);
        const rolled = await rollCredential(services.setup, owner, replaced, body, stored);
        return changedAnswer(services, rolled, ({ previousEndMs }): Static<typeof RolledAnswer> => {
          const isOver = previousEndMs <= services.setup.nowMs();
          return { user, secret, previous_end: isOver ? null : isoTime(previousEndMs) };
        });
      },
    },
    revoke: {
      summary: 'Revoke a key and its tokens',
      failures: [404],
      handle: async (call: C) =>
        changedAnswer(call.services, await revokeCredential(call.services.setup, ownerOf(call), call.targetId)),
    },
  } as const;
}

const ofMerchant = keyCalls<AccountCall>(({ account }) => account);
const ofMarketplace = keyCalls<PersonCall>(({ environment }) => ({ merchantId: null, environment }));

export const keysEndpoints = endpointsOf({ access: 'account', tag: 'Keys' } as const, {
  'GET /keys': { id: 'listKeys', ...ofMerchant.list },
  'POST /keys': { id: 'addKey', requestBody: NewCredentialBody, ...ofMerchant.add },
  'POST /keys/{key_id}/roll': { id: 'rollKey', ...ofMerchant.roll },
  'DELETE /keys/{key_id}': { id: 'revokeKey', ...ofMerchant.revoke },
});

const forOperators = { access: 'person', roles: ['operator'], tag: 'Marketplace keys' } as const;

export const marketplaceKeysEndpoints = endpointsOf(forOperators, {
  'GET /{environment}/marketplace-keys': { id: 'listMarketplaceKeys', ...ofMarketplace.list },
  'POST /{environment}/marketplace-keys': {
    id: 'addMarketplaceKey',
    requestBody: MarketplaceKeyBody,
    ...ofMarketplace.add,
    act({ body }, { json = '{}' }) {
      const { name, scopes } = body.value as Static<typeof MarketplaceKeyBody>;
      return { subject: JSON.parse(json).user, detail: `name: ${name}, scopes: ${JSON.stringify(scopes)}` };
    },
  },
  'POST /{environment}/marketplace-keys/{key_id}/roll': { id: 'rollMarketplaceKey', ...ofMarketplace.roll },
  'DELETE /{environment}/marketplace-keys/{key_id}': { id: 'revokeMarketplaceKey', ...ofMarketplace.revoke },
});
