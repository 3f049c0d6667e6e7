/**
 * Manages portal sessions: random tokens, stored as hashes and looked up on every request, so that ending a session
 * takes effect everywhere immediately.
 *
 * After half an hour of use a token is rotated. The old one keeps working for a minute, for requests in flight. Each of
 * them gets the new token again, in case the first response was lost. That is possible because the new token is derived
 * from the old one and a nonce in the store; neither the store alone nor an expired token suffices to derive it.
 */
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { LIMITS } from '../../domain/limits.ts';
import type { PortalRole } from '../../domain/vocabulary/portal-roles.ts';
import type { NewSession, PortalSessionStore, StoredSession } from '../../store/port/people.ts';
import { hashToken } from './one-time-link.ts';

const TOKEN_BYTES = 32;
const ID_BYTES = 16;
const NONCE_BYTES = 16;
const TOKEN = /^[\w-]{43}$/;

const IDLE_MS = LIMITS.session_idle_seconds * 1000;
const LIFETIME_MS = LIMITS.session_lifetime_seconds * 1000;
const ROTATION_MS = LIMITS.session_rotation_seconds * 1000;
const OVERLAP_MS = LIMITS.session_overlap_seconds * 1000;
/** A session is extended at most once in this time, to save writes. */
const USE_MS = 600_000;

export interface IssuedSession {
  /** Sent to the browser only. */
  readonly token: string;
  readonly stored: NewSession;
  readonly csrfToken: string;
}

export interface FoundSession {
  readonly person: Person;
  /** The token that the browser must use from now on. */
  readonly nextToken: string | undefined;
}

/** Starts a session, or continues one with a new token. Open pages keep their CSRF token. */
export function issueSession(
  nowMs: number,
  {
    sessionId = randomBytes(ID_BYTES).toString('base64url'),
    lifetime_ms = LIFETIME_MS,
    signedInMs = nowMs,
    isByPassword = false,
  }: Partial<Pick<NewSession, 'sessionId' | 'signedInMs' | 'isByPassword'>> & { readonly lifetime_ms?: number } = {},
): IssuedSession {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const ends = { idleEndsMs: nowMs + IDLE_MS, endsMs: nowMs + lifetime_ms };
  const stored = { tokenHash: hashToken(token), sessionId, issuedMs: nowMs, signedInMs, ...ends, isByPassword };
  return { token, stored, csrfToken: csrfTokenOf(sessionId) };
}

/**
 * Returns the owner of the token; undefined when it is unknown or expired. With `extends`, it extends the session and rotates the token.
 */
export async function findSession(
  store: PortalSessionStore,
  token: string,
  nowMs: number,
  options: { readonly extends: boolean } = { extends: true },
): Promise<FoundSession | undefined> {
  if (!TOKEN.test(token)) return undefined;
  const tokenHash = hashToken(token);
  const session = await store.readSession(tokenHash, nowMs);
  if (session === undefined) return undefined;
  const { nextNonce } = session;
  if (nextNonce !== null) return { person: personOf(session), nextToken: successor(token, nextNonce) };
  const nextToken = options.extends ? await keepAlive(store, token, tokenHash, session, nowMs) : undefined;
  return { person: personOf(session), nextToken };
}

/** Returns the token that replaces this one, if any. */
async function keepAlive(
  store: PortalSessionStore,
  token: string,
  tokenHash: Uint8Array,
  { issuedMs, idleEndsMs }: StoredSession,
  nowMs: number,
): Promise<string | undefined> {
  if (nowMs - issuedMs >= ROTATION_MS) {
    const nonce = randomBytes(NONCE_BYTES);
    const next = successor(token, nonce);
    const outcome = await store.rotateSession(tokenHash, {
      tokenHash: hashToken(next),
      nonce,
      issuedMs: nowMs,
      idleEndsMs: nowMs + IDLE_MS,
      overlapEndsMs: nowMs + OVERLAP_MS,
    });
    // Another request has already rotated the token and sends the new one to the browser.
    return outcome === 'rotated' ? next : undefined;
  }
  if (nowMs + IDLE_MS - idleEndsMs >= USE_MS) await store.extendSession(tokenHash, nowMs + IDLE_MS);
  return undefined;
}

function personOf({ user, sessionId, signedInMs, isByPassword, needsPasskey }: StoredSession): Person {
  const { email, role, merchantId } = user;
  const csrfToken = csrfTokenOf(sessionId);
  return { email, role, merchantId, sessionId, signedInMs, isByPassword, needsPasskey, csrfToken };
}

function successor(token: string, nonce: Uint8Array): string {
  return createHmac('sha256', token).update(nonce).digest('base64url');
}

/** All tokens of a session have the same CSRF token, so that a page survives a rotation. */
function csrfTokenOf(sessionId: string): string {
  return createHash('sha256').update(`offerbook csrf ${sessionId}`).digest('base64url');
}

/** A signed-in person. */
export interface Person {
  readonly email: string;
  readonly role: PortalRole;
  /** The merchant of the person; null for operators. */
  readonly merchantId: string | null;
  /** Identifies the session across token rotations; never shown. */
  readonly sessionId: string;
  readonly signedInMs: number;
  /** Whether a password alone began the session. */
  readonly isByPassword: boolean;
  /** Whether the person chose that the password alone is not enough; omitted in a session that has just begun. */
  readonly needsPasskey?: boolean;
  /** An operator who views the pages of this merchant, read-only. */
  readonly isViewing?: true;
  /** Sent with every change, so that other sites cannot forge requests. */
  readonly csrfToken: string;
}
