/**
 * In charge of connections that are idle between two requests: those that are so for too long are closed without a word.
 *
 * Node would start a timer after every answer and clear it at the next request, which takes some 3 % of a read. Here
 * connections are looked at as often as Node looks at its own, and a request costs nothing.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { answerUnderWay, CHECK_INTERVAL_MS } from './connections.ts';

interface Look {
  readonly bytesRead: number;
  /** When it was first seen to have read so many. */
  readonly sinceMs: number;
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
    server.on(event, (socket: Socket) => {
      this.#looks.set(socket, { bytesRead: 0, sinceMs: 0 });
      socket.once('close', () => this.#looks.delete(socket));
    });
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #sweep(nowMs: number): void {
    for (const [socket, { bytesRead, sinceMs }] of this.#looks) {
      // The time of the first request, and of a head that has begun, is Node's to watch.
      if (socket.bytesRead !== bytesRead || answerUnderWay(socket) !== undefined) {
        this.#looks.set(socket, { bytesRead: socket.bytesRead, sinceMs: nowMs });
      } else if (bytesRead > 0 && nowMs - sinceMs >= this.#keepAliveMs) {
        socket.destroy();
      }
    }
  }
}
