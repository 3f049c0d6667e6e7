/** DNS server for tests on a free local port: responds as configured, or not at all. */
import { createSocket } from 'node:dgram';
import { isIPv4 } from 'node:net';
import type { TestContext } from 'node:test';

/** Undefined: never responds. Empty: the name does not exist. */
export type Answers = (name: string, type: 'A' | 'AAAA') => readonly string[] | undefined;

const HEADER_BYTES = 12;
const TYPE_AAAA = 28;

/** Returns the server's address in the form that a resolver accepts. */
export async function startNameServer(t: TestContext, answers: Answers): Promise<string> {
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const { name, end } = questionOf(query);
    const type = query.readUInt16BE(end) === TYPE_AAAA ? 'AAAA' : 'A';
    const addresses = answers(name, type);
    if (addresses === undefined) return;
    const header = Buffer.from(query.subarray(0, HEADER_BYTES));
    // Response with recursion; code 3 means "no such name".
    header.writeUInt16BE(addresses.length === 0 ? 0x8183 : 0x8180, 2);
    header.writeUInt16BE(addresses.length, 6);
    header.writeUInt32BE(0, 8);
    const records = addresses.map((address) => recordOf(address));
    socket.send(Buffer.concat([header, query.subarray(HEADER_BYTES, end + 4), ...records]), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  t.after(() => socket.close());
  return `127.0.0.1:${socket.address().port}`;
}

function questionOf(query: Buffer): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

/** Response for the queried name, valid for a minute. IPv6 must be written out in full. */
function recordOf(address: string): Buffer {
  const data = isIPv4(address)
    ? Buffer.from(address.split('.').map(Number))
    : Buffer.from(
        address
          .split(':')
          .map((group) => group.padStart(4, '0'))
          .join(''),
        'hex',
      );
  const head = Buffer.from([0xc0, HEADER_BYTES, 0, isIPv4(address) ? 1 : TYPE_AAAA, 0, 1, 0, 0, 0, 60, 0, data.length]);
  return Buffer.concat([head, data]);
}
