/**
 * Starts and stops listening. To stop, the server accepts no new connections, completes requests in flight, then closes
 * every connection.
 */
import { once } from 'node:events';
import type { Server } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import os from 'node:os';

/**
 * Node closes idle connections only once. Connections that are busy at that moment would stay open until their
 * keep-alive timeout.
 */
const IDLE_CHECK_INTERVAL_MS = 20;

/** The wildcard addresses, each with a loopback address to show if the machine has no other. */
const EVERY_ADDRESS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Resolves with the address, such as `127.0.0.1:8080`; for a wildcard address, with one of the machine's own addresses. */
export async function listen(server: Server, host: string, port: number): Promise<string> {
  server.listen({ host, port });
  await once(server, 'listening');
  const listening = server.address() as AddressInfo;
  const address = reachableAddress(listening);
  return `${listening.family === 'IPv6' ? `[${address}]` : address}:${listening.port}`;
}

/** Skips addresses that are valid only on this machine or need a network interface name. */
function reachableAddress({ address, family }: AddressInfo): string {
  const loopback = EVERY_ADDRESS[address];
  if (loopback === undefined) return address;
  const own = ownAddresses();
  const isReachable = (one: (typeof own)[number]) => one.family === family && !one.internal && !one.scopeid;
  return own.find(isReachable)?.address ?? loopback;
}

/** A sandbox may forbid to read them. */
function ownAddresses(): os.NetworkInterfaceInfo[] {
  try {
    return Object.values(os.networkInterfaces()).flatMap((addresses = []) => addresses);
  } catch {
    return [];
  }
}

/**
 * Stops listening and completes requests in flight. After the limit, cuts the connections that are left; returns whether that was needed.
 * Node counts a connection as idle once its response is written, even if the client has not read it, so no idle connection is closed while
 * `hasUnsent()`.
 */
export async function stopListening(server: Server, limit_seconds: number, hasUnsent: () => boolean): Promise<boolean> {
  if (!server.listening) return false;
  const closeIdle = (): void => {
    if (!hasUnsent()) server.closeIdleConnections();
  };
  const idleCheck = setInterval(closeIdle, IDLE_CHECK_INTERVAL_MS);
  let isCut = false;
  const limit = setTimeout(() => {
    isCut = true;
    server.closeAllConnections();
  }, limit_seconds * 1000);
  try {
    const closed = once(server, 'close');
    // Skips the override in `http.Server`, which closes idle connections immediately.
    net.Server.prototype.close.call(server);
    closeIdle();
    await closed;
    return isCut;
  } finally {
    // Also stops the timer with which Node checks connections.
    server.close();
    clearInterval(idleCheck);
    clearTimeout(limit);
  }
}
