/**
 * GET, POST and DELETE /session, PUT /password, DELETE /sessions, POST /links and /links/password: sign-in and
 * passwords.
 */
import {
  beginPasskeySignIn,
  isNeededByRole,
  isPasskeyDue,
  readOwnPasskeys,
  signInWithPasskey,
} from '../../access/portal/passkeys.ts';
import type { Person } from '../../access/portal/portal-sessions.ts';
import {
  changePassword,
  readLinkOwner,
  type SignedIn,
  type SignInOutcome,
  setFirstPassword,
  signIn,
} from '../../access/portal/sign-in.ts';
import { beginWithProvider, signInWithProvider } from '../../access/portal/sign-in-with-provider.ts';
import { OneOf } from '../../domain/check/schema.ts';
import { type Static, Type } from '../../domain/check/type.ts';
import { LIMITS } from '../../domain/limits.ts';
import { requestProblem } from '../../domain/problem.ts';
import {
  FirstPasswordBody,
  LinkBody,
  PasskeySignInBody,
  PasswordChangeBody,
  ProviderBeginBody,
  ProviderResponseBody,
  SignInBody,
} from '../../domain/setup/sign-in.ts';
import { PORTAL_ROLE_NAMES } from '../../domain/vocabulary/portal-roles.ts';
import { type Answer, endpointsOf } from '../endpoint.ts';
import { PASSKEY_COOKIE, PROVIDER_COOKIE, SESSION_COOKIE } from '../portal-access/session-cookie.ts';
import type { Services } from '../services.ts';
import { OrNull } from './answer-schemas.ts';

const ShownPerson = Type.Object({
  email: Type.String(),
  role: OneOf(PORTAL_ROLE_NAMES),
  merchant: Type.Union(
    [Type.Object({ id: Type.String(), name: Type.String(), suspended: Type.Boolean() }), Type.Null()],
    { description: 'Merchant that the user belongs to, or that an operator views as; null for all other operators.' },
  ),
  passwordless: Type.Optional(
    Type.Boolean({ description: 'True for a user without a password, who signs in with the provider.' }),
  ),
  passkeys: Type.Optional(Type.Integer({ description: 'Number of passkeys of the user, if any.' })),
  needs_passkey: Type.Optional(
    Type.Boolean({
      description: 'True if the password alone is not enough: by choice of the user, or for operators by a setting.',
    }),
  ),
  passkey_due: Type.Optional(
    Type.Boolean({ description: 'True until the user adds a passkey or signs in with it. Other calls are refused.' }),
  ),
  viewing: Type.Optional(Type.Boolean({ description: 'True for an operator who views as this merchant, read-only.' })),
});

/** Its schema is that of the browsers, so it is not repeated here. */
export const PasskeyOptions = Type.Object({
  options: Type.Unsafe<object>({
    type: 'object',
    description: 'Options as JSON, as `PublicKeyCredential` parses them.',
  }),
});

const SessionAnswer = Type.Object({
  person: Type.Union([ShownPerson, Type.Null()], { description: 'The signed-in user; null if not signed in.' }),
  csrf_token: Type.Union([Type.String(), Type.Null()], { description: 'Value of `X-CSRF-Token` for every change.' }),
  api_url: Type.String({ description: 'Base URL of the API.' }),
  limits: Type.Object({
    requests_per_minute: Type.Integer({ description: 'API rate limit per account, in requests per minute.' }),
    file_bytes_max: Type.Integer({ description: 'Size limit for a gzip file, in bytes.' }),
    file_unpacked_bytes_max: Type.Integer({ description: 'Size limit for an uncompressed file, in bytes.' }),
    history_days: Type.Integer({
      description: 'Days for which the history of offers is kept; 0 if it is not recorded.',
    }),
    offers_per_change_max: Type.Integer(),
    password_characters_min: Type.Integer(),
  }),
  names: Type.Object(
    {
      marketplace: Type.String({ description: 'Prefix of `marketplace_browse_node_id` and similar fields.' }),
      external: Type.String({ description: 'Prefix of `external_item_type_keyword`.' }),
      carriers: Type.Array(Type.String(), { description: 'The five carriers, starting with `<carrier_1>`.' }),
      review_status: Type.String({ description: 'Name of the status of offers under review.' }),
    },
    { description: 'Names that the operator set.' },
  ),
  storefront: Type.Boolean({ description: 'Whether offers have a position in the storefront.' }),
  sign_in_provider: OrNull(Type.String(), 'Name of the provider with which people can sign in; null if there is none.'),
  demo: Type.Boolean({ description: 'Whether this is the demo, whose credentials are public.' }),
  demo_logins: Type.Array(Type.Object({ email: Type.String(), password: Type.String() }), {
    description: 'Public logins of the demo, for its sign-in page. Empty on every other server.',
  }),
});

