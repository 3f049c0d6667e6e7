/**
 * In charge of connections that are idle between two requests: those that are so for too long are closed without a word. At a
 * stop all of them are, and this says which are.
 *
 * Node would start a timer after every answer and clear it at the next request (docs/decisions/0021). Here connections are
 * looked at as often as Node looks at its own, and a request costs nothing.
 */
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { answerUnderWay, CHECK_INTERVAL_MS } from './connections.ts';

interface Look {
  readonly bytesRead: number;
  readonly bytesWritten: number;
  /** When it was first seen with so many written. */
  readonly sinceMs: number;
  /** A request has begun to arrive since: that its head does so in time is Node's to watch. */
  readonly isArriving: boolean;
}

export class IdleConnections {
  readonly #keepAliveMs: number;
  readonly #timer: NodeJS.Timeout;
  /** What was seen of the open ones. */
  readonly #looks = new Map<Socket, Look>();

  /** `event` is the one by which the server tells of connections that carry requests. */
  constructor(server: Server, event: 'connection' | 'secureConnection', keepAliveSeconds: number) {
    this.#keepAliveMs = keepAliveSeconds * 1000;
    this.#timer = setInterval(() => this.#sweep(performance.now()), CHECK_INTERVAL_MS);
    this.#timer.unref();
    this.#spareUnsent(server);
    server.on(event, (socket: Socket) => {
      this.#looks.set(socket, { bytesRead: 0, bytesWritten: 0, sinceMs: 0, isArriving: true });
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
      if (bytesWritten !== look.bytesWritten || answerUnderWay(socket) !== undefined) {
        this.#looks.set(socket, { bytesRead, bytesWritten, sinceMs: nowMs, isArriving: false });
      } else if (bytesRead !== look.bytesRead) {
        this.#looks.set(socket, { ...look, bytesRead, isArriving: true });
      } else if (!look.isArriving && nowMs - look.sinceMs >= this.#keepAliveMs) {
        socket.destroy();
      }
    }
  }
}
