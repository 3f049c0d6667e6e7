/**
 * In charge of sessions of the portal: random tokens, stored as hashes and looked up with every request, so that one that
 * is ended is ended everywhere at once.
 *
 * After half an hour of use a token is replaced. The old one goes on working for a minute, for requests that were under way;
 * each of them is told the new token again, in case the first answer was lost. It can be told again because it is made of
 * the old token and a number that the store keeps; from the store alone, or from a token whose minute is over, nobody can
 * make it.
 */

import { createHash, createHmac, randomBytes } from 'node:crypto';
import { LIMITS } from '../domain/limits.ts';
import type { NewSession, PortalSessionStore, StoredSession } from '../store/port/people.ts';
import type { Person } from './people.ts';

const TOKEN_BYTES = 32;
const ID_BYTES = 16;
const NONCE_BYTES = 16;
const TOKEN = /^[\w-]{43}$/;

const IDLE_MS = LIMITS.session_idle_seconds * 1000;
const LIFETIME_MS = LIMITS.session_lifetime_seconds * 1000;
const ROTATION_MS = LIMITS.session_rotation_seconds * 1000;
const OVERLAP_MS = LIMITS.session_overlap_seconds * 1000;
/** How exactly it is known when a session was last used. */
const USE_MS = 600_000;

export interface IssuedSession {
  /** For the browser alone. */
  readonly token: string;
  readonly stored: NewSession;
  readonly csrfToken: string;
}

export interface FoundSession {
  readonly person: Person;
  /** That the browser is to use from now on. */
  readonly nextToken: string | undefined;
}

/** A new one, or one that goes on under a new token: its pages keep their CSRF token. */
export function issueSession(
  nowMs: number,
  sessionId: string = randomBytes(ID_BYTES).toString('base64url'),
): IssuedSession {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const ends = { idleEndsMs: nowMs + IDLE_MS, endsMs: nowMs + LIFETIME_MS };
  const stored = { tokenHash: hashToken(token), sessionId, issuedMs: nowMs, ...ends };
  return { token, stored, csrfToken: csrfTokenOf(sessionId) };
}

/** Who has the token; undefined when nobody has, or no longer. `extends`: a session in use is extended, and its token replaced. */
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

/** Returns the token that replaces this one from now on, if there is one. */
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
    // Overtaken: another request has replaced it, and tells the browser.
    return outcome === 'rotated' ? next : undefined;
  }
  if (nowMs + IDLE_MS - idleEndsMs >= USE_MS) await store.extendSession(tokenHash, nowMs + IDLE_MS);
  return undefined;
}

function personOf({ user: { email, role, merchantId }, sessionId }: StoredSession): Person {
  return { email, role, merchantId, sessionId, csrfToken: csrfTokenOf(sessionId) };
}

function successor(token: string, nonce: Uint8Array): string {
  return createHmac('sha256', token).update(nonce).digest('base64url');
}

/** The same for all tokens of a session: a page that was opened before the token was replaced can go on. */
function csrfTokenOf(sessionId: string): string {
  return createHash('sha256').update(`offerbook csrf ${sessionId}`).digest('base64url');
}

/** It is random and long, so a plain SHA-256 cannot be turned around. */
function hashToken(token: string): Uint8Array {
  return createHash('sha256').update(token, 'utf8').digest();
}
