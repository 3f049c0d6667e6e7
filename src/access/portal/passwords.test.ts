/** Tests that a hash matches only its password, that few hashes run at once, and that unknown users take just as long. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Passwords, PasswordsBusyError } from './passwords.ts';

/** argon2id of "password" with the salt "somesalt": a test vector of the reference implementation. */
const CHEAP_HASH = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';

describe('passwords', () => {
  it('match only their own hash, in any Unicode composition', async () => {
    const passwords = new Passwords();
    const hash = await passwords.hash('Zoë is a good cook');
    assert.match(hash, /^\$argon2id\$v=19\$m=32768,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    assert.ok(await passwords.fits(hash, 'Zoe\u0308 is a good cook'));
    assert.equal(await passwords.fits(hash, 'Zoe is a good cook'), false);
    assert.notEqual(await passwords.hash('Zoë is a good cook'), hash, 'each hash has its own salt');
  });

  it('match a hash that was computed with another cost', async () => {
    assert.ok(await new Passwords().fits(CHEAP_HASH, 'password'));
    assert.equal(await new Passwords().fits(CHEAP_HASH, 'Password'), false);
  });

  it('never match a user without a password', async () => {
    const passwords = new Passwords();
    for (const hash of [null, undefined]) assert.equal(await passwords.fits(hash, ''), false);
  });

  it('are refused when too many wait, while the waiting ones are still hashed', async () => {
    const passwords = new Passwords();
    // Two are hashed, 32 wait, and one is refused.
    const hashing = Array.from({ length: 34 }, () => passwords.fits(CHEAP_HASH, 'password'));
    await assert.rejects(passwords.hash('one too many'), PasswordsBusyError);
    assert.deepEqual(await Promise.all(hashing), new Array(34).fill(true));
    await passwords.hash('there is room again');
  });
});
