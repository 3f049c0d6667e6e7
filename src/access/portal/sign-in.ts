/** Use cases: a person signs in to the portal, sets a password with a link, or changes it. Each starts a session. */

import type { SentBody } from '../../domain/body-text.ts';
import { LIMITS } from '../../domain/limits.ts';
import { accept, type Outcome, refuse } from '../../domain/outcome.ts';
import { fieldProblem, type Problem, requestProblem } from '../../domain/problem.ts';
import type { SetupChecks } from '../../domain/setup/all-setup.ts';
import { normalizeEmail } from '../../domain/setup/portal-user.ts';
import type { PeopleStore, PortalUser } from '../../store/port/people.ts';
import { clientNetwork } from '../client-network.ts';
import type { RateDecision } from '../rates/rate-limiter.ts';
import { hashToken } from './one-time-link.ts';
import type { Passwords } from './passwords.ts';
import type { Person } from './portal-sessions.ts';
import { type IssuedSession, issueSession } from './portal-sessions.ts';
import type { SignInFailures } from './sign-in-failures.ts';

export interface SignInContext {
  readonly store: PeopleStore;
  readonly checks: Pick<
    SetupChecks,
    | ('signIn' | 'link' | 'firstPassword' | 'passwordChange' | 'providerBegin' | 'providerResponse')
    | ('passkeySignIn' | 'newPasskey' | 'passkeyNeed')
  >;
  readonly passwords: Passwords;
  readonly failures: SignInFailures;
  /** Passwords that are refused even if they match. */
  readonly isRefused?: ((email: string, password: string) => boolean) | undefined;
  /** Time of day. */
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
}

/** The signed-in person, and the session token for the browser. */
export interface SignedIn {
  readonly person: Person;
  readonly token: string;
}

export type SignInOutcome = Outcome<SignedIn> | { readonly throttled: RateDecision };

export async function signIn(context: SignInContext, body: SentBody, address: string): Promise<SignInOutcome> {
  const checked = context.checks.signIn(body);
  if (!checked.ok) return checked;
  const { password } = checked.value;
  const email = normalizeEmail(checked.value.email);
  const attempt = await context.failures.attempt(clientNetwork(address), email, context.monotonicMs(), () =>
    beginSession(context, email, password),
  );
  if (attempt === undefined) return refuse([SIGN_IN_WRONG], checked.ignored);
  return 'throttled' in attempt ? attempt : accept(attempt, checked.ignored);
}

/** Returns undefined when the password is wrong. */
async function beginSession(context: SignInContext, email: string, password: string): Promise<SignedIn | undefined> {
  const passwordHash = await context.store.readPasswordHash(email);
  const fits = (await context.passwords.fits(passwordHash, password)) && !context.isRefused?.(email, password);
  const user = fits ? await context.store.readPortalUser(email) : undefined;
  if (user === undefined || typeof passwordHash !== 'string') return undefined;
  const session = issueSession(context.nowMs(), { isByPassword: true });
  const begun = await context.store.addSession(email, passwordHash, session.stored, LIMITS.sessions_per_user_max);
  return begun === 'stored' ? signedIn(user, session) : undefined;
}

/** Returns the user of a link. */
export async function readLinkOwner(context: SignInContext, body: SentBody): Promise<Outcome<PortalUser>> {
  const checked = context.checks.link(body);
  return checked.ok ? ownerOf(context, hashToken(checked.value.token)) : checked;
}

export async function setFirstPassword(context: SignInContext, body: SentBody): Promise<Outcome<SignedIn>> {
  const checked = context.checks.firstPassword(body);
  if (!checked.ok) return checked;
  const tokenHash = hashToken(checked.value.token);
  // Checked before the password is hashed, which is costly.
  const owner = await ownerOf(context, tokenHash);
  if (!owner.ok) return owner;
  const passwordHash = await context.passwords.hash(checked.value.password);
  const session = issueSession(context.nowMs(), { isByPassword: true });
  const user = await context.store.useLink(tokenHash, passwordHash, session.stored, context.nowMs());
  // The link is gone if another request used it while this one hashed the password.
  return user === undefined ? refuse([LINK_ENDED]) : accept(signedIn(user, session), checked.ignored);
}

async function ownerOf(context: SignInContext, tokenHash: Uint8Array): Promise<Outcome<PortalUser>> {
  const user = await context.store.readLink(tokenHash, context.nowMs());
  return user === undefined ? refuse([LINK_ENDED]) : accept(user);
}

/**
 * Changes the password and ends all other sessions; this one continues with a new token. Wrong passwords count per session, not per client.
 */
export async function changePassword(context: SignInContext, person: Person, body: SentBody): Promise<SignInOutcome> {
  const checked = context.checks.passwordChange(body);
  if (!checked.ok) return checked;
  const { email, sessionId } = person;
  const { current_password, password } = checked.value;
  const attempt = await context.failures.attempt(sessionId, email, context.monotonicMs(), () =>
    replacePassword(context, person, current_password, password),
  );
  if (attempt === undefined) return refuse([PASSWORD_WRONG], checked.ignored);
  return 'throttled' in attempt ? attempt : accept(attempt, checked.ignored);
}

/** Returns undefined when the current password is wrong. */
async function replacePassword(
  context: SignInContext,
  person: Person,
  current: string,
  next: string,
): Promise<SignedIn | undefined> {
  const { email, sessionId, isByPassword } = person;
  const currentHash = await context.store.readPasswordHash(email);
  if (typeof currentHash !== 'string' || !(await context.passwords.fits(currentHash, current))) return undefined;
  const nowMs = context.nowMs();
  // The password proves less than a passkey, so it does not renew a sign-in with one.
  const session = issueSession(nowMs, {
    sessionId,
    isByPassword,
    signedInMs: isByPassword ? nowMs : person.signedInMs,
  });
  const nextHash = await context.passwords.hash(next);
  const changed = await context.store.changePassword(email, currentHash, nextHash, session.stored);
  return changed === 'stored' ? signedIn(person, session) : undefined;
}

export function signedIn(
  { email, role, merchantId }: Pick<PortalUser, 'email' | 'role' | 'merchantId'>,
  { token, stored, csrfToken }: IssuedSession,
): SignedIn {
  const { sessionId, signedInMs, isByPassword } = stored;
  return { person: { email, role, merchantId, sessionId, signedInMs, isByPassword, csrfToken }, token };
}

const SIGN_IN_WRONG: Problem = requestProblem('sign_in_wrong', 'Incorrect email or password.');
const PASSWORD_WRONG: Problem = fieldProblem('password_wrong', ['current_password'], 'is not the current password');
const LINK_ENDED: Problem = requestProblem('one_time_link_ended');
