/**
 * Keeps pipelined requests of one connection in order. Node passes them on as they arrive and only orders their
 * responses. Reads may run in parallel (RFC 9112, 9.3.2), but a read must show the writes before it, so any other request
 * waits until all earlier ones are done.
 *
 * Nearly all requests have no predecessor; for them this costs one comparison.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { answerUnderWay, countAsUnsent, followResponse } from './connections.ts';

type Serve = (message: IncomingMessage, response: ServerResponse) => void;

/** With more waiting requests than this, Node stops reading from the connection. Requests that have already arrived wait too. */
const WAITING_MAX = 64;

const READS: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD']);

export class PipelineOrder {
  readonly #serve: Serve;
  /** The response to the last waiting request of each connection. */
  readonly #last = new WeakMap<Socket, ServerResponse>();
  #isStopping = false;

  constructor(serve: Serve) {
    this.#serve = serve;
  }

  /** Closes each connection after its next response. */
  stop(): void {
    this.#isStopping = true;
  }

  /** Serves the request immediately, or after earlier ones. Does not serve it if the connection closes first. */
  take(message: IncomingMessage, response: ServerResponse): void {
    followResponse(response);
    if (this.#isStopping) {
      response.shouldKeepAlive = false;
      // The request and the end of the connection crossed on their way, so there can be no response. The client may send it again.
      if (message.socket.writableEnded) {
        message.resume();
        return;
      }
    }
    // Node assigns a response its socket when all earlier ones are done.
    if (response.socket !== null || this.#isAmongReads(message)) this.#serve(message, response);
    else this.#wait(message, response);
  }

  /** Returns false if this request or an unfinished one before it is not a read, because then this request must wait. */
  #isAmongReads({ method, socket }: IncomingMessage): boolean {
    return READS.has(method) && READS.has(answerUnderWay(socket)?.req.method) && !this.#last.has(socket);
  }

  #wait(message: IncomingMessage, response: ServerResponse): void {
    const { socket } = message;
    const share_bytes = Math.ceil(socket.writableHighWaterMark / WAITING_MAX);
    countAsUnsent(response, share_bytes);
    this.#last.set(socket, response);
    response.once('socket', () => {
      if (this.#last.get(socket) === response) this.#last.delete(socket);
      countAsUnsent(response, -share_bytes);
      // By the next tick, Node has assigned the response its socket.
      process.nextTick(() => {
        if (!socket.writable) return;
        // All earlier responses are sent, so their stall timeout no longer applies.
        socket.setTimeout(0);
        this.#serve(message, response);
      });
    });
  }
}
