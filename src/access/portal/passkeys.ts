/** Use cases: a person signs in with a passkey, and adds, lists and removes their own. */

import { hash } from 'node:crypto';
import type { SentBody } from '../../domain/body-text.ts';
import { LIMITS } from '../../domain/limits.ts';
import { accept, type Outcome, refuseRequest } from '../../domain/outcome.ts';
import { normalizeEmail } from '../../domain/setup/portal-user.ts';
import type { OwnPasskeys } from '../../store/port/people.ts';
import { clientNetwork } from '../client-network.ts';
import {
  ALGORITHMS,
  issueChallenge,
  openChallenge,
  rpIdOf,
  verifyNewPasskey,
  verifySignIn,
} from './passkey-challenges.ts';
import { issueSession, type Person } from './portal-sessions.ts';
import { type SignedIn, type SignInOutcome, signedIn } from './sign-in.ts';
import type { ProviderContext } from './sign-in-with-provider.ts';

export interface PasskeyContext extends ProviderContext {
  /** Whether operators with a password need a passkey. */
  readonly operatorsNeedPasskey: boolean;
  /** Learns why a passkey was refused, which the client does not. The reason has no text of the client. */
  readonly onPasskeyRefused: (reason: string) => void;
}

/** The browser passes the options to its authenticators. The cookie belongs to them. */
export interface BegunPasskey<Options> {
  readonly options: Options;
  readonly cookie: string;
}

const SIGN_IN = 'sign-in';
const TIMEOUT_MS = LIMITS.passkey_challenge_seconds * 1000;

/** The password alone is not enough for this person, and began the session. */
export function isPasskeyDue(context: PasskeyContext, person: Person, needsPasskey = person.needsPasskey): boolean {
  return person.isByPassword && (needsPasskey === true || isNeededByRole(context, person));
}

export function isNeededByRole({ operatorsNeedPasskey }: PasskeyContext, { role, isViewing }: Person): boolean {
  return operatorsNeedPasskey && (role === 'operator' || isViewing === true);
}

/** Names no user: the authenticator shows the accounts that it has for this server. */
export async function beginPasskeySignIn({ directory, nowMs }: PasskeyContext, publicUrl: string) {
  const { challenge, cookie } = issueChallenge(await directory.signingKeys(), SIGN_IN, nowMs());
  const options = { challenge, rpId: rpIdOf(publicUrl), timeout: TIMEOUT_MS, userVerification: 'required' } as const;
  return { options, cookie };
}

export async function signInWithPasskey(
  context: PasskeyContext,
  body: SentBody,
  cookie: string | undefined,
  publicUrl: string,
  address: string,
): Promise<SignInOutcome> {
  const checked = context.checks.passkeySignIn(body);
  if (!checked.ok) return checked;
  const { credential, email } = checked.value;
  // Counts by passkey, so that a stranger who sends wrong responses stops no sign-in with the password.
  const attempt = await context.failures.attempt(
    clientNetwork(address),
    `passkey ${credential.id}`,
    context.monotonicMs(),
    () => beginSession(context, credential, email, cookie, publicUrl),
  );
  if (attempt === undefined) return refuseRequest('passkey_refused', undefined, checked.ignored);
  return 'throttled' in attempt ? attempt : accept(attempt, checked.ignored);
}

/** Returns undefined when the passkey is refused. */
async function beginSession(
  context: PasskeyContext,
  credential: Parameters<typeof verifySignIn>[0],
  email: string | undefined,
  cookie: string | undefined,
  publicUrl: string,
): Promise<SignedIn | undefined> {
  const { store, directory, onPasskeyRefused } = context;
  const nowMs = context.nowMs();
  const refused = (reason: string) => {
    onPasskeyRefused(reason);
    return undefined;
  };
  const open = openChallenge(await directory.signingKeys(), SIGN_IN, cookie, nowMs);
  const found = await store.readPasskey(credential.id);
  if (open === undefined) return refused(CHALLENGE_ENDED);
  if (found === undefined) return refused('No user has this passkey.');
  if (email !== undefined && normalizeEmail(email) !== found.user.email) {
    return refused('The passkey belongs to another user than the session.');
  }
  const counter = await verifySignIn(credential, found.passkey, open, publicUrl, onPasskeyRefused);
  if (counter === undefined) return undefined;
  // Another process may have issued the challenge, by a clock that is ahead.
  const use = { counter, usedMs: Math.max(nowMs, open.issuedMs), challengeMs: open.issuedMs };
  const session = issueSession(nowMs);
  const { email: by, role } = found.user;
  const act = { atMs: nowMs, by, act: 'signInWithPasskey', subject: found.passkey.name, detail: '' };
  const begun = await store.addPasskeySession(
    ...([credential.id, use, session.stored, LIMITS.sessions_per_user_max] as const),
    role === 'operator' ? act : null,
  );
  if (begun === 'stored') return signedIn(found.user, session);
  return refused('The passkey was used or removed meanwhile, or its counter did not grow.');
}

