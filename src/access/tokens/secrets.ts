/**
 * Creates API secrets, stores them as salted SHA-256, and compares them in constant time. They are long and random, so
 * a slow password hash would only slow down the token call.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Environment, NewCredential } from '../../domain/account.ts';

const SECRET_BYTES = 32;
const SALT_BYTES = 16;

/** A credential set as shown to the merchant, once, and as stored. */
export interface IssuedCredential {
  readonly user: string;
  readonly secret: string;
  readonly stored: NewCredential;
}

export function issueCredential(environment: Environment): IssuedCredential {
  const user = `${environment}-${randomBytes(8).toString('hex')}`;
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  return { user, secret, stored: storedCredential(user, secret) };
}

export function storedCredential(user: string, secret: string): NewCredential {
  const salt = randomBytes(SALT_BYTES);
  return { user, salt, secretHash: hash(salt, secret) };
}

export function fitsSecret(credential: NewCredential, secret: string): boolean {
  return timingSafeEqual(hash(credential.salt, secret), credential.secretHash);
}

/** Checked for unknown users, so that response times do not show which users exist. */
export const NO_CREDENTIAL: NewCredential = storedCredential('', randomBytes(SECRET_BYTES).toString('base64url'));

function hash(salt: Uint8Array, secret: string): Buffer {
  return createHash('sha256').update(salt).update(secret, 'utf8').digest();
}
