/** Tests that wrong secrets count by network, and that a client with many users or addresses is throttled too. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LIMITS } from '../../domain/limits.ts';
import { TokenFailures } from './token-failures.ts';

const { token_failures_per_window_max: PER_USER, token_failures_per_client_max: PER_CLIENT } = LIMITS;

describe('wrong secrets', () => {
  it('of one user count together within an IPv6 network, and separately per network', () => {
    const failures = new TokenFailures();
    for (let n = 0; n < PER_USER; n++) assert.equal(failures.take(`2001:db8::${n}`, 'user', n), undefined);
    assert.equal(failures.take('2001:db8::ffff', 'user', 100)?.by, 'user');
    assert.equal(failures.take('2001:db8:0:1::1', 'user', 100), undefined);
  });

  it('of many users from one client are throttled; refused ones do not count', () => {
    const failures = new TokenFailures();
    for (let n = 0; n < PER_CLIENT; n++) assert.equal(failures.take('192.0.2.1', `user-${n}`, 1000), undefined);
    for (let n = 0; n < 10; n++) assert.equal(failures.take('192.0.2.1', `more-${n}`, 2000)?.by, 'client');
    assert.equal(failures.take('192.0.2.2', 'user-0', 2000), undefined);
    assert.equal(failures.take('192.0.2.1', 'more-0', 61_000), undefined);
  });

  it('of user names of any length are distinguished by their first characters', () => {
    const failures = new TokenFailures();
    for (let n = 0; n < PER_USER; n++)
      assert.equal(failures.take('192.0.2.1', `${'x'.repeat(1000)}${n}`, n), undefined);
    assert.equal(failures.take('192.0.2.1', 'x'.repeat(2000), 100)?.by, 'user');
  });
});
