/**
 * Identifies a client for rate limits: an IPv4 address, or a /64 network of IPv6. A client usually has all 2^64 addresses of its
 * IPv6 network, so a limit per address would never apply.
 */
import { isIPv6 } from 'node:net';

const GROUPS = 8;
const NETWORK_GROUPS = 4;
/** An IPv4 address as a dual-stack socket reports it. */
const MAPPED = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

export function clientNetwork(address: string): string {
  if (!isIPv6(address)) return address;
  const written = shortest(address);
  const mapped = MAPPED.exec(written);
  if (mapped !== null) return mapped.slice(1).flatMap(bytesOf).join('.');
  const [head = '', tail] = written.split('::');
  const groups = groupsOf(head);
  if (tail !== undefined) {
    const last = groupsOf(tail);
    const zeros = GROUPS - groups.length - last.length;
    groups.push(...new Array<string>(zeros).fill('0'), ...last);
  }
  return `${groups.slice(0, NETWORK_GROUPS).join(':')}::/64`;
}

/** Normalizes the address as URLs do, so that each address has one spelling. */
function shortest(address: string): string {
  const [withoutZone = ''] = address.split('%', 1);
  return new URL(`http://[${withoutZone}]`).hostname.slice(1, -1);
}

function groupsOf(text: string): string[] {
  return text === '' ? [] : text.split(':');
}

function bytesOf(group: string): number[] {
  const bits = Number.parseInt(group, 16);
  return [bits >> 8, bits & 0xff];
}
