/**
 * Bounds how long the next request on a connection may take to begin once bytes arrive: where no whole head followed within
 * HEADERS_TIMEOUT_SECONDS, the client is answered and its connection ends.
 *
 * Node limits the time for the head of a request, but not for line breaks before it. Each line break also restarts Node's
 * KEEP_ALIVE_SECONDS, so a client could keep its connection open for ever by sending one now and then. One sweep checks all
 * connections, as often as Node checks its own, so a request costs nothing here.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { answerUnderWay, CHECK_INTERVAL_MS, isRequestUnderWay } from './connections.ts';

interface Look {
  readonly bytesRead: number;
  readonly bytesWritten: number;
  /** When the first byte after the last answer was seen; undefined while there is none. */
  readonly arrivingSinceMs: number | undefined;
}

export class IdleConnections {
  readonly #arrivingMs: number;
  readonly #onLate: (socket: Socket) => void;
  readonly #timer: NodeJS.Timeout;
  /** What was seen of the open ones. */
  readonly #looks = new Map<Socket, Look>();

  /**
   * `event` is the one by which the server tells of connections that carry requests. `onLate` answers a client whose time is
   * over and ends its connection.
   */
  constructor(
    server: Server,
    event: 'connection' | 'secureConnection',
    { headersTimeoutSeconds }: { readonly headersTimeoutSeconds: number },
    onLate: (socket: Socket) => void,
  ) {
    // Behind Node, which answers first where a head has begun.
    this.#arrivingMs = headersTimeoutSeconds * 1000 + CHECK_INTERVAL_MS;
    this.#onLate = onLate;
    this.#timer = setInterval(() => this.#sweep(performance.now()), CHECK_INTERVAL_MS);
    this.#timer.unref();
    server.on(event, (socket: Socket) => {
      this.#looks.set(socket, { bytesRead: 0, bytesWritten: 0, arrivingSinceMs: undefined });
      socket.once('close', () => this.#looks.delete(socket));
    });
  }

  /** Whether the answer on some connection is written but not taken by the client. */
  hasUnsent(): boolean {
    return this.#looks.keys().some((socket) => answerUnderWay(socket)?.writableEnded);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #sweep(nowMs: number): void {
    for (const [socket, look] of this.#looks) {
      const { bytesRead, bytesWritten } = socket;
      if (bytesWritten !== look.bytesWritten || isRequestUnderWay(socket)) {
        this.#looks.set(socket, { bytesRead, bytesWritten, arrivingSinceMs: undefined });
      } else if (look.arrivingSinceMs !== undefined) {
        if (nowMs - look.arrivingSinceMs >= this.#arrivingMs) this.#onLate(socket);
      } else if (bytesRead !== look.bytesRead) {
        // It is no longer idle: from here on it has the time of a head.
        socket.setTimeout(0);
        this.#looks.set(socket, { ...look, arrivingSinceMs: nowMs });
      }
    }
  }
}
