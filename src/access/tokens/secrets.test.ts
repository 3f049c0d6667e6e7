/** Tests secrets.ts. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { fitsSecret, issueCredential, NO_CREDENTIAL, storedCredential } from './secrets.ts';

describe('issueCredential', () => {
  it('creates users named after the environment, with matching 256-bit secrets', () => {
    for (const environment of ['test', 'live'] as const) {
      const { user, secret, stored } = issueCredential(environment);
      assert.match(user, new RegExp(`^${environment}-[0-9a-f]{16}$`));
      assert.match(secret, /^[\w-]{43}$/);
      assert.equal(stored.user, user);
      assert.equal(fitsSecret(stored, secret), true);
    }
  });

  it('never creates two equal ones', () => {
    const issued = Array.from({ length: 200 }, () => issueCredential('test'));
    for (const part of [
      issued.map(({ user }) => user),
      issued.map(({ secret }) => secret),
      issued.map(({ stored }) => Buffer.from(stored.salt).toString('hex')),
    ])
      assert.equal(new Set(part).size, 200);
  });
});

describe('storedCredential', () => {
  it('stores a salted SHA-256, not the secret', () => {
    const { salt, secretHash, ...rest } = storedCredential('u', 'sécret');
    assert.deepEqual(rest, { user: 'u' });
    assert.equal(salt.length, 16);
    assert.deepEqual(Buffer.from(secretHash), createHash('sha256').update(salt).update('sécret').digest());
  });

  it('stores the same secret differently each time', () => {
    const [one, two] = [storedCredential('u', 'secret'), storedCredential('u', 'secret')];
    assert.notDeepEqual(one.salt, two.salt);
    assert.notDeepEqual(one.secretHash, two.secretHash);
  });
});

describe('fitsSecret', () => {
  it('accepts only the exact secret', () => {
    const credential = storedCredential('u', 'secret');
    assert.equal(fitsSecret(credential, 'secret'), true);
    for (const secret of ['', 'Secret', 'secre', 'secret ', ' secret', 'secret\0', 's\u0435cret', 'x'.repeat(100_000)])
      assert.equal(fitsSecret(credential, secret), false, secret.slice(0, 20));
  });

  it('accepts no secret for an unknown user', () => {
    for (const secret of ['', 'secret']) assert.equal(fitsSecret(NO_CREDENTIAL, secret), false);
  });
});