const visitor = { access: 'visitor', tag: 'Session' } as const;
const ofOneself = { tag: 'Session', access: 'person', roles: PORTAL_ROLE_NAMES, ofOneself: true } as const;

export const sessionEndpoints = endpointsOf(visitor, {
  'GET /session': {
    id: 'getSession',
    summary: 'Read the session, and settings for the pages',
    answer: SessionAnswer,
    handle: ({ services, signedIn }) => sessionAnswer(services, signedIn),
  },
  'POST /session': {
    id: 'signIn',
    unhurried: true,
    summary: 'Sign in',
    description: `Sets a cookie. After too many wrong passwords, sign-ins are refused for up to ${LIMITS.sign_in_window_seconds / 60} minutes.`,
    requestBody: SignInBody,
    answer: SessionAnswer,
    handle: async ({ services, body, ip }) => signedInAnswer(services, await signIn(services.portal.signIn, body, ip)),
  },
  'POST /session/provider': {
    id: 'beginProviderSignIn',
    unhurried: true,
    summary: 'Begin a sign-in with the provider',
    description: `Sets a cookie for ${LIMITS.provider_sign_in_seconds / 60} minutes, and returns the URL that the browser opens next.`,
    requestBody: ProviderBeginBody,
    answer: Type.Object({ url: Type.String() }),
    failures: [404],
    async handle({ services, body }) {
      const outcome = await beginWithProvider(services.portal.signIn, body, returnUrl(services));
      if (!outcome.ok) return outcome;
      const { url, cookie } = outcome.value;
      const headers = PROVIDER_COOKIE.set(cookie, services.publicUrl());
      return { status: 200, json: JSON.stringify({ url }), headers };
    },
  },
  'POST /session/provider/return': {
    id: 'signInWithProvider',
    unhurried: true,
    summary: 'Sign in with what the provider returned',
    requestBody: ProviderResponseBody,
    answer: SessionAnswer,
    failures: [404],
    async handle({ services, body, headers }) {
      const cookie = PROVIDER_COOKIE.read(headers.cookie);
      const outcome = await signInWithProvider(services.portal.signIn, body, cookie, returnUrl(services));
      return signedInAnswer(services, outcome);
    },
  },
  'POST /session/passkey': {
    id: 'beginPasskeySignIn',
    summary: 'Begin a sign-in with a passkey',
    description: `Sets a cookie for ${LIMITS.passkey_challenge_seconds / 60} minutes, and returns the options for \`navigator.credentials.get\`.`,
    answer: PasskeyOptions,
    handle: async ({ services }) =>
      optionsAnswer(services, await beginPasskeySignIn(services.portal.signIn, services.publicUrl())),
  },
  'POST /session/passkey/response': {
    id: 'signInWithPasskey',
    unhurried: true,
    summary: 'Sign in with the response of a passkey',
    description:
      'Sets a cookie. Each challenge works once. After too many refused responses, sign-ins are refused as for wrong passwords.',
    requestBody: PasskeySignInBody,
    answer: SessionAnswer,
    async handle({ services, body, headers, ip }) {
      const cookie = PASSKEY_COOKIE.read(headers.cookie);
      return signedInAnswer(
        services,
        await signInWithPasskey(services.portal.signIn, body, cookie, services.publicUrl(), ip),
      );
    },
  },
  'POST /links': {
    id: 'readLink',
    summary: 'Read which user a password link belongs to',
    description: 'Changes nothing. The token is in the body, so that it never appears in a URL or log.',
    requestBody: LinkBody,
    answer: Type.Object({ email: Type.String(), role: OneOf(PORTAL_ROLE_NAMES) }),
    failures: [404],
    async handle({ services, body }) {
      const outcome = await readLinkOwner(services.portal.signIn, body);
      if (!outcome.ok) return outcome;
      const { email, role } = outcome.value;
      return { status: 200, json: JSON.stringify({ email, role }) };
    },
  },
  'POST /links/password': {
    id: 'useLink',
    unhurried: true,
    summary: 'Set a password with a link, and sign in',
    description: "The link works once. Ends all of the user's sessions.",
    requestBody: FirstPasswordBody,
    answer: SessionAnswer,
    failures: [404],
    handle: async ({ services, body }) =>
      signedInAnswer(services, await setFirstPassword(services.portal.signIn, body)),
  },
});

