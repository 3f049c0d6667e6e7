/**
 * Starts and stops listening. To stop, the server accepts no new connections, completes requests in flight, then closes
 * every connection.
 *
 * The processes of one server each listen on the same address, and the system distributes connections among them (SO_REUSEPORT; see
 * docs/decisions/0042).
 */
import { once } from 'node:events';
import type { Server } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import os from 'node:os';
import { setImmediate as nextTick } from 'node:timers/promises';

const IDLE_CHECK_INTERVAL_MS = 20;
/** Node accepts one connection per tick, from a queue of at most 511, but a stop does not spend more time on them. */
const ACCEPT_MS_MAX = 500;
/** The first tick may have asked the system for connections before the stop. */
const QUIET_TICKS = 2;
/**
 * A connection that arrives during the last tick is reset, so the server waits for a short tick to be the last one, unless none comes in
 * time. A tick without work takes about 20 us. On a busy machine, this reset 13 connections in 600 stops under 16 clients, and 61 without
 * it.
 */
const SHORT_TICK_MS = 0.05;

/** The wildcard addresses, each with a loopback address to show if the machine has no other. */
const EVERY_ADDRESS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** Whether other processes of this server listen on the address too. */
  readonly isShared?: boolean;
}

/** Elsewhere, node:cluster lets the processes accept from one socket. macOS has the option too, but distributes nothing. */
export const SHARES_PORTS = process.platform === 'linux';

/** Resolves with the address, such as `127.0.0.1:8080`; for a wildcard address, with one of the machine's own addresses. */
export async function listen(server: Server, { host, port, isShared = false }: ListenAddress): Promise<string> {
  server.listen({ host, port, reusePort: isShared && SHARES_PORTS });
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

/** A sandbox may forbid reading them. */
function ownAddresses(): os.NetworkInterfaceInfo[] {
  try {
    return Object.values(os.networkInterfaces()).flatMap((addresses = []) => addresses);
  } catch {
    return [];
  }
}

/** What a stop does with the open connections. */
export interface ConnectionsStop {
  /** From now on, each response is the last one of its connection. */
  readonly begin: () => void;
  /** Called repeatedly, because a busy connection becomes idle later. */
  readonly closeIdle: () => void;
}

/**
 * Stops listening and completes requests in flight. After the limit, cuts the connections that are left; returns whether that was needed.
 *
 * The server is unreachable before it asks clients to leave: they connect again at once, and those whose connection waits in the system's
 * queue when the server stops listening would be reset.
 */
export async function stopListening(
  server: Server,
  limit_seconds: number,
  { begin, closeIdle }: ConnectionsStop,
): Promise<boolean> {
  if (!server.listening) return false;
  let isCut = false;
  const limit = setTimeout(() => {
    isCut = true;
    server.closeAllConnections();
  }, limit_seconds * 1000);
  let idleCheck: NodeJS.Timeout | undefined;
  try {
    await acceptWaiting(server, Math.min(ACCEPT_MS_MAX, (limit_seconds * 1000) / 4));
    const closed = once(server, 'close');
    // Skips the override in `http.Server`, which closes idle connections immediately.
    net.Server.prototype.close.call(server);
    begin();
    closeIdle();
    idleCheck = setInterval(closeIdle, IDLE_CHECK_INTERVAL_MS);
    await closed;
    return isCut;
  } finally {
    // Also stops the timer with which Node checks connections.
    server.close();
    clearInterval(idleCheck);
    clearTimeout(limit);
  }
}

/** Accepts the connections that wait in the system's queue, which would be reset. */
async function acceptWaiting(server: Server, ms_max: number): Promise<void> {
  const endMs = performance.now() + ms_max;
  let quiet = 0;
  const onConnection = () => {
    quiet = -1;
  };
  server.on('connection', onConnection);
  for (let startMs = performance.now(), nowMs = startMs; nowMs < endMs; startMs = nowMs) {
    await nextTick();
    nowMs = performance.now();
    if (++quiet >= QUIET_TICKS && nowMs - startMs <= SHORT_TICK_MS) break;
  }
  server.off('connection', onConnection);
}
