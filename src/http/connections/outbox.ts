/**
 * Batches responses: sends the responses of one tick of the event loop together, up to 32 at a time.
 *
 * If responses are sent one by one, our code and the kernel's network code evict each other from the CPU caches, and each
 * response wakes the client. Batching leaves a quarter more time for reads (docs/decisions/0021).
 */

/** A larger batch would gain nothing, and its first responses would wait for the whole tick. */
const TOGETHER_MAX = 32;

export class Outbox<T> {
  readonly #send: (item: T) => void;
  readonly #sendAll = (): void => this.sendAll();
  #waiting: T[] = [];

  /** `send` must not throw. */
  constructor(send: (item: T) => void) {
    this.#send = send;
  }

  add(item: T): void {
    const count = this.#waiting.push(item);
    if (count === 1) setImmediate(this.#sendAll);
    else if (count === TOGETHER_MAX) this.sendAll();
  }

  sendAll(): void {
    const items = this.#waiting;
    this.#waiting = [];
    for (const item of items) this.#send(item);
  }
}