export const ownSessionEndpoints = endpointsOf(ofOneself, {
  'DELETE /session': {
    id: 'signOut',
    endsView: true,
    beforePasskey: true,
    summary: 'Sign out',
    async handle({ services, person }) {
      await services.portal.people.endSession(person.sessionId);
      return { status: 202, headers: SESSION_COOKIE.end(services.publicUrl()) };
    },
  },
  'DELETE /sessions': {
    id: 'endOtherSessions',
    summary: "End all of the user's other sessions",
    async handle({ services, person }) {
      await services.portal.people.endSessions(person.email, person.sessionId);
      return { status: 202 };
    },
  },
  'PUT /password': {
    id: 'changePassword',
    unhurried: true,
    summary: 'Change the password',
    description: "Ends all of the user's other sessions. The current session continues with a new cookie.",
    requestBody: PasswordChangeBody,
    async handle({ services, person, body }) {
      const outcome = await changePassword(services.portal.signIn, person, body);
      return begun(services, outcome, () => ({ status: 202 }));
    },
  },
});

/** The page to which the provider returns the browser. It must be registered at the provider. */
function returnUrl({ publicUrl }: Services): string {
  return `${publicUrl()}/portal/sign-in/return`;
}

/** Returns the options for a passkey, and sets the cookie that belongs to them. */
export function optionsAnswer(
  { publicUrl }: Services,
  { options, cookie }: { readonly options: object; readonly cookie: string },
): Answer {
  return { status: 200, json: JSON.stringify({ options }), headers: PASSKEY_COOKIE.set(cookie, publicUrl()) };
}

function signedInAnswer(services: Services, outcome: SignInOutcome): Promise<Answer> {
  return begun(services, outcome, ({ person }) => sessionAnswer(services, person));
}

/** Builds the response with the cookie of the new session. */
async function begun(
  services: Services,
  outcome: SignInOutcome,
  answer: (signedIn: SignedIn) => Answer | Promise<Answer>,
): Promise<Answer> {
  if ('throttled' in outcome) {
    return {
      problems: [requestProblem('too_many_failures', 'Too many failed attempts. Wait before you retry.')],
      headers: { 'retry-after': String(outcome.throttled.reset_seconds) },
    };
  }
  if (!outcome.ok) return outcome;
  services.portal.sessions.handedOut(outcome.value.token);
  const headers = SESSION_COOKIE.set(outcome.value.token, services.publicUrl());
  return { ...(await answer(outcome.value)), headers, ignored: outcome.ignored };
}

async function sessionAnswer({ portal, publicUrl, storefront }: Services, person: Person | undefined): Promise<Answer> {
  const { demoLogins, names, requestsPerMinute, fileBytesMax, fileUnpackedBytesMax, history_days } = portal.shown;
  const { marketplace, external, carriers, reviewStatus } = names;
  const answer: Static<typeof SessionAnswer> = {
    person: person === undefined ? null : await shownPerson(portal, person),
    csrf_token: person?.csrfToken ?? null,
    api_url: publicUrl(),
    limits: {
      requests_per_minute: requestsPerMinute,
      file_bytes_max: fileBytesMax,
      file_unpacked_bytes_max: fileUnpackedBytesMax,
      history_days,
      offers_per_change_max: LIMITS.offers_per_change_max,
      password_characters_min: LIMITS.password_characters_min,
    },
    names: { marketplace, external, carriers: [...carriers], review_status: reviewStatus },
    storefront: storefront.isOn,
    sign_in_provider: portal.signIn.provider?.options.name ?? null,
    demo: demoLogins.length > 0,
    demo_logins: [...demoLogins],
  };
  return { status: 200, json: JSON.stringify(answer) };
}

async function shownPerson(
  { directory, people, signIn }: Services['portal'],
  person: Person,
): Promise<Static<typeof ShownPerson>> {
  const { email, role, merchantId, isViewing } = person;
  const own = await readOwnPasskeys(signIn, person);
  const needsPasskey = own?.isOfProvider === false && (own.needsPasskey || isNeededByRole(signIn, person));
  const merchant = merchantId === null ? undefined : await directory.merchant(merchantId);
  return {
    email,
    role,
    merchant:
      merchant === undefined ? null : { id: merchant.merchantId, name: merchant.name, suspended: merchant.suspended },
    ...((await people.readPasswordHash(email)) === null ? { passwordless: true } : {}),
    ...(own?.passkeys.length ? { passkeys: own.passkeys.length } : {}),
    ...(needsPasskey ? { needs_passkey: true } : {}),
    ...(isPasskeyDue(signIn, person, needsPasskey) ? { passkey_due: true } : {}),
    ...(isViewing ? { viewing: true } : {}),
  };
}