/** Returns undefined for a program of the marketplace, and for a user who was removed. */
export function readOwnPasskeys({ store }: PasskeyContext, { email }: Person): Promise<OwnPasskeys | undefined> {
  return store.readOwnPasskeys(email);
}

export async function beginPasskey(context: PasskeyContext, person: Person, publicUrl: string) {
  const { email } = person;
  const own = await ownOf(context, person);
  if (!own.ok) return own;
  const { userId, passkeys } = own.value;
  if (passkeys.length >= LIMITS.passkeys_per_user_max) return refuseRequest('passkeys_full');
  const { challenge, cookie } = issueChallenge(
    await context.directory.signingKeys(),
    purposeOf(person),
    context.nowMs(),
  );
  const id = rpIdOf(publicUrl);
  // A passkey replaces another one with the same user id, also one of another server on this host.
  const options = {
    challenge,
    rp: { id, name: id },
    user: { id: hash('sha256', `${publicUrl} ${userId}`, 'base64url'), name: email, displayName: email },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key' as const, alg })),
    excludeCredentials: passkeys.map(({ credentialId }) => ({ type: 'public-key' as const, id: credentialId })),
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    } as const,
    attestation: 'none' as const,
    timeout: TIMEOUT_MS,
  };
  return accept({ options, cookie });
}

export async function addPasskey(
  context: PasskeyContext,
  person: Person,
  body: SentBody,
  cookie: string | undefined,
  publicUrl: string,
): Promise<Outcome<void>> {
  const checked = context.checks.newPasskey(body);
  if (!checked.ok) return checked;
  const own = await ownOf(context, person);
  if (!own.ok) return own;
  const nowMs = context.nowMs();
  const open = openChallenge(await context.directory.signingKeys(), purposeOf(person), cookie, nowMs);
  if (open === undefined) context.onPasskeyRefused(CHALLENGE_ENDED);
  const made = open && (await verifyNewPasskey(checked.value.credential, open, publicUrl, context.onPasskeyRefused));
  if (made === undefined) return refuseRequest('passkey_refused', NOT_ADDED);
  const passkey = { ...made, name: checked.value.name.trim(), createdMs: nowMs, lastUsedMs: null };
  // `ownOf` allows a session with a password only the first one, and another process may have added it meanwhile.
  const most = isPasskeyDue(context, person, own.value.needsPasskey) ? 1 : LIMITS.passkeys_per_user_max;
  const added = await context.store.addPasskey(person.email, passkey, person.sessionId, most);
  if (added === 'stored') return accept(undefined, checked.ignored);
  return refuseRequest(
    ({ exists: 'passkey_exists', full: 'passkeys_full', user_unknown: 'user_unknown' } as const)[added],
  );
}

export async function removePasskey(context: PasskeyContext, person: Person, id: string): Promise<Outcome<void>> {
  const own = await ownOf(context, person);
  if (!own.ok) return own;
  const removed = await context.store.removePasskey(person.email, id, isNeededByRole(context, person));
  if (removed === 'last') return refuseRequest('passkey_last', LAST);
  return removed === 'unknown' ? refuseRequest('passkey_unknown') : accept(undefined);
}

/** Only a session that has used a passkey may change this, so that a person knows that it works. */
export async function setNeedsPasskey(context: PasskeyContext, person: Person, body: SentBody): Promise<Outcome<void>> {
  const checked = context.checks.passkeyNeed(body);
  if (!checked.ok) return checked;
  if (person.isByPassword) return refuseRequest('passkey_required', USE_FIRST);
  const set = await context.store.setNeedsPasskey(person.email, checked.value.needed);
  return set === 'none' ? refuseRequest('passkey_required', ADD_FIRST) : accept(undefined, checked.ignored);
}

/** While a passkey is due, the password alone may add the first one, and change nothing else. */
async function ownOf(context: PasskeyContext, person: Person): Promise<Outcome<OwnPasskeys>> {
  const own = await readOwnPasskeys(context, person);
  if (own === undefined) return refuseRequest('user_unknown');
  if (own.isOfProvider) return refuseRequest('user_of_provider', OF_PROVIDER);
  const isRefused = own.passkeys.length > 0 && isPasskeyDue(context, person, own.needsPasskey);
  return isRefused ? refuseRequest('passkey_required', USE_FIRST) : accept(own);
}

/** A passkey can be added only in the session that asked for it. */
function purposeOf({ sessionId }: Person): string {
  return `of session ${sessionId}`;
}

const CHALLENGE_ENDED = 'The challenge expired, or was issued to another browser or session.';
const NOT_ADDED = 'The passkey was not confirmed, or took too long. Start again.';
const USE_FIRST = 'Confirm with your passkey first.';
const ADD_FIRST = 'Add a passkey first.';
const LAST = 'This is your last passkey, and your account needs one. Add another one first.';
const OF_PROVIDER = 'You sign in with the provider, which asks for passkeys itself.';
