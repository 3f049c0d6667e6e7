/** In charge of where a server listens, and of its end: no new connections, the requests under way are answered, then every one is closed. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Node closes the idle connections once; those that were busy then would stay until their keep-alive time is over. */
const IDLE_CHECK_INTERVAL_MS = 20;

/** Every address of the machine, with what to call one of them where it has no other. */
const EVERY_ADDRESS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Resolves with its address, as `127.0.0.1:8080`: one of them, where it listens at all of the machine. */
export async function listen(server: Server, host: string, port: number): Promise<string> {
  server.listen({ host, port });
  await once(server, 'listening');
  const listening = server.address() as AddressInfo;
  const address = reachableAddress(listening);
  return `${listening.family === 'IPv6' ? `[${address}]` : address}:${listening.port}`;
}

/** Of those that only this machine knows, or that need a name of one of its networks, none is of use to others. */
function reachableAddress({ address, family }: AddressInfo): string {
  const loopback = EVERY_ADDRESS[address];
  if (loopback === undefined) return address;
  const own = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
  const isReachable = (one: (typeof own)[number]) => one.family === family && !one.internal && !one.scopeid;
  return own.find(isReachable)?.address ?? loopback;
}

/**
 * A client that does not take its answer must not keep the server from ending: after the limit its connection is cut.
 * Returns whether that was needed. Node counts a connection as idle once its answer is written, even if the client has not
 * taken it yet, so none is closed while `hasUnsent()`.
 */
export async function stopListening(server: Server, limitSeconds: number, hasUnsent: () => boolean): Promise<boolean> {
  if (!server.listening) return false;
  const closeIdle = (): void => {
    if (!hasUnsent()) server.closeIdleConnections();
  };
  const idleCheck = setInterval(closeIdle, IDLE_CHECK_INTERVAL_MS);
  let isCut = false;
  const limit = setTimeout(() => {
    isCut = true;
    server.closeAllConnections();
  }, limitSeconds * 1000);
  try {
    const closed = once(server, 'close');
    // Without what `http.Server` adds to it: closing the idle connections at once.
    net.Server.prototype.close.call(server);
    closeIdle();
    await closed;
    return isCut;
  } finally {
    // Ends the timer by which Node checks connections.
    server.close();
    clearInterval(idleCheck);
    clearTimeout(limit);
  }
}
