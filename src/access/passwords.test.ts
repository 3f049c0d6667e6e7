/** Tests of passwords.ts: hashes fit their password alone, are made few at once, and strangers take as long. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Passwords, PasswordsBusyError } from './passwords.ts';

describe('passwords', () => {
  it('fit the hash of themselves, in any composition of their letters, and no other', async () => {
    const passwords = new Passwords();
    const hash = await passwords.hash('Zoë is a good cook');
    assert.match(hash, /^\$argon2id\$v=19\$m=32768,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    assert.ok(await passwords.fits(hash, 'Zoe\u0308 is a good cook'));
    assert.equal(await passwords.fits(hash, 'Zoe is a good cook'), false);
    assert.notEqual(await passwords.hash('Zoë is a good cook'), hash, 'each has a salt of its own');
  });

  it('fit a hash that was made at another cost', async () => {
    // argon2id of "password" with the salt "somesalt": a test vector of the reference implementation.
    const hash = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';
    assert.ok(await new Passwords().fits(hash, 'password'));
    assert.equal(await new Passwords().fits(hash, 'Password'), false);
  });

  it('never match a user without a password', async () => {
    const passwords = new Passwords();
    for (const hash of [null, undefined]) assert.equal(await passwords.fits(hash, ''), false);
  });

  it('are refused when too many wait, and those that wait are done', async () => {
    const passwords = new Passwords();
    // Two at once, 32 that wait, and one more.
    const hashing = Array.from({ length: 34 }, (_, number) => passwords.hash(`password ${number}`));
    await assert.rejects(passwords.hash('one too many'), PasswordsBusyError);
    assert.equal(new Set(await Promise.all(hashing)).size, 34);
    await passwords.hash('there is room again');
  });
});
