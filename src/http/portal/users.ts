/** GET and POST /users, POST /users/{email}/reset, DELETE /users/{email}: portal users. */
import Type, { type Static } from 'typebox';
import { type IssuedLink, issueLink, linkUrl } from '../../access/one-time-link.ts';
import type { Person } from '../../access/people.ts';
import { OneOf } from '../../domain/check/schema.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { requestProblem } from '../../domain/problem.ts';
import { normaliseEmail, PortalUserBody } from '../../domain/setup/portal-user.ts';
import { PORTAL_ROLE_NAMES } from '../../domain/vocabulary/portal-roles.ts';
import {
  addPortalUser,
  listPortalUsers,
  removePortalUser,
  resetPortalUser,
  type UsersOf,
} from '../../operations/setup/portal-users.ts';
import type { ListedPortalUser, PortalUser } from '../../store/port/people.ts';
import { isoTime } from '../answers/iso-time.ts';
import type { Answer, PersonCall, PersonEndpoint } from '../endpoint.ts';
import { textParameter } from '../query.ts';
import type { Services } from '../services.ts';
import { decodePart } from './address-part.ts';
import { isoTimeOrNull, OrNull, Time } from './answer-schemas.ts';

const UserAnswer = Type.Object({
  email: Type.String(),
  role: OneOf(PORTAL_ROLE_NAMES),
  merchant_id: OrNull(Type.String(), 'Null for operators.'),
  created: Time('When the user was added.'),
  last_sign_in: OrNull(Time(''), 'Null where it was never. ISO 8601, UTC.'),
  invited_until: OrNull(Time(''), 'End of a link that was handed out and not used yet. ISO 8601, UTC.'),
});

const LinkAnswer = Type.Object({
  email: Type.String(),
  link: Type.String({ description: 'To set a password by, once; shown this once.' }),
  link_ends: Time('When it stops working.'),
});

const shared = { access: 'person', tag: 'Users', roles: ['merchant-admin', 'operator'] } as const;

export const usersEndpoints: readonly PersonEndpoint[] = [
  {
    ...shared,
    id: 'listUsers',
    method: 'GET',
    path: '/users',
    summary: 'List who may sign in, in order of e-mail address',
    description: "Operators see all, a merchant's admins those of the merchant.",
    query: { merchant: { description: 'Only those of this merchant; for operators.', schema: Type.String() } },
    answer: Type.Object({ users: Type.Array(UserAnswer) }),
    failures: [400],
    handle: listAnswer,
  },
  {
    ...shared,
    id: 'addUser',
    method: 'POST',
    path: '/users',
    summary: 'Add somebody, with a link to set a password by',
    description: "Those that a merchant's admin adds are of that merchant.",
    requestBody: PortalUserBody,
    answer: LinkAnswer,
    failures: [400, 404],
    async handle({ services, person, body }) {
      const link = issueLink(services.context.nowMs());
      const outcome = await addPortalUser(services.setup, body, link.stored, usersOf(person));
      return linkAnswer(services, outcome, link);
    },
  },
  {
    ...shared,
    id: 'resetUser',
    method: 'POST',
    path: '/users/{email}/reset',
    summary: 'Make somebody a new link to set a password by',
    description: 'Earlier links stop working at once; password and sessions do so when the link is used.',
    answer: LinkAnswer,
    failures: [400, 404],
    async handle({ services, person, value }) {
      const email = decodePart(value);
      if ('problem' in email) return { problems: [email.problem] };
      const link = issueLink(services.context.nowMs());
      const outcome = await resetPortalUser(services.setup, email.value, link.stored, usersOf(person));
      return linkAnswer(services, outcome, link);
    },
  },
  {
    ...shared,
    id: 'removeUser',
    method: 'DELETE',
    path: '/users/{email}',
    summary: 'Remove somebody; the sessions end at once',
    failures: [400, 404],
    handle: removeAnswer,
  },
];

/** For an operator: all users. */
function usersOf({ merchantId }: Person): UsersOf {
  return merchantId === null ? 'all' : { merchantId };
}

async function listAnswer({ services, person, query }: PersonCall): Promise<Answer> {
  const asked = textParameter(query, 'merchant');
  if ('problem' in asked) return { problems: [asked.problem] };
  const of = usersOf(person);
  const outcome = await listPortalUsers(services.setup, of);
  if (!outcome.ok) return outcome;
  const wanted = of === 'all' ? asked.value : undefined;
  const users = outcome.value.filter(({ merchantId }) => wanted === undefined || merchantId === wanted);
  const answer = { users: users.map((user) => userJson(user, services.context.nowMs())) };
  return { status: 200, json: JSON.stringify(answer) };
}

async function removeAnswer({ services, person, value }: PersonCall): Promise<Answer> {
  const email = decodePart(value);
  if ('problem' in email) return { problems: [email.problem] };
  if (normaliseEmail(email.value) === person.email) {
    return { problems: [requestProblem('user_is_oneself', 'You cannot remove your own account. Ask another admin.')] };
  }
  const outcome = await removePortalUser(services.setup, email.value, usersOf(person));
  return outcome.ok ? { status: 202 } : outcome;
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
  const { email, role, merchantId, createdMs, lastSignInMs, invitedUntilMs } = user;
  const isInvited = invitedUntilMs !== null && invitedUntilMs > nowMs;
  return {
    email,
    role,
    merchant_id: merchantId,
    created: isoTime(createdMs),
    last_sign_in: isoTimeOrNull(lastSignInMs),
    invited_until: isInvited ? isoTime(invitedUntilMs) : null,
  };
}
