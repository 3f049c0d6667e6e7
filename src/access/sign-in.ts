/** Use cases: a person signs in to the portal, sets a password by a link, or changes it. Each begins a session. */
import type { SentBody } from '../domain/body-text.ts';
import { LIMITS } from '../domain/limits.ts';
import { accept, type Outcome, refuse } from '../domain/outcome.ts';
import { fieldProblem, type Problem, requestProblem } from '../domain/problem.ts';
import type { SetupChecks } from '../domain/setup/all-setup.ts';
import { normaliseEmail } from '../domain/setup/portal-user.ts';
import type { PortalSessionStore, PortalUser, PortalUserStore } from '../store/portal-port.ts';
import { hashLinkToken } from './one-time-link.ts';
import type { Passwords } from './passwords.ts';
import type { Person } from './people.ts';
import { type IssuedSession, issueSession } from './portal-sessions.ts';
import type { RateDecision } from './rate-limiter.ts';
import type { SignInFailures } from './sign-in-failures.ts';

export interface SignInDesk {
  readonly store: PortalUserStore & PortalSessionStore;
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
  const throttled = desk.failures.throttled(address, email, desk.monotonicMs());
  if (throttled !== undefined) return { throttled };
  const passwordHash = await desk.store.readPasswordHash(email);
  const fits = await desk.passwords.fits(passwordHash, password);
  const user = fits ? await desk.store.readPortalUser(email) : undefined;
  if (user !== undefined && typeof passwordHash === 'string') {
    const session = issueSession(desk.nowMs());
    const begun = await desk.store.addSession(email, passwordHash, session.stored, LIMITS.sessions_per_user_max);
    if (begun === 'stored') return accept(signedIn(user, session), checked.ignored);
  }
  desk.failures.note(address, email, desk.monotonicMs());
  return refuse([requestProblem('sign_in_wrong', 'The e-mail address or the password is wrong.')], checked.ignored);
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

/** Ends all other sessions; this one goes on under a new token. Wrong passwords count by session in place of the address. */
export async function changePassword(desk: SignInDesk, person: Person, body: SentBody): Promise<SignInOutcome> {
  const checked = desk.checks.passwordChange(body);
  if (!checked.ok) return checked;
  const { email, sessionId } = person;
  const throttled = desk.failures.throttled(sessionId, email, desk.monotonicMs());
  if (throttled !== undefined) return { throttled };
  const { current_password, password } = checked.value;
  const currentHash = await desk.store.readPasswordHash(email);
  if (typeof currentHash === 'string' && (await desk.passwords.fits(currentHash, current_password))) {
    const session = issueSession(desk.nowMs(), sessionId);
    const newHash = await desk.passwords.hash(password);
    const changed = await desk.store.changePassword(email, currentHash, newHash, session.stored);
    if (changed === 'stored') return accept(signedIn(person, session), checked.ignored);
  }
  desk.failures.note(sessionId, email, desk.monotonicMs());
  return refuse([fieldProblem('password_wrong', ['current_password'], 'is not the current password')], checked.ignored);
}

function signedIn(
  { email, role, merchantId }: Pick<PortalUser, 'email' | 'role' | 'merchantId'>,
  { token, stored, csrfToken }: IssuedSession,
): SignedIn {
  return { person: { email, role, merchantId, sessionId: stored.sessionId, csrfToken }, token };
}

const LINK_ENDED: Problem = requestProblem(
  'one_time_link_ended',
  'This link was used or has ended; ask for a new one where you got it.',
);
