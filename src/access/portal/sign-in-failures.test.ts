/** Tests each of the three limits of sign-in-failures.ts, at its bound and one beyond, and which attempts do not count. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { LIMITS } from '../../domain/limits.ts';
import { SignInFailures } from './sign-in-failures.ts';

const NOW_MS = 1_000_000;
const WINDOW_MS = LIMITS.sign_in_window_seconds * 1000;

const wrong = async () => undefined;
const right = async () => 'signed in';

/** Returns 'looked' when the password was checked and wrong; otherwise the seconds until the next attempt is allowed. */
async function guess(failures: SignInFailures, client: string, email: string, nowMs = NOW_MS) {
  const attempt = await failures.attempt(client, email, nowMs, wrong);
  return attempt === undefined ? 'looked' : attempt.throttled.reset_seconds;
}

it('of one user from one client', async () => {
  const failures = new SignInFailures();
  for (let n = 1; n <= LIMITS.sign_in_failures_max; n++) {
    assert.equal(await guess(failures, '192.0.2.1', 'ann'), 'looked');
  }
  assert.equal(await guess(failures, '192.0.2.1', 'ann'), LIMITS.sign_in_window_seconds);
  assert.equal(await guess(failures, '192.0.2.2', 'ann'), 'looked');
  assert.equal(await guess(failures, '192.0.2.1', 'bob'), 'looked');
  assert.equal(await guess(failures, '192.0.2.1', 'ann', NOW_MS + WINDOW_MS - 1), 1);
  assert.equal(await guess(failures, '192.0.2.1', 'ann', NOW_MS + WINDOW_MS), 'looked');
});

it('of one user from many clients', async () => {
  const failures = new SignInFailures();
  for (let n = 1; n <= LIMITS.sign_in_failures_per_user_max; n++) {
    assert.equal(await guess(failures, `client ${n}`, 'ann'), 'looked');
  }
  assert.equal(await guess(failures, 'another', 'ann'), LIMITS.sign_in_window_seconds);
  assert.equal(await guess(failures, 'another', 'bob'), 'looked');
  failures.sweep(NOW_MS + WINDOW_MS);
  assert.equal(await guess(failures, 'another', 'ann', NOW_MS + WINDOW_MS), 'looked');
});

it('of many users from one client', async () => {
  const failures = new SignInFailures();
  for (let n = 1; n <= LIMITS.sign_in_failures_per_client_max; n++) {
    assert.equal(await guess(failures, '192.0.2.1', `user ${n}`), 'looked');
  }
  assert.equal(await guess(failures, '192.0.2.1', 'ann'), LIMITS.sign_in_window_seconds);
  assert.equal(await guess(failures, '192.0.2.2', 'ann'), 'looked');
});

it('concurrent attempts have the same limit as sequential ones', async () => {
  const failures = new SignInFailures();
  const guesses = Array.from({ length: LIMITS.sign_in_failures_max + 5 }, () => guess(failures, '192.0.2.1', 'ann'));
  const looked = (await Promise.all(guesses)).filter((outcome) => outcome === 'looked');
  assert.equal(looked.length, LIMITS.sign_in_failures_max);
});

it('right passwords and failed checks do not count', async () => {
  const failures = new SignInFailures();
  const busy = new Error('busy');
  const fail = async () => {
    throw busy;
  };
  for (let n = 0; n <= LIMITS.sign_in_failures_per_user_max; n++) {
    assert.equal(await failures.attempt('192.0.2.1', 'ann', NOW_MS, right), 'signed in');
    await assert.rejects(failures.attempt('192.0.2.1', 'ann', NOW_MS, fail), busy);
  }
  for (let n = 1; n <= LIMITS.sign_in_failures_max; n++) {
    assert.equal(await guess(failures, '192.0.2.1', 'ann'), 'looked');
  }
  const throttled = await failures.attempt('192.0.2.1', 'ann', NOW_MS, right);
  assert.deepEqual(Object.keys(Object(throttled)), ['throttled'], 'the right password is throttled too');
});
