/**
 * In charge of when answers are sent: those of one turn of the event loop together, some dozens at a time.
 *
 * Sent one by one, our own code and that of the system's network push each other out of the processor's caches, and the
 * client is woken for each of them; together they leave a quarter more time for reads (docs/decisions/0021).
 */

/** More gain nothing, and the first ones would wait for all others of the turn. */
const TOGETHER_MAX = 32;

export class Outbox<T> {
  readonly #send: (item: T) => void;
  readonly #sendAll = (): void => this.sendAll();
  #waiting: T[] = [];

  /** `send` does not throw. */
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
