/** Tests sessions.ts: a header is verified once, until the settings change or the session ends. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Account, Credential } from '../../domain/account.ts';
import type { SigningKey } from '../../store/port/settings.ts';
import type { SetupStore } from '../../store/port.ts';
import { AccountDirectory } from '../account-directory.ts';
import { Sessions } from './sessions.ts';
import { claimsFor, newSigningKey, signToken } from './token.ts';

const NOW_MS = Date.parse('2026-01-31T09:30:00Z');
const ACCOUNT = { accountId: 7, merchantId: 'acme', environment: 'test' } as Account;
const CREDENTIAL = { credentialId: 12, accountId: 7, scopes: 4, skuPrefix: 'ACME-' } as Credential;

async function openSessions(credentialEndsMs: number | null = null) {
  const key: SigningKey = { ...newSigningKey(), createdMs: NOW_MS, endsMs: null };
  const setup = { version: 1, keys: [key], looks: 0 };
  const store = {
    readSetupVersion: async () => {
      setup.looks++;
      return setup.version;
    },
    listSigningKeys: async () => setup.keys,
    readCredential: async () => ({ ...CREDENTIAL, endsMs: credentialEndsMs }),
    readAccount: async () => ACCOUNT,
  };
  const directory = new AccountDirectory({ settings: store } as unknown as SetupStore);
  await directory.refresh();
  const token = signToken(claimsFor(7, 12, NOW_MS), key);
  return { sessions: new Sessions(directory), directory, setup, header: `Bearer ${token}`, token };
}

describe('sessions', () => {
  it('cache a header once it is verified', async () => {
    const { sessions, header } = await openSessions();
    assert.equal(sessions.known(header, NOW_MS), undefined);
    const session = await sessions.verify(header, NOW_MS);
    assert.ok(typeof session === 'object');
    assert.equal(sessions.known(header, NOW_MS), session);
    assert.equal(session.account, ACCOUNT);
    assert.deepEqual(session.key, { ...CREDENTIAL, endsMs: null });
  });

  it('drop it when the settings change', async () => {
    const { sessions, directory, setup, header } = await openSessions();
    await sessions.verify(header, NOW_MS);
    setup.version = 2;
    await directory.refresh();
    assert.equal(sessions.known(header, NOW_MS), undefined);
  });

  it('end with the token, to the millisecond', async () => {
    const { sessions, header } = await openSessions();
    await sessions.verify(header, NOW_MS);
    const endMs = NOW_MS + 36_000_000;
    assert.notEqual(sessions.known(header, endMs - 1), undefined);
    assert.equal(sessions.known(header, endMs), undefined);
  });

  it('end with the overlap of a replaced credential set', async () => {
    const { sessions, header } = await openSessions(NOW_MS + 1000);
    await sessions.verify(header, NOW_MS);
    assert.notEqual(sessions.known(header, NOW_MS + 999), undefined);
    assert.equal(sessions.known(header, NOW_MS + 1000), undefined);
    assert.equal(await sessions.verify(header, NOW_MS + 1000), 'token_revoked');
  });

  it('accept any spelling of the scheme and cache only the usual one', async () => {
    const { sessions, token } = await openSessions();
    for (const header of [`BEARER ${token}`, `Bearer   ${token}`, `Bearer ${token}  `]) {
      assert.ok(typeof (await sessions.verify(header, NOW_MS)) === 'object', header);
      assert.equal(sessions.known(header, NOW_MS), undefined, header);
    }
    for (const header of [undefined, '', 'Bearer', `Basic ${token}`]) {
      assert.equal(await sessions.verify(header, NOW_MS), 'token_missing');
    }
  });

  it('accept a token of a key that was rolled since the last check', async () => {
    const { sessions, setup, header } = await openSessions();
    assert.ok(typeof (await sessions.verify(header, NOW_MS)) === 'object');
    const rolled = rollKey(setup);
    const session = await sessions.verify(rolled, NOW_MS);
    assert.ok(typeof session === 'object');
    assert.equal(sessions.known(rolled, NOW_MS), session);
    assert.equal(sessions.known(header, NOW_MS), undefined, 'cached sessions are verified again');
    assert.ok(typeof (await sessions.verify(header, NOW_MS)) === 'object');
  });

  it('check the settings once for many unknown tokens, and again for a later one', async () => {
    const { sessions, setup, header } = await openSessions();
    const stranger = { ...newSigningKey(), createdMs: NOW_MS, endsMs: null };
    const strange = `Bearer ${signToken(claimsFor(7, 12, NOW_MS), stranger)}`;
    const before = setup.looks;
    const all = await Promise.all(Array.from({ length: 1000 }, () => sessions.verify(strange, NOW_MS)));
    assert.deepEqual(new Set(all), new Set(['token_invalid']));
    assert.equal(setup.looks, before + 1);
    await sessions.verify(header, NOW_MS);
    assert.equal(setup.looks, before + 1, 'a known key is not looked up');

    const startMs = performance.now();
    assert.ok(
      typeof (await sessions.verify(rollKey(setup), NOW_MS)) === 'object',
      'the token waits for the next check',
    );
    assert.equal(setup.looks, before + 2);
    assert.ok(performance.now() - startMs < 30_000);
  });
});

/** Rolls the key as another process would; returns a header signed with the new key. */
function rollKey(setup: { version: number; keys: SigningKey[] }): string {
  const key = { ...newSigningKey(), createdMs: NOW_MS, endsMs: null };
  setup.keys = [key, ...setup.keys];
  setup.version++;
  return `Bearer ${signToken(claimsFor(7, 12, NOW_MS), key)}`;
}
