/**
 * Issues the challenges that passkeys sign, and verifies what authenticators send back. `@simplewebauthn/server` is loaded at the first passkey.
 *
 * Nothing is stored for a challenge: it is derived from a signing key and from a cookie with a random value and the time. The store refuses a
 * challenge that was issued before the last use of the passkey, so each works once.
 */
import { createHmac, randomBytes } from 'node:crypto';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { LIMITS } from '../../domain/limits.ts';
import type { Passkey } from '../../store/port/people.ts';
import type { SigningKey } from '../../store/port/settings.ts';

const RANDOM_BYTES = 32;
const REASON_CHARACTERS_MAX = 200;
const COOKIE = /^(\d{13})\.[\w-]{43}$/;
const LIFETIME_MS = LIMITS.passkey_challenge_seconds * 1000;

/** EdDSA, ES256 and RS256. */
export const ALGORITHMS = Object.freeze([-8, -7, -257]);

export interface IssuedChallenge {
  readonly challenge: string;
  readonly cookie: string;
}

/** A challenge that this browser got and that has not expired. */
export interface OpenChallenge {
  readonly issuedMs: number;
  /** One for each signing key, which may have been rolled since. */
  readonly challenges: readonly string[];
}

/** `purpose`: what the challenge is for. It cannot be used for another. */
export function issueChallenge([key]: readonly SigningKey[], purpose: string, nowMs: number): IssuedChallenge {
  if (key === undefined) throw new Error('There is no signing key.');
  const cookie = `${nowMs}.${randomBytes(RANDOM_BYTES).toString('base64url')}`;
  return { challenge: challengeOf(key, purpose, cookie), cookie };
}

export function openChallenge(
  keys: readonly SigningKey[],
  purpose: string,
  cookie = '',
  nowMs: number,
): OpenChallenge | undefined {
  const [, issued] = COOKIE.exec(cookie) ?? [];
  const issuedMs = Number(issued);
  if (issued === undefined || nowMs >= issuedMs + LIFETIME_MS) return undefined;
  return { issuedMs, challenges: keys.map((key) => challengeOf(key, purpose, cookie)) };
}

/** Returns the new counter of the passkey; undefined if the response is refused. */
export async function verifySignIn(
  response: Omit<AuthenticationResponseJSON, 'clientExtensionResults'>,
  { credentialId: id, publicKey, counter }: Passkey,
  open: OpenChallenge,
  publicUrl: string,
  onRefused: OnRefused,
): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  const verified = await verifyAuthenticationResponse({
    ...expected(response, open, publicUrl),
    credential: { id, publicKey: new Uint8Array(publicKey), counter },
  }).catch(reporting(onRefused));
  if (verified?.verified) return verified.authenticationInfo.newCounter;
  if (verified !== undefined) onRefused('The signature is wrong.');
  return undefined;
}

/** Returns the new passkey without its name; undefined if the response is refused. */
export async function verifyNewPasskey(
  response: Omit<RegistrationResponseJSON, 'clientExtensionResults'>,
  open: OpenChallenge,
  publicUrl: string,
  onRefused: OnRefused,
): Promise<Pick<Passkey, 'credentialId' | 'publicKey' | 'counter'> | undefined> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const isFit = await isUnattested(response).catch(reporting(onRefused));
  if (isFit === false) onRefused('The attestation was not requested.');
  if (!isFit) return undefined;
  const verified = await verifyRegistrationResponse({
    ...expected(response, open, publicUrl),
    supportedAlgorithmIDs: [...ALGORITHMS],
  }).catch(reporting(onRefused));
  if (verified?.verified === false) onRefused('The signature is wrong.');
  if (!verified?.verified) return undefined;
  const { id, publicKey, counter } = verified.registrationInfo.credential;
  return { credentialId: id, publicKey, counter };
}

/** Other attestations were not requested, and the library would fetch lists of revoked certificates for some. */
async function isUnattested({ response }: Parameters<typeof verifyNewPasskey>[0]): Promise<boolean> {
  const { decodeAttestationObject, isoBase64URL } = await import('@simplewebauthn/server/helpers');
  const attestation = decodeAttestationObject(isoBase64URL.toBuffer(response.attestationObject));
  const format = attestation.get('fmt');
  return format === 'none' || (format === 'packed' && attestation.get('attStmt').get('x5c') === undefined);
}

export function rpIdOf(publicUrl: string): string {
  return new URL(publicUrl).hostname;
}

type OnRefused = (reason: string) => void;

/** The library throws an Error for a response that it refuses, and for one that it cannot read. It quotes what the client sent. */
function reporting(onRefused: OnRefused): (error: unknown) => undefined {
  return (error) => {
    const [reason = ''] = String(error instanceof Error ? error.message : error).split(/["'\u0060(:]/, 1);
    onRefused(reason.trim().slice(0, REASON_CHARACTERS_MAX));
    return undefined;
  };
}

function expected<T>(response: T, { challenges }: OpenChallenge, publicUrl: string) {
  return {
    response: { ...response, clientExtensionResults: {} },
    expectedChallenge: (given: string) => challenges.includes(given),
    expectedOrigin: new URL(publicUrl).origin,
    expectedRPID: rpIdOf(publicUrl),
    requireUserVerification: true,
  };
}

function challengeOf({ secret }: SigningKey, purpose: string, cookie: string): string {
  return createHmac('sha256', secret).update(`portal passkey ${purpose}\n${cookie}`).digest('base64url');
}
