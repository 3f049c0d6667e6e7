/**
 * Decides which IP addresses may be connected to: only addresses of the public internet. Others are reachable
 * only because of the server's network position: its own machine, the operator's network, a cloud's metadata service.
 *
 * IPv6 uses an allow list with exceptions: only global unicast (2000::/3) may be reached. That excludes ::, ::1, IPv4-mapped
 * and -compatible forms, NAT64 (64:ff9b::/96 and /48), unique local, link-local and multicast. A NAT64 prefix that an operator
 * chose from global addresses cannot be detected here.
 */
import { BlockList, isIP } from 'node:net';

/** The networks of IANA's special-purpose registry, and the public address of Azure's host agent. */
const FORBIDDEN_IPV4: readonly string[] = [
  '0.0.0.0/8', // this network; 0.0.0.0 reaches the server's own machine
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT; Alibaba's metadata is 100.100.100.200
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // Azure's host agent
  '169.254.0.0/16', // link-local; metadata of most clouds is 169.254.169.254
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments; Oracle's metadata is 192.0.0.192
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT relays
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
];

const FORBIDDEN_IPV6: readonly string[] = [
  '2001::/23', // protocol assignments: Teredo, ORCHID, benchmarks
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4: carries an IPv4 address
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
];

const GLOBAL_UNICAST = blockListOf(['2000::/3'], 'ipv6');
const FORBIDDEN = blockListOf(FORBIDDEN_IPV4, 'ipv4');
const FORBIDDEN_GLOBAL = blockListOf(FORBIDDEN_IPV6, 'ipv6');
/** ISATAP: the last 32 bits are an IPv4 address, whatever the prefix. */
const ISATAP = /:(?:0|200):5efe:[0-9a-f]{1,4}:[0-9a-f]{1,4}$/;
const LOCAL_NAME = /^(?:.+\.)?localhost\.?$/i;

/** `address` has no brackets. Invalid addresses, and addresses with a zone, are not public. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !FORBIDDEN.check(address, 'ipv4');
    case 6:
      return isPublicIpv6(address);
    default:
      return false;
  }
}

/** True for a private address, and for names of the machine itself. `hostname` is as URL writes it: `127.1` is `127.0.0.1` there. */
export function isPrivateHost(hostname: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return isIP(bare) === 0 ? LOCAL_NAME.test(bare) : !isPublicAddress(bare);
}

function isPublicIpv6(address: string): boolean {
  if (address.includes('%')) return false;
  return (
    GLOBAL_UNICAST.check(address, 'ipv6') &&
    !FORBIDDEN_GLOBAL.check(address, 'ipv6') &&
    !ISATAP.test(withoutGap(address))
  );
}

/** Expands `2600::5efe:7f00:1` to `2600:0:0:0:0:5efe:7f00:1`, in lower case and without leading zeros. */
function withoutGap(address: string): string {
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  if (tail === undefined) return canonical;
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const missing = 8 - groups(head).length - groups(tail).length;
  return [...groups(head), ...Array.from({ length: missing }, () => '0'), ...groups(tail)].join(':');
}

function blockListOf(nets: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const net of nets) {
    const [prefix = '', bits] = net.split('/');
    list.addSubnet(prefix, Number(bits), family);
  }
  return list;
}

export class AddressNotPublicError extends Error {
  constructor(hostname: string) {
    super(`${hostname} has an address that is not on the public internet.`);
    this.name = 'AddressNotPublicError';
  }
}
