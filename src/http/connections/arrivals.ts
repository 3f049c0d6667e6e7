/**
 * Times out requests whose body takes too long to arrive. Node has only one limit for whole requests, but an upload of
 * a gigabyte may take longer than any other call. So bodies are watched here, and Node watches the heads.
 *
 * Nearly all bodies arrive with their head. The check runs as often as Node's own check of connections and costs each
 * call one map entry.
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

  /** `onLate` responds to a client that has timed out and closes its connection. */
  constructor(onLate: (socket: Socket) => void) {
    this.#onLate = onLate;
    this.#timer = setInterval(() => this.#sweep(), CHECK_INTERVAL_MS);
    this.#timer.unref();
  }

  /** Starts the time limit; replaces an earlier one. */
  watch(message: IncomingMessage, response: ServerResponse, seconds_max: number): void {
    if (message.complete || message.readableEnded) return;
    this.#arriving.set(message, { response, endMs: performance.now() + seconds_max * 1000 });
  }

  /** Ends the time limit, because the whole request has arrived. */
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
        // A refused client that keeps sending already has its response.
        if (response.headersSent) message.socket.destroy();
        else this.#onLate(message.socket);
      }
    }
  }
}
