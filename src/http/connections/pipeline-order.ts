/**
 * In charge of the order of requests that a client sends on one connection without waiting for answers. Node hands them
 * over as they arrive and only keeps their answers in order; side by side may be only those that read (RFC 9112, 9.3.2), since
 * a read must show the writes before it. Any other waits until all before it are answered.
 *
 * A request that nobody is ahead of, as nearly all are, costs a comparison.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { answerUnderWay, countAsUnsent, followResponse } from './connections.ts';

type Serve = (message: IncomingMessage, response: ServerResponse) => void;

/** From here on Node reads no more from the connection; what has arrived with the last of them waits as well. */
const WAITING_MAX = 64;

const READS: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD']);

export class PipelineOrder {
  readonly #serve: Serve;
  /** Where requests wait, the last one of them. */
  readonly #last = new WeakMap<Socket, ServerResponse>();

  constructor(serve: Serve) {
    this.#serve = serve;
  }

  /** Serves it at once or in its turn; never, if the connection closes before. */
  take(message: IncomingMessage, response: ServerResponse): void {
    followResponse(response);
    // Node gives a response its socket when all before it are answered.
    if (response.socket !== null || this.#isAmongReads(message)) this.#serve(message, response);
    else this.#wait(message, response);
  }

  /** One between the first and this that is no read would wait. */
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
      // By then Node has done with handing it the socket.
      process.nextTick(() => {
        if (!socket.writable) return;
        // All before it are sent: nothing stands still that an answer of theirs has bounded.
        socket.setTimeout(0);
        this.#serve(message, response);
      });
    });
  }
}
