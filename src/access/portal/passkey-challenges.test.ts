/** Tests that the reason of a refused passkey is reported, without text of the client. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Forgery, SoftwarePasskey } from '../../../test/harness/software-passkey.ts';
import type { SigningKey } from '../../store/port/settings.ts';
import { issueChallenge, openChallenge, verifyNewPasskey, verifySignIn } from './passkey-challenges.ts';

const URL = 'https://offers.example';
const KEYS = [{ secret: Buffer.alloc(32, 1) }] as unknown as readonly SigningKey[];

it('reports why a passkey is refused, and nothing that the client sent', async () => {
  const reasons: string[] = [];
  const report = (reason: string) => reasons.push(reason);
  const { challenge, cookie } = issueChallenge(KEYS, 'sign-in', 1_700_000_000_000);
  const open = openChallenge(KEYS, 'sign-in', cookie, 1_700_000_000_000) ?? assert.fail();
  const passkey = new SoftwarePasskey(URL);
  const options = { challenge, user: { id: 'dXNlcg' } };
  const made = await verifyNewPasskey(passkey.create(options) as never, open, URL, report);
  assert.ok(made);
  const stored = { ...made, name: '', createdMs: 0, lastUsedMs: null };
  const signIn = (forgery: Forgery) => verifySignIn(passkey.get(options, forgery) as never, stored, open, URL, report);
  assert.equal(typeof (await signIn({})), 'number');
  assert.deepEqual(reasons, []);
  for (const forgery of [
    { origin: 'https://evil.example' },
    { rpId: 'evil.example' },
    { challenge: 'evil' },
    { type: 'webauthn.evil' },
    { isUnverified: true },
    { isSignedByOther: true },
  ]) {
    assert.equal(await signIn(forgery), undefined);
  }
  assert.equal(
    await verifyNewPasskey(passkey.create(options, { origin: 'https://evil.example' }) as never, open, URL, report),
    undefined,
  );
  assert.deepEqual(reasons, [
    'Unexpected authentication response origin',
    'Unexpected RP ID hash',
    'Custom challenge verifier returned false for registration response challenge',
    'Unexpected authentication response type',
    'User verification required, but user could not be verified',
    'The signature is wrong.',
    'Unexpected registration response origin',
  ]);
});
