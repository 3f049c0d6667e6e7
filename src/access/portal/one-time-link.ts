/**
 * Makes one-time links. Each contains a token that is shown once and stored as a hash. The token is long and random, so
 * a plain SHA-256 cannot be reversed.
 */
import { createHash, randomBytes } from 'node:crypto';
import { LIMITS } from '../../domain/limits.ts';
import type { OneTimeLink } from '../../store/port/people.ts';

const TOKEN_BYTES = 32;

export interface IssuedLink {
  /** Shown to the user only. */
  readonly token: string;
  readonly stored: OneTimeLink;
}

export function issueLink(nowMs: number): IssuedLink {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const endsMs = nowMs + LIMITS.one_time_link_seconds * 1000;
  return { token, stored: { tokenHash: hashToken(token), endsMs } };
}

export function hashToken(token: string): Uint8Array {
  return createHash('sha256').update(token, 'utf8').digest();
}

/** The token comes after `#`, which browsers do not send, so it reaches no log of a server or proxy. */
export function linkUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/portal/set-password#${token}`;
}
