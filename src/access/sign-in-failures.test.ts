/** Tests of sign-in-failures.ts: each of the three limits, at its bound and one beyond. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { LIMITS } from '../domain/limits.ts';
import { SignInFailures } from './sign-in-failures.ts';

const NOW_MS = 1_000_000;
const WINDOW_MS = LIMITS.sign_in_window_seconds * 1000;

it('of one user from one address', () => {
  const failures = new SignInFailures();
  const note = () => failures.note('192.0.2.1', 'ann', NOW_MS);
  for (let n = 1; n < LIMITS.sign_in_failures_max; n++) note();
  assert.equal(failures.throttled('192.0.2.1', 'ann', NOW_MS), undefined);
  note();
  assert.equal(failures.throttled('192.0.2.1', 'ann', NOW_MS)?.resetSeconds, LIMITS.sign_in_window_seconds);
  assert.equal(failures.throttled('192.0.2.2', 'ann', NOW_MS), undefined);
  assert.equal(failures.throttled('192.0.2.1', 'bob', NOW_MS), undefined);
  assert.ok(failures.throttled('192.0.2.1', 'ann', NOW_MS + WINDOW_MS - 1));
  assert.equal(failures.throttled('192.0.2.1', 'ann', NOW_MS + WINDOW_MS), undefined);
});

it('of one user from many addresses', () => {
  const failures = new SignInFailures();
  for (let n = 1; n < LIMITS.sign_in_failures_per_user_max; n++) failures.note(`address ${n}`, 'ann', NOW_MS);
  assert.equal(failures.throttled('another', 'ann', NOW_MS), undefined);
  failures.note('the last', 'ann', NOW_MS);
  assert.ok(failures.throttled('another', 'ann', NOW_MS));
  assert.equal(failures.throttled('another', 'bob', NOW_MS), undefined);
  failures.sweep(NOW_MS + WINDOW_MS);
  assert.equal(failures.throttled('another', 'ann', NOW_MS + WINDOW_MS), undefined);
});

it('of many users from one address', () => {
  const failures = new SignInFailures();
  for (let n = 1; n < LIMITS.sign_in_failures_per_address_max; n++) failures.note('192.0.2.1', `user ${n}`, NOW_MS);
  assert.equal(failures.throttled('192.0.2.1', 'ann', NOW_MS), undefined);
  failures.note('192.0.2.1', 'the last', NOW_MS);
  assert.ok(failures.throttled('192.0.2.1', 'ann', NOW_MS));
  assert.equal(failures.throttled('192.0.2.2', 'ann', NOW_MS), undefined);
});
