/** Tests client-network.ts: who counts as one client. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { clientNetwork } from './client-network.ts';

it('addresses in one /64 network are one client, however they are written', () => {
  for (const [address, network] of [
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
  ] as const) {
    assert.equal(clientNetwork(address), network, address);
  }
});

it('an IPv4 address is its own network, even on an IPv6 socket; other text stays unchanged', () => {
  assert.equal(clientNetwork('192.0.2.1'), '192.0.2.1');
  assert.equal(clientNetwork('::ffff:192.0.2.1'), '192.0.2.1');
  assert.equal(clientNetwork('::FFFF:c000:0201'), '192.0.2.1');
  assert.equal(clientNetwork('::ffff:0.0.0.9'), '0.0.0.9');
  assert.equal(clientNetwork(''), '');
  assert.equal(clientNetwork('unix:'), 'unix:');
});
