/**
 * Closes connections on which no request arrives: silently where nothing was sent after the last answer for KEEP_ALIVE_SECONDS,
 * with an answer where something was, and no whole head followed within HEADERS_TIMEOUT_SECONDS. At a stop it says which
 * connections are idle.
 *
 * Node watches the heads of requests, but not the line breaks that may come before one: a client could send one now and then
 * and keep its connection for ever. Node would also start a timer after every answer and clear it at the next request
 * (docs/decisions/0021). Here connections are looked at as often as Node looks at its own, and a request costs nothing.
 */
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { answerUnderWay, CHECK_INTERVAL_MS, isRequestUnderWay } from './connections.ts';

interface Look {
  readonly bytesRead: number;
  readonly bytesWritten: number;
  /** When it was first seen with so many written; `NEVER` where there was no answer. */
  readonly sinceMs: number;
  /** When the first byte after that was seen; undefined while there is none. */
  readonly arrivingSinceMs: number | undefined;
}

interface IdleLimits {
  readonly keepAliveSeconds: number;
  readonly headersTimeoutSeconds: number;
}

/** Of connections without an answer yet: Node closes those that have no whole head in time from their opening. */
const NEVER = Number.POSITIVE_INFINITY;

export class IdleConnections {
  readonly #keepAliveMs: number;
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
    { keepAliveSeconds, headersTimeoutSeconds }: IdleLimits,
    onLate: (socket: Socket) => void,
  ) {
    this.#keepAliveMs = keepAliveSeconds * 1000;
    // Behind Node, which answers first where a head has begun.
    this.#arrivingMs = headersTimeoutSeconds * 1000 + CHECK_INTERVAL_MS;
    this.#onLate = onLate;
    this.#timer = setInterval(() => this.#sweep(performance.now()), CHECK_INTERVAL_MS);
    this.#timer.unref();
    this.#spareUnsent(server);
    server.on(event, (socket: Socket) => {
      this.#looks.set(socket, { bytesRead: 0, bytesWritten: 0, sinceMs: NEVER, arrivingSinceMs: undefined });
      socket.once('close', () => this.#looks.delete(socket));
    });
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** At a stop Node takes a connection for idle whose answer is written, also where the client has not taken all of it yet. */
  #spareUnsent(server: Server): void {
    const closeIdle = server.closeIdleConnections.bind(server);
    server.closeIdleConnections = () => {
      const answers = Array.from(this.#looks.keys(), answerUnderWay);
      const unsent = answers.filter((answer) => answer?.finished === true) as ServerResponse[];
      for (const answer of unsent) answer.finished = false;
      closeIdle();
      for (const answer of unsent) answer.finished = true;
    };
  }

  #sweep(nowMs: number): void {
    for (const [socket, look] of this.#looks) {
      const { bytesRead, bytesWritten } = socket;
      if (bytesWritten !== look.bytesWritten || isRequestUnderWay(socket)) {
        this.#looks.set(socket, { bytesRead, bytesWritten, sinceMs: nowMs, arrivingSinceMs: undefined });
      } else if (look.arrivingSinceMs !== undefined) {
        if (nowMs - look.arrivingSinceMs >= this.#arrivingMs) this.#onLate(socket);
      } else if (bytesRead !== look.bytesRead) {
        this.#looks.set(socket, { ...look, arrivingSinceMs: nowMs });
      } else if (nowMs - look.sinceMs >= this.#keepAliveMs) {
        socket.destroy();
      }
    }
  }
}
