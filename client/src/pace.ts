/**
 * Keeps requests below the limit of the account, so that a busy program is delayed instead of refused. The server sends the limit with
 * every response. Its window slides, so this module counts the requests of the last window in the same way.
 */

const WINDOW_MS = 60_000;
/** Extra wait that allows for differences between clocks and for network delays. */
const MARGIN_MS = 250;

export class Pace {
  /** When each request of the last window was sent, oldest first. */
  readonly #sent: number[] = [];
  #limit: number | undefined;
  /** Requests wait until this time, because the server reported that no request is left. */
  #closedUntil = 0;
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Returns how long to wait before the next request. When it returns 0, the request counts as sent. */
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

  /** Reads the limits from a response. The server's own count decides, because other programs may use the same account. */
  heard(headers: Headers): void {
    const limit = Number(headers.get('ratelimit-limit') ?? Number.NaN);
    if (limit >= 1) this.#limit = limit;
    if (headers.get('ratelimit-remaining') === '0') this.close(Number(headers.get('ratelimit-reset') ?? 1));
  }

  close(seconds: number): void {
    this.#closedUntil = Math.max(this.#closedUntil, this.#now() + seconds * 1000);
  }
}
