/** Tests which IP addresses are public: each private net, with its nearest public neighbor. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isPrivateHost, isPublicAddress } from './safe-address.ts';

const NOT_PUBLIC: Readonly<Record<string, readonly string[]>> = {
  unspecified: ['0.0.0.0', '0.255.255.255', '::', '0:0:0:0:0:0:0:0'],
  loopback: ['127.0.0.1', '127.0.0.2', '127.255.255.255', '::1', '0:0:0:0:0:0:0:1'],
  private: ['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1', 'fc00::1', 'fdff::1'],
  'link-local': ['169.254.0.1', '169.254.255.255', 'fe80::1', 'febf::1', 'fe80::1%eth0'],
  'site-local': ['fec0::1'],
  metadata: ['169.254.169.254', '100.100.100.200', '192.0.0.192', '168.63.129.16', 'fd00:ec2::254'],
  'carrier-grade NAT': ['100.64.0.1', '100.127.255.255'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1', 'ff0e::1'],
  'reserved and broadcast': ['240.0.0.1', '255.255.255.255', '4000::1', '5f00::1', '100::1'],
  documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.255', '2001:db8::1', '3fff::1', '3fff:fff:ffff::1'],
  benchmarks: ['198.18.0.1', '198.19.255.255', '2001:2::1'],
  'protocol assignments': ['192.0.0.1', '192.88.99.1', '2001::1', '2001:1ff:ffff::1'],
  'IPv4-mapped': ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8', '0:0:0:0:0:ffff:8.8.8.8'],
  'IPv4-compatible': ['::127.0.0.1', '::8.8.8.8'],
  'IPv4-translated': ['::ffff:0:127.0.0.1', '::ffff:0:8.8.8.8'],
  NAT64: ['64:ff9b::127.0.0.1', '64:ff9b::8.8.8.8', '64:ff9b:1::1'],
  '6to4': ['2002:7f00:1::', '2002:808:808::1'],
  Teredo: ['2001:0:1::1', '2001::7f00:1'],
  ISATAP: ['2600::5efe:127.0.0.1', '2600:1::200:5efe:a00:1', '2a00:1:2:3:0:5EFE:c0a8:1'],
  'no address': ['', 'localhost', '127.1', '2130706433', '0x7f.1', '[::1]', '8.8.8.8 ', '1.2.3.4:80', '2600::1%1'],
};

const PUBLIC: readonly string[] = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.1',
  '168.63.129.17',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.0',
  '192.0.3.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '203.0.114.0',
  '223.255.255.255',
  '2001:200::1',
  '2001:db7:ffff::1',
  '2001:db9::1',
  '2003::1',
  '2606:4700::6810:1',
  '2600::5eff:7f00:1',
  '3ffe::1',
];

describe('isPublicAddress', () => {
  for (const [kind, addresses] of Object.entries(NOT_PUBLIC)) {
    it(`refuses ${kind}`, () => {
      for (const address of addresses) assert.equal(isPublicAddress(address), false, address);
    });
  }

  it('accepts public addresses, up to the borders of the nets above', () => {
    for (const address of PUBLIC) assert.equal(isPublicAddress(address), true, address);
  });
});

describe('isPrivateHost', () => {
  const hostOf = (host: string) => new URL(`http://${host}/`).hostname;

  it('finds private addresses in every spelling, and names of the machine', () => {
    const spellings = [
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f.1',
      '0177.0.0.1',
      '127.0.0.1.',
      '[::1]',
      '[::ffff:7f00:1]',
    ];
    for (const host of [...spellings, '10.0.0.1', 'localhost', 'LOCALHOST.', 'a.localhost'])
      assert.equal(isPrivateHost(hostOf(host)), true, host);
  });

  it('accepts public addresses, and names that need a lookup', () => {
    for (const host of ['8.8.8.8', '[2606:4700::1]', 'hooks.example', 'localhost.example', 'notlocalhost'])
      assert.equal(isPrivateHost(hostOf(host)), false, host);
  });
});
