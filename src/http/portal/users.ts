/** GET and POST /users, PUT and DELETE /users/{email}, POST /users/{email}/reset: portal users. */
import { type IssuedLink, issueLink, linkUrl } from '../../access/portal/one-time-link.ts';
import type { Person } from '../../access/portal/portal-sessions.ts';
import { OneOf } from '../../domain/check/schema.ts';
import { type Static, Type } from '../../domain/check/type.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { requestProblem } from '../../domain/problem.ts';
import { MerchantRoleBody, normalizeEmail, PortalUserBody } from '../../domain/setup/portal-user.ts';
import { isoTime } from '../../domain/vocabulary/iso-time.ts';
import { PORTAL_ROLE_NAMES } from '../../domain/vocabulary/portal-roles.ts';
import {
  addPortalUser,
  changePortalUserRole,
  listPortalUsers,
  removePortalUser,
  resetPortalUser,
  type UsersOf,
} from '../../operations/setup/portal-users.ts';
import type { ListedPortalUser, PortalUser } from '../../store/port/people.ts';
import { type Answer, endpointsOf, type PersonCall } from '../endpoint.ts';
import { textParameter } from '../query.ts';
import type { Services } from '../services.ts';
import { Count, isoTimeOrNull, OrNull, Time } from './answer-schemas.ts';

const UserAnswer = Type.Object({
  email: Type.String(),
  role: OneOf(PORTAL_ROLE_NAMES),
  merchant_id: OrNull(Type.String(), 'Merchant of the user; null for operators.'),
  created: Time('Time of creation.'),
  last_sign_in: OrNull(Time(''), 'Null if the user never signed in. ISO 8601, UTC.'),
  of_provider: Type.Boolean({ description: 'Whether the sign-in provider manages the user.' }),
  passkeys: Count('Number of passkeys.'),
  invited_until: OrNull(Time(''), 'Expiry of an unused invite link; null if there is none. ISO 8601, UTC.'),
});

const LinkAnswer = Type.Object({
  email: Type.String(),
  link: Type.String({ description: 'One-time link to set a password; shown only once.' }),
  link_ends: Time('Time of expiry.'),
});

const shared = { access: 'person', tag: 'Users', roles: ['merchant-admin', 'operator'] } as const;

export const usersEndpoints = endpointsOf(shared, {
  'GET /users': {
    id: 'listUsers',
    summary: 'List the portal users, sorted by email address',
    description: 'Operators see all users; admins of a merchant see the users of that merchant.',
    query: { merchant: { description: 'Only users of this merchant; for operators.', schema: Type.String() } },
    answer: Type.Object({ users: Type.Array(UserAnswer) }),
    async handle({ services, person, query }) {
      const asked = textParameter(query, 'merchant');
      if ('problem' in asked) return { problems: [asked.problem] };
      const of = usersOf(person);
      const outcome = await listPortalUsers(services.setup, of);
      if (!outcome.ok) return outcome;
      const wanted = of === 'all' ? asked.value : undefined;
      const users = outcome.value.filter(({ merchantId }) => wanted === undefined || merchantId === wanted);
      const answer = { users: users.map((user) => userJson(user, services.context.nowMs())) };
      return { status: 200, json: JSON.stringify(answer) };
    },
  },
  'POST /users': {
    id: 'addUser',
    needsFreshSignIn: true,
    summary: 'Add a user, with a link to set a password',
    description: "Users added by a merchant's admin belong to that merchant.",
    requestBody: PortalUserBody,
    answer: LinkAnswer,
    failures: [404],
    async handle({ services, person, body }) {
      const link = issueLink(services.context.nowMs());
      const outcome = await addPortalUser(services.setup, body, link.stored, usersOf(person));
      return linkAnswer(services, outcome, link);
    },
  },
  'POST /users/{email}/reset': {
    id: 'resetUser',
    needsFreshSignIn: true,
    summary: 'Create a new password link for a user',
    description:
      'Revokes earlier links immediately. The old password and the sessions stop working when the new link is used.',
    answer: LinkAnswer,
    failures: [404],
    async handle({ services, person, targetId: email }) {
      const link = issueLink(services.context.nowMs());
      const outcome = await resetPortalUser(services.setup, email, link.stored, usersOf(person));
      return linkAnswer(services, outcome, link);
    },
  },
  'PUT /users/{email}': {
    id: 'changeUserRole',
    needsFreshSignIn: true,
    summary: "Change the role of a merchant's user",
    description: 'Applies to open sessions immediately.',
    requestBody: MerchantRoleBody,
    failures: [404],
    handle: (call) => otherUserAnswer(call, 'change the role of', changePortalUserRole),
  },
  'DELETE /users/{email}': {
    id: 'removeUser',
    summary: 'Remove a user and end the sessions immediately',
    failures: [404],
    handle: (call) =>
      otherUserAnswer(call, 'remove', (setup, email, _body, change) => removePortalUser(setup, email, change)),
  },
});

/** An operator sees all users. */
function usersOf({ merchantId }: Person): UsersOf {
  return merchantId === null ? 'all' : { merchantId };
}

/** Refuses changes to your own account, so that at least one admin remains. */
async function otherUserAnswer(
  { services, person, targetId: email, body }: PersonCall,
  verb: string,
  operation: typeof changePortalUserRole,
): Promise<Answer> {
  if (normalizeEmail(email) === person.email) {
    const text = `You cannot ${verb} your own account. Ask another admin.`;
    return { problems: [requestProblem('user_is_oneself', text)] };
  }
  const outcome = await operation(services.setup, email, body, { by: person.email, of: usersOf(person) });
  return outcome.ok ? { status: 202, ignored: outcome.ignored } : outcome;
}

function linkAnswer({ publicUrl }: Services, outcome: Outcome<PortalUser>, { token, stored }: IssuedLink): Answer {
  if (!outcome.ok) return outcome;
  const answer: Static<typeof LinkAnswer> = {
    email: outcome.value.email,
    link: linkUrl(publicUrl(), token),
    link_ends: isoTime(stored.endsMs),
  };
  return { status: 200, json: JSON.stringify(answer), ignored: outcome.ignored };
}

function userJson(user: ListedPortalUser, nowMs: number): Static<typeof UserAnswer> {
  const { email, role, merchantId, createdMs, lastSignInMs, providerSubject, invitedUntilMs, passkeys } = user;
  const isInvited = invitedUntilMs !== null && invitedUntilMs > nowMs;
  return {
    email,
    role,
    merchant_id: merchantId,
    created: isoTime(createdMs),
    last_sign_in: isoTimeOrNull(lastSignInMs),
    of_provider: providerSubject !== null,
    passkeys,
    invited_until: isInvited ? isoTime(invitedUntilMs) : null,
  };
}
