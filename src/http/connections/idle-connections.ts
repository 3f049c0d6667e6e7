/**
 * Bounds the time from the first byte of the next request on a connection to its complete head. After
 * HEADERS_TIMEOUT_SECONDS, the client gets a response and its connection is closed.
 *
 * Node limits the time for the head of a request, but not for line breaks before it. Each line break also restarts
 * Node's KEEP_ALIVE_SECONDS, so a client could keep a connection open forever by sending one now and then. One sweep
 * checks all connections, as often as Node checks its own, so a request costs nothing here.
 *
 * When the server stops, it closes the connections that stay idle.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { CHECK_INTERVAL_MS, endAfterNewest, endConnection, isRequestUnderWay } from './connections.ts';

/**
 * A client that has just received a response may have sent its next request before it can know of the stop. Its connection is closed when
 * this many checks in a row, 20 ms apart, find it idle. A time would also count pauses of this thread, in which requests arrive unseen.
 */
const IDLE_CHECKS = 5;

interface SocketState {
  readonly bytesRead: number;
  readonly bytesWritten: number;
  /** When the first byte after the last response arrived; undefined while there is none. */
  readonly arrivingSinceMs: number | undefined;
}

export class IdleConnections {
  readonly #arriving_ms: number;
  readonly #onLate: (socket: Socket) => void;
  readonly #timer: NodeJS.Timeout;
  /** State of the open connections. */
  readonly #states = new Map<Socket, SocketState>();
  /** How many checks in a row found the connection idle, while the server stops. */
  readonly #idleChecks = new WeakMap<Socket, number>();

  /**
   * `event` is the server's event for connections that carry requests. `onLate` responds to a client that has timed out and
   * closes its connection.
   */
  constructor(
    server: Server,
    event: 'connection' | 'secureConnection',
    { headersTimeout_seconds }: { readonly headersTimeout_seconds: number },
    onLate: (socket: Socket) => void,
  ) {
    // Waits one interval longer than Node, which responds itself if a head has started.
    this.#arriving_ms = headersTimeout_seconds * 1000 + CHECK_INTERVAL_MS;
    this.#onLate = onLate;
    this.#timer = setInterval(() => this.#sweep(performance.now()), CHECK_INTERVAL_MS);
    this.#timer.unref();
    server.on(event, (socket: Socket) => {
      this.#states.set(socket, { bytesRead: 0, bytesWritten: 0, arrivingSinceMs: undefined });
      socket.once('close', () => this.#states.delete(socket));
    });
  }

  /** The responses in flight are the last ones of their connections. */
  endAfterAnswers(): void {
    for (const socket of this.#states.keys()) endAfterNewest(socket);
  }

  /**
   * Closes the connections that have been idle since the calls began. The system would reset a connection that is closed with unread
   * bytes, so this only ends the server's side and lets the client close the other.
   */
  closeIdle(nowMs: number): void {
    this.#sweep(nowMs);
    for (const [socket, { arrivingSinceMs }] of this.#states) {
      const isIdle = !isRequestUnderWay(socket) && arrivingSinceMs === undefined;
      const checks = isIdle ? (this.#idleChecks.get(socket) ?? 0) + 1 : 0;
      this.#idleChecks.set(socket, checks);
      if (checks >= IDLE_CHECKS && !socket.writableEnded) endConnection(socket, '');
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #sweep(nowMs: number): void {
    for (const [socket, state] of this.#states) {
      const { bytesRead, bytesWritten } = socket;
      if (bytesWritten !== state.bytesWritten || isRequestUnderWay(socket)) {
        this.#states.set(socket, { bytesRead, bytesWritten, arrivingSinceMs: undefined });
      } else if (state.arrivingSinceMs !== undefined) {
        if (nowMs - state.arrivingSinceMs >= this.#arriving_ms) this.#onLate(socket);
      } else if (bytesRead !== state.bytesRead) {
        // The connection is no longer idle, so the limit for the head applies from now on.
        socket.setTimeout(0);
        this.#states.set(socket, { ...state, arrivingSinceMs: nowMs });
      }
    }
  }
}
