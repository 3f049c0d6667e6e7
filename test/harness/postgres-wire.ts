/** Proxy between Offerbook and PostgreSQL on which a test decides what happens to each response. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** Receives data from PostgreSQL on one connection, and can pass it to Offerbook. */
export type PassOn = (chunk: Buffer, near: Socket) => void;

/** Starts the proxy and returns the URL of the database through it. Each connection gets its own `PassOn`. */
export async function openPostgresWire(
  t: TestContext,
  databaseUrl: string,
  answersOfConnection: () => PassOn,
): Promise<string> {
  const { hostname, port } = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const wire = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far);
    const passOn = answersOfConnection();
    far.on('data', (chunk: Buffer) => passOn(chunk, near));
  }).listen(0, '127.0.0.1');
  await once(wire, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    wire.close();
  });
  const host = `127.0.0.1:${(wire.address() as AddressInfo).port}`;
  return Object.assign(new URL(databaseUrl), { host }).href;
}
