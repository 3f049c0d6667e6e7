/**
 * In charge of one-time links: made of a token that is shown once and stored as a hash. It is random and long, so a
 * plain SHA-256 cannot be turned around.
 */
import { createHash, randomBytes } from 'node:crypto';
import { LIMITS } from '../domain/limits.ts';
import type { OneTimeLink } from '../store/port/people.ts';

const TOKEN_BYTES = 32;

export interface IssuedLink {
  /** For the user alone. */
  readonly token: string;
  readonly stored: OneTimeLink;
}

export function issueLink(nowMs: number): IssuedLink {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const endsMs = nowMs + LIMITS.one_time_link_seconds * 1000;
  return { token, stored: { tokenHash: hashLinkToken(token), endsMs } };
}

export function hashLinkToken(token: string): Uint8Array {
  return createHash('sha256').update(token, 'utf8').digest();
}

/** Behind `#`, which browsers keep to themselves: the token reaches no log of a server or proxy. */
export function linkUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/portal/set-password#${token}`;
}
