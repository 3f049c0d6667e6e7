/**
 * Keeps requests below the limit of the account, so that a busy program is delayed instead of refused. The server says the limit
 * with every response; its window slides, so requests of the last window are counted here in the same way.
 */

const WINDOW_MS = 60_000;
/** Clocks and networks differ a little. */
const MARGIN_MS = 250;

export class Pace {
  /** When each request of the last window was sent, oldest first. */
  readonly #sent: number[] = [];
  #limit: number | undefined;
  /** Requests wait until then, because the server said that nothing is left. */
  #closedUntil = 0;
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** How long to wait before the next request; 0 counts the request as sent. */
  reserve_ms(): number {
    const now = this.#now();
    while (this.#sent.length > 0 && (this.#sent[0] as number) <= now - WINDOW_MS) this.#sent.shift();
    const oldest = this.#sent[0];
    const isFull = this.#limit !== undefined && this.#sent.length >= this.#limit && oldest !== undefined;
    const wait_ms = Math.max(this.#closedUntil - now, isFull ? (oldest as number) + WINDOW_MS + MARGIN_MS - now : 0);
    if (wait_ms > 0) return wait_ms;
    this.#sent.push(now);
    return 0;
  }

  /** Other programs may use the same account, so the server's own count decides. */
  heard(headers: Headers): void {
    const limit = Number(headers.get('ratelimit-limit') ?? Number.NaN);
    if (limit >= 1) this.#limit = limit;
    if (headers.get('ratelimit-remaining') === '0') this.close(Number(headers.get('ratelimit-reset') ?? 1));
  }

  close(seconds: number): void {
    this.#closedUntil = Math.max(this.#closedUntil, this.#now() + seconds * 1000);
  }
}
