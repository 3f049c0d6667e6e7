/**
 * Bounds the time from the first byte of the next request on a connection to its complete head. After
 * HEADERS_TIMEOUT_SECONDS, the client gets a response and its connection is closed.
 *
 * Node limits the time for the head of a request, but not for line breaks before it. Each line break also restarts
 * Node's KEEP_ALIVE_SECONDS, so a client could keep a connection open forever by sending one now and then. One sweep
 * checks all connections, as often as Node checks its own, so a request costs nothing here.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { answerUnderWay, CHECK_INTERVAL_MS, isRequestUnderWay } from './connections.ts';

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

  /** Whether any connection has a response that is written but not yet received. */
  hasUnsent(): boolean {
    return this.#states.keys().some((socket) => answerUnderWay(socket)?.writableEnded);
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
