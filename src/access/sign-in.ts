/** Use cases: a person signs in to the portal, sets a password by a link, or changes it. Each begins a session. */

import type { SentBody } from '../domain/body-text.ts';
import { LIMITS } from '../domain/limits.ts';
import { accept, type Outcome, refuse } from '../domain/outcome.ts';
import { fieldProblem, type Problem, requestProblem } from '../domain/problem.ts';
import type { SetupChecks } from '../domain/setup/all-setup.ts';
import { normaliseEmail } from '../domain/setup/portal-user.ts';
import type { PeopleStore, PortalUser } from '../store/port/people.ts';
import { clientNetwork } from './client-network.ts';
import { hashLinkToken } from './one-time-link.ts';
import type { Passwords } from './passwords.ts';
import type { Person } from './people.ts';
import { type IssuedSession, issueSession } from './portal-sessions.ts';
import type { RateDecision } from './rate-limiter.ts';
import type { SignInFailures } from './sign-in-failures.ts';

export interface SignInDesk {
  readonly store: PeopleStore;
  readonly checks: Pick<SetupChecks, 'signIn' | 'link' | 'firstPassword' | 'passwordChange'>;
  readonly passwords: Passwords;
  readonly failures: SignInFailures;
  /** Time of day. */
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
}

/** Who has signed in, and the token of the session that the browser is to keep. */
export interface SignedIn {
  readonly person: Person;
  readonly token: string;
}

export type SignInOutcome = Outcome<SignedIn> | { readonly throttled: RateDecision };

export async function signIn(desk: SignInDesk, body: SentBody, address: string): Promise<SignInOutcome> {
  const checked = desk.checks.signIn(body);
  if (!checked.ok) return checked;
  const { password } = checked.value;
  const email = normaliseEmail(checked.value.email);
  const attempt = await desk.failures.attempt(clientNetwork(address), email, desk.monotonicMs(), () =>
    beginSession(desk, email, password),
  );
  if (attempt === undefined) return refuse([SIGN_IN_WRONG], checked.ignored);
  return 'throttled' in attempt ? attempt : accept(attempt, checked.ignored);
}

/** Undefined where the password is wrong. */
async function beginSession(desk: SignInDesk, email: string, password: string): Promise<SignedIn | undefined> {
  const passwordHash = await desk.store.readPasswordHash(email);
  const fits = await desk.passwords.fits(passwordHash, password);
  const user = fits ? await desk.store.readPortalUser(email) : undefined;
  if (user === undefined || typeof passwordHash !== 'string') return undefined;
  const session = issueSession(desk.nowMs());
  const begun = await desk.store.addSession(email, passwordHash, session.stored, LIMITS.sessions_per_user_max);
  return begun === 'stored' ? signedIn(user, session) : undefined;
}

/** Whom a link is for. */
export async function readLinkOwner(desk: SignInDesk, body: SentBody): Promise<Outcome<PortalUser>> {
  const checked = desk.checks.link(body);
  return checked.ok ? ownerOf(desk, hashLinkToken(checked.value.token)) : checked;
}

export async function setFirstPassword(desk: SignInDesk, body: SentBody): Promise<Outcome<SignedIn>> {
  const checked = desk.checks.firstPassword(body);
  if (!checked.ok) return checked;
  const tokenHash = hashLinkToken(checked.value.token);
  // Looked at before the password is hashed, which is costly.
  const owner = await ownerOf(desk, tokenHash);
  if (!owner.ok) return owner;
  const passwordHash = await desk.passwords.hash(checked.value.password);
  const session = issueSession(desk.nowMs());
  const user = await desk.store.useLink(tokenHash, passwordHash, session.stored, desk.nowMs());
  // Another has used it while this one was hashed.
  return user === undefined ? refuse([LINK_ENDED]) : accept(signedIn(user, session), checked.ignored);
}

async function ownerOf(desk: SignInDesk, tokenHash: Uint8Array): Promise<Outcome<PortalUser>> {
  const user = await desk.store.readLink(tokenHash, desk.nowMs());
  return user === undefined ? refuse([LINK_ENDED]) : accept(user);
}

/** Ends all other sessions; this one goes on under a new token. Wrong passwords count by session in place of the client. */
export async function changePassword(desk: SignInDesk, person: Person, body: SentBody): Promise<SignInOutcome> {
  const checked = desk.checks.passwordChange(body);
  if (!checked.ok) return checked;
  const { email, sessionId } = person;
  const { current_password, password } = checked.value;
  const attempt = await desk.failures.attempt(sessionId, email, desk.monotonicMs(), () =>
    replacePassword(desk, person, current_password, password),
  );
  if (attempt === undefined) return refuse([PASSWORD_WRONG], checked.ignored);
  return 'throttled' in attempt ? attempt : accept(attempt, checked.ignored);
}

/** Undefined where the current password is wrong. */
async function replacePassword(
  desk: SignInDesk,
  person: Person,
  current: string,
  next: string,
): Promise<SignedIn | undefined> {
  const { email, sessionId } = person;
  const currentHash = await desk.store.readPasswordHash(email);
  if (typeof currentHash !== 'string' || !(await desk.passwords.fits(currentHash, current))) return undefined;
  const session = issueSession(desk.nowMs(), sessionId);
  const nextHash = await desk.passwords.hash(next);
  const changed = await desk.store.changePassword(email, currentHash, nextHash, session.stored);
  return changed === 'stored' ? signedIn(person, session) : undefined;
}

function signedIn(
  { email, role, merchantId }: Pick<PortalUser, 'email' | 'role' | 'merchantId'>,
  { token, stored, csrfToken }: IssuedSession,
): SignedIn {
  return { person: { email, role, merchantId, sessionId: stored.sessionId, csrfToken }, token };
}

const SIGN_IN_WRONG: Problem = requestProblem('sign_in_wrong', 'The e-mail address or the password is wrong.');
const PASSWORD_WRONG: Problem = fieldProblem('password_wrong', ['current_password'], 'is not the current password');
const LINK_ENDED: Problem = requestProblem(
  'one_time_link_ended',
  'This link was used or has ended; ask for a new one where you got it.',
);
