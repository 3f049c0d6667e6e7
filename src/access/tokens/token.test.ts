/** Tests token.ts: signed tokens are valid to the millisecond, everything else is refused. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import type { SigningKey } from '../../store/port/settings.ts';
import { claimsFor, newSigningKey, signToken, type VerifiedToken, verifyToken } from './token.ts';

const NOW_MS = Date.parse('2026-01-31T09:30:00.750Z');
const HOURS_10_SECONDS = 36_000;

const key = (endsMs: number | null = null): SigningKey => ({ ...newSigningKey(), createdMs: NOW_MS, endsMs });
const KEY = key();
const CLAIMS = claimsFor(7, 12, NOW_MS);
const TOKEN = signToken(CLAIMS, KEY);
/** The result of a verification: the claims, and when they expire. */
const VERIFIED = { ...CLAIMS, endsMs: CLAIMS.expiresSeconds * 1000 };
const [HEADER = '', PAYLOAD = '', SIGNATURE = ''] = TOKEN.split('.');

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;

/** Signs any header and payload correctly. */
function forge(header: unknown, payload: unknown, secret: Uint8Array = KEY.secret): string {
  const text = `${encode(header)}.${encode(payload)}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

const verify = (token: string, keys: readonly SigningKey[] = [KEY], nowMs = NOW_MS): VerifiedToken =>
  verifyToken(token, keys, nowMs);

describe('token', () => {
  it('carries account, credential set and times, and nothing else', () => {
    assert.deepEqual(decode(HEADER), { alg: 'HS256', typ: 'JWT', kid: KEY.keyId });
    const issued = Math.floor(NOW_MS / 1000);
    assert.deepEqual(decode(PAYLOAD), { sub: '7', cid: 12, iat: issued, exp: issued + HOURS_10_SECONDS });
    assert.match(TOKEN, /^[\w-]+\.[\w-]+\.[\w-]+$/);
  });

  it('is verified with the key that signed it, among others', () => {
    assert.deepEqual(verify(TOKEN), VERIFIED);
    assert.deepEqual(verify(TOKEN, [key(), KEY, key()]), VERIFIED);
  });

  it('expires 10 hours after the second in which it was issued', () => {
    const endMs = CLAIMS.expiresSeconds * 1000;
    assert.equal(endMs, Date.parse('2026-01-31T19:30:00Z'));
    assert.deepEqual(verify(TOKEN, [KEY], endMs - 1), VERIFIED);
    assert.equal(verify(TOKEN, [KEY], endMs), 'expired');
    assert.equal(verify(TOKEN, [KEY], endMs + 1e12), 'expired');
  });

  it('is not valid once its key has ended, to the millisecond', () => {
    const ending = { ...KEY, endsMs: NOW_MS + 1000 };
    assert.deepEqual(verify(TOKEN, [ending], NOW_MS + 999), { ...CLAIMS, endsMs: ending.endsMs });
    assert.equal(verify(TOKEN, [ending], NOW_MS + 1000), 'invalid');
  });

  it('is not valid without its key', () => {
    assert.equal(verify(TOKEN, []), 'invalid');
    assert.equal(verify(TOKEN, [key()]), 'invalid');
    assert.equal(verify(TOKEN, [{ ...key(), keyId: KEY.keyId }]), 'invalid', 'another secret under the same id');
  });

  it('is not valid if any character is changed', () => {
    for (let at = 0; at < TOKEN.length; at++) {
      const changed = TOKEN[at] === 'A' ? 'B' : 'A';
      const token = `${TOKEN.slice(0, at)}${changed}${TOKEN.slice(at + 1)}`;
      assert.equal(verify(token), 'invalid', `character ${at}`);
    }
  });

  it('is not valid with anything added', () => {
    for (const token of [`${TOKEN}!!!!`, `${TOKEN}====`, `${TOKEN} `, `${TOKEN}.`, `.${TOKEN}`, `${TOKEN}A`]) {
      assert.equal(verify(token), 'invalid', token);
    }
  });

  it('is not valid with another header', () => {
    const payload = decode(PAYLOAD);
    for (const header of [
      { alg: 'none', typ: 'JWT', kid: KEY.keyId },
      { alg: 'None', kid: KEY.keyId },
      { alg: 'HS512', kid: KEY.keyId },
      { alg: 'RS256', kid: KEY.keyId },
      { alg: 'HS256' },
      { alg: 'HS256', kid: 'other' },
      { alg: 'HS256', kid: null },
      { kid: KEY.keyId },
      { alg: ['HS256'], kid: KEY.keyId },
      null,
      'HS256',
      [],
    ])
      assert.equal(verify(forge(header, payload)), 'invalid', JSON.stringify(header));
    const unsigned = `${encode({ alg: 'none', kid: KEY.keyId })}.${PAYLOAD}.`;
    assert.equal(verify(unsigned), 'invalid');
    const signedWithTheId = forge(decode(HEADER), payload, Buffer.from(KEY.keyId));
    assert.equal(verify(signedWithTheId), 'invalid');
  });

  it('is not valid with missing claims or claims of the wrong type, even when signed', () => {
    const payload = decode(PAYLOAD);
    for (const claims of [
      {},
      { ...payload, exp: undefined },
      { ...payload, exp: String(payload.exp) },
      { ...payload, exp: 1e300 },
      { ...payload, exp: null },
      { ...payload, cid: '12' },
      { ...payload, cid: 1.5 },
      { ...payload, sub: 'seven' },
      { ...payload, sub: undefined },
      null,
      [],
      7,
    ])
      assert.equal(verify(forge(decode(HEADER), claims)), 'invalid', JSON.stringify(claims));
  });

  it('is not valid in another form', () => {
    for (const token of [
      '',
      '.',
      '..',
      '...',
      'x',
      HEADER,
      `${HEADER}.${PAYLOAD}`,
      `${HEADER}.${PAYLOAD}.`,
      `.${PAYLOAD}.${SIGNATURE}`,
      `${HEADER}..${SIGNATURE}`,
      `${TOKEN}.`,
      `${TOKEN}.${SIGNATURE}`,
      `${HEADER}.${PAYLOAD}.${SIGNATURE.slice(0, -3)}`,
      `${HEADER}.${PAYLOAD}.${SIGNATURE}AAAA`,
      'a'.repeat(100_000),
      `${HEADER}.${'A'.repeat(2000)}.${SIGNATURE}`,
    ])
      assert.equal(verify(token), 'invalid', token.slice(0, 80));
  });

  it('has keys of 256 random bits and ids that differ', () => {
    const keys = Array.from({ length: 100 }, newSigningKey);
    assert.ok(keys.every(({ secret }) => secret.length === 32));
    assert.equal(new Set(keys.map(({ keyId }) => keyId)).size, 100);
    assert.equal(new Set(keys.map(({ secret }) => Buffer.from(secret).toString('hex'))).size, 100);
  });
});
