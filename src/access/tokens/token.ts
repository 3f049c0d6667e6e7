/**
 * Issues and verifies tokens: JSON Web Tokens signed with HMAC-SHA-256.
 *
 * Claims: `sub` the account, `cid` the credential set, `iat` and `exp` in seconds. Verifying needs no store; the
 * account directory knows whether the credential set is still active.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { LIMITS } from '../../domain/limits.ts';
import type { SigningKey } from '../../store/port/settings.ts';

const SIGNING_KEY_BYTES = 32;
const TOKEN_CHARACTERS_MAX = 1024;

export interface TokenClaims {
  readonly accountId: number;
  readonly credentialId: number;
  readonly issuedSeconds: number;
  readonly expiresSeconds: number;
}

/** `endsMs` is when the token, or the replaced key that signed it, expires. */
export type VerifiedToken = (TokenClaims & { readonly endsMs: number }) | 'invalid' | 'expired';

export function newSigningKey(): { keyId: string; secret: Uint8Array } {
  return { keyId: randomBytes(6).toString('base64url'), secret: randomBytes(SIGNING_KEY_BYTES) };
}

export function claimsFor(accountId: number, credentialId: number, nowMs: number): TokenClaims {
  const issuedSeconds = Math.floor(nowMs / 1000);
  return { accountId, credentialId, issuedSeconds, expiresSeconds: issuedSeconds + LIMITS.token_lifetime_seconds };
}

export function signToken(claims: TokenClaims, key: Pick<SigningKey, 'keyId' | 'secret'>): string {
  const header = encode({ alg: 'HS256', typ: 'JWT', kid: key.keyId });
  const payload = encode({
    sub: String(claims.accountId),
    cid: claims.credentialId,
    iat: claims.issuedSeconds,
    exp: claims.expiresSeconds,
  });
  return `${header}.${payload}.${sign(`${header}.${payload}`, key.secret).toString('base64url')}`;
}

export function verifyToken(token: string, keys: readonly SigningKey[], nowMs: number): VerifiedToken {
  const parts = token.length > TOKEN_CHARACTERS_MAX ? [] : token.split('.');
  const [header, payload, signature] = parts;
  if (parts.length !== 3 || header === undefined || payload === undefined || signature === undefined) return 'invalid';
  const { alg, kid } = decode(header);
  const key = keys.find((candidate) => candidate.keyId === kid);
  if (alg !== 'HS256' || key === undefined || (key.endsMs !== null && key.endsMs <= nowMs)) return 'invalid';
  const expected = sign(`${header}.${payload}`, key.secret);
  const given = Buffer.from(signature, 'base64url');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return 'invalid';
  // Decoding ignores invalid characters, so an altered text could decode to the same bytes.
  if (given.toString('base64url') !== signature) return 'invalid';
  const claims = toClaims(decode(payload));
  if (claims === undefined) return 'invalid';
  const expiresMs = claims.expiresSeconds * 1000;
  if (expiresMs <= nowMs) return 'expired';
  return { ...claims, endsMs: Math.min(expiresMs, key.endsMs ?? expiresMs) };
}

/** Returns whether the token names a key that is not among these. Another process may have signed it with a newer one. */
export function namesOtherKey(token: string, keys: readonly SigningKey[]): boolean {
  if (token.length > TOKEN_CHARACTERS_MAX) return false;
  const { alg, kid } = decode(token.split('.', 1)[0] ?? '');
  return alg === 'HS256' && typeof kid === 'string' && keys.every(({ keyId }) => keyId !== kid);
}

function toClaims({ sub, cid, iat, exp }: Record<string, unknown>): TokenClaims | undefined {
  const accountId = Number(sub);
  const numbers = [accountId, cid, iat, exp];
  if (!numbers.every((number): number is number => Number.isSafeInteger(number))) return undefined;
  return { accountId, credentialId: Number(cid), issuedSeconds: Number(iat), expiresSeconds: Number(exp) };
}

function sign(text: string, secret: Uint8Array): Buffer {
  return createHmac('sha256', secret).update(text).digest();
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** Returns the JSON object in a part of a token, or an empty one if the part is not an object. */
function decode(part: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
