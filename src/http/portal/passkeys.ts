/** GET, POST and PUT /passkeys, POST /passkeys/options, DELETE /passkeys/{passkey_id}: the passkeys of the signed-in user. */
import {
  addPasskey,
  beginPasskey,
  readOwnPasskeys,
  removePasskey,
  setNeedsPasskey,
} from '../../access/portal/passkeys.ts';
import { type Static, Type } from '../../domain/check/type.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { NewPasskeyBody, PasskeyNeedBody } from '../../domain/setup/sign-in.ts';
import { isoTime } from '../../domain/vocabulary/iso-time.ts';
import { PORTAL_ROLE_NAMES } from '../../domain/vocabulary/portal-roles.ts';
import { type Answer, endpointsOf } from '../endpoint.ts';
import { PASSKEY_COOKIE } from '../portal-access/session-cookie.ts';
import { isoTimeOrNull, OrNull, Time } from './answer-schemas.ts';
import { optionsAnswer, PasskeyOptions } from './session.ts';

const PasskeysAnswer = Type.Object({
  passkeys: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      created: Time('Time of creation.'),
      last_used: OrNull(Time(''), 'Null if it was never used. ISO 8601, UTC.'),
    }),
    { description: 'The oldest first.' },
  ),
  needed: Type.Boolean({ description: 'Whether the user chose that the password alone is not enough.' }),
});

const shared = { tag: 'Passkeys', access: 'person', roles: PORTAL_ROLE_NAMES, ofOneself: true } as const;

export const passkeysEndpoints = endpointsOf(shared, {
  'GET /passkeys': {
    id: 'listPasskeys',
    summary: "List the user's passkeys",
    answer: PasskeysAnswer,
    async handle({ services, person }) {
      const own = await readOwnPasskeys(services.portal.signIn, person);
      const passkeys = own?.passkeys.map(({ credentialId: id, name, createdMs, lastUsedMs }) => {
        return { id, name, created: isoTime(createdMs), last_used: isoTimeOrNull(lastUsedMs) };
      });
      const answer: Static<typeof PasskeysAnswer> = { passkeys: passkeys ?? [], needed: own?.needsPasskey === true };
      return { status: 200, json: JSON.stringify(answer) };
    },
  },
  'POST /passkeys/options': {
    id: 'beginPasskey',
    beforePasskey: true,
    needsFreshSignIn: true,
    summary: 'Begin to add a passkey',
    description: `Sets a cookie for ${LIMITS.passkey_challenge_seconds / 60} minutes, and returns the options for \`navigator.credentials.create\`.`,
    answer: PasskeyOptions,
    act: 'none',
    async handle({ services, person }) {
      const begun = await beginPasskey(services.portal.signIn, person, services.publicUrl());
      return begun.ok ? optionsAnswer(services, begun.value) : begun;
    },
  },
  'POST /passkeys': {
    id: 'addPasskey',
    beforePasskey: true,
    needsFreshSignIn: true,
    unhurried: true,
    summary: 'Add a passkey',
    description: `A user can have at most ${LIMITS.passkeys_per_user_max}. The session then counts as one that used a passkey.`,
    requestBody: NewPasskeyBody,
    failures: [404],
    act: ({ body }) => ({ subject: String((body.value as Static<typeof NewPasskeyBody>).name).trim(), detail: '' }),
    async handle({ services, person, body, headers }) {
      const cookie = PASSKEY_COOKIE.read(headers.cookie);
      return done(await addPasskey(services.portal.signIn, person, body, cookie, services.publicUrl()));
    },
  },
  'PUT /passkeys': {
    id: 'setNeedsPasskey',
    needsFreshSignIn: true,
    summary: 'Set whether the password alone is enough to sign in',
    description: 'Only sessions that used a passkey may change it.',
    requestBody: PasskeyNeedBody,
    act: ({ body }) => ({ subject: '', detail: `needed: ${(body.value as Static<typeof PasskeyNeedBody>).needed}` }),
    handle: async ({ services, person, body }) => done(await setNeedsPasskey(services.portal.signIn, person, body)),
  },
  'DELETE /passkeys/{passkey_id}': {
    id: 'removePasskey',
    needsFreshSignIn: true,
    summary: 'Remove a passkey',
    description: 'The last one cannot be removed while the account needs a passkey.',
    failures: [404],
    act: ({ targetId }) => ({ subject: targetId, detail: '' }),
    handle: async ({ services, person, targetId }) =>
      done(await removePasskey(services.portal.signIn, person, targetId)),
  },
});

function done(outcome: Outcome<void>): Answer {
  return outcome.ok ? { status: 202, ignored: outcome.ignored } : outcome;
}
