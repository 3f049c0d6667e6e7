/**
 * In charge of requests that take too long to arrive. Node has one limit of time for the whole request, the same for each;
 * an upload of a gigabyte takes longer than any other call may, so that the bodies of all are watched here, and Node
 * watches their heads.
 *
 * Nearly all bodies arrive with their head. What is watched is looked at when Node looks at its connections, and costs a
 * call an entry in a map.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { CHECK_INTERVAL_MS } from './connections.ts';

interface Arriving {
  readonly response: ServerResponse;
  readonly endMs: number;
}

export class Arrivals {
  readonly #arriving = new Map<IncomingMessage, Arriving>();
  readonly #onLate: (socket: Socket) => void;
  readonly #timer: NodeJS.Timeout;

  /** `onLate` answers a client whose time is over and ends its connection. */
  constructor(onLate: (socket: Socket) => void) {
    this.#onLate = onLate;
    this.#timer = setInterval(() => this.#sweep(), CHECK_INTERVAL_MS);
    this.#timer.unref();
  }

  /** From now on it has so long; what it was given before does not count. */
  watch(message: IncomingMessage, response: ServerResponse, seconds_max: number): void {
    if (message.complete || message.readableEnded) return;
    this.#arriving.set(message, { response, endMs: performance.now() + seconds_max * 1000 });
  }

  /** It is there, all of it. */
  arrived(message: IncomingMessage): void {
    this.#arriving.delete(message);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #sweep(): void {
    const nowMs = performance.now();
    for (const [message, { response, endMs }] of this.#arriving) {
      if (message.complete || message.destroyed) {
        this.#arriving.delete(message);
      } else if (endMs <= nowMs) {
        this.#arriving.delete(message);
        // One that was refused and goes on sending has had its answer.
        if (response.headersSent) message.socket.destroy();
        else this.#onLate(message.socket);
      }
    }
  }
}
