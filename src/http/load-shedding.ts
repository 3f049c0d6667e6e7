/**
 * Refuses requests that would wait too long, so that those taken are answered in time and the server keeps its peak rate.
 *
 * A request waits in two places. Before it is read: a tick of the event loop reads every socket that has bytes, so the time
 * since the tick began is what a request read late in it has waited. After that: requests in flight, divided by the rate at
 * which they are answered. docs/decisions/0027 has the reasons and the figures.
 *
 * A refusal costs nearly as much as a read, so clients that ignore `Retry-After` would soon leave no time for answers. That is
 * why a refused connection rests: it is not read for a while, and connections at rest are woken at a bounded rate.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The longest expected wait at which the request of an account is taken that sends alone. */
const ALONE_WAIT_MS_MAX = 50;
/**
 * The same for an account that sends more than its share while others send as well: so much does a flood add to the others'
 * waits. A queue of this length still keeps every thread busy.
 */
const ABOVE_SHARE_WAIT_MS_MAX = 20;
/** The same for one that keeps to its share. */
const WITHIN_SHARE_WAIT_MS_MAX = 200;
/**
 * So few are always taken, in flight and in a tick: their rate may be that of a server with little to do, and a long tick the
 * pause of a garbage collection.
 */
const ALWAYS_TAKEN = 256;
/** How long the rate is measured before it counts. */
const RATE_WINDOW_MS = 50;
/** Until it was measured for the first time. */
const FIRST_RATE_PER_MS = 10;
/** How long an account counts as one that sends; between one and two of these. */
const SHARE_WINDOW_MS = 1000;
/** How many connections at rest are read again. Each may cost one more refusal, so this bounds what refusals cost. */
const WAKES_PER_SECOND_MAX = 1000;
const WAKE_INTERVAL_MS = 10;

export class LoadShedder {
  #inFlight = 0;
  #answersPerMs = FIRST_RATE_PER_MS;
  /** Undefined while too few are in flight. */
  #rateWindow: { readonly startMs: number; answers: number } | undefined;
  /** Since when requests are read in this tick, and how many were. */
  #tickStartMs = 0;
  #tickRequests = 0;
  readonly #endTick = (): void => {
    this.#tickRequests = 0;
  };
  /** Requests by account in this share window and in the one before, whether taken or refused. */
  #sent = new Map<number, number>();
  #sentBefore = new Map<number, number>();
  #sentTotal = 0;
  #sentTotalBefore = 0;
  #shareWindowStartMs = 0;
  /** Connections that are not read, in the order in which they will be again. */
  readonly #resting = new Set<Socket>();
  /** Woken in this tick: what they have to read was sent before it was welcome. */
  readonly #woken = new Set<Socket>();
  #wokenMs = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Whether the request is to be refused. `accountId` is 0 where it is not known. */
  isTooMuch(accountId: number, socket: Socket, nowMs: number): boolean {
    if (this.#tickRequests++ === 0) {
      this.#tickStartMs = nowMs;
      setImmediate(this.#endTick);
    }
    this.#countSent(accountId, nowMs);
    const tick_ms = this.#tickRequests <= ALWAYS_TAKEN ? 0 : nowMs - this.#tickStartMs;
    const queue_ms = this.#inFlight <= ALWAYS_TAKEN ? 0 : this.#inFlight / this.#answersPerMs;
    const wait_ms = Math.max(tick_ms, queue_ms);
    if (wait_ms <= ABOVE_SHARE_WAIT_MS_MAX) return false;
    return wait_ms > this.#waitMax(accountId) || this.#woken.has(socket);
  }

  /**
   * Has the connection of a refused request rest once its answer is sent: Node reads on when a request has arrived, so that
   * an earlier pause would not last. Returns the seconds after which it is read again at the latest.
   */
  rest(socket: Socket, response: ServerResponse): number {
    this.#resting.add(socket);
    if (this.#timer === undefined) {
      this.#wokenMs = performance.now();
      this.#timer = setInterval(() => this.#wake(performance.now()), WAKE_INTERVAL_MS).unref();
    }
    response.once('finish', () => {
      if (this.#resting.has(socket)) socket.pause();
    });
    return Math.ceil(this.#resting.size / WAKES_PER_SECOND_MAX);
  }

  begin(nowMs: number): void {
    this.#inFlight++;
    if (this.#inFlight > ALWAYS_TAKEN) this.#rateWindow ??= { startMs: nowMs, answers: 0 };
  }

  end(nowMs: number): void {
    this.#inFlight--;
    const window = this.#rateWindow;
    if (window === undefined) return;
    window.answers++;
    const window_ms = nowMs - window.startMs;
    if (this.#inFlight <= ALWAYS_TAKEN) {
      this.#rateWindow = undefined;
    } else if (window_ms >= RATE_WINDOW_MS) {
      this.#answersPerMs = (this.#answersPerMs + window.answers / window_ms) / 2;
      this.#rateWindow = { startMs: nowMs, answers: 0 };
    }
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #countSent(accountId: number, nowMs: number): void {
    if (nowMs - this.#shareWindowStartMs >= SHARE_WINDOW_MS) {
      this.#sentBefore = this.#sent;
      this.#sentTotalBefore = this.#sentTotal;
      this.#sent = new Map();
      this.#sentTotal = 0;
      this.#shareWindowStartMs = nowMs;
    }
    this.#sent.set(accountId, (this.#sent.get(accountId) ?? 0) + 1);
    this.#sentTotal++;
  }

  #waitMax(accountId: number): number {
    const accounts = Math.max(this.#sent.size, this.#sentBefore.size);
    if (accounts === 1) return ALONE_WAIT_MS_MAX;
    const sent = (this.#sent.get(accountId) ?? 0) + (this.#sentBefore.get(accountId) ?? 0);
    const isAbove = sent * accounts > this.#sentTotal + this.#sentTotalBefore;
    return isAbove ? ABOVE_SHARE_WAIT_MS_MAX : WITHIN_SHARE_WAIT_MS_MAX;
  }

  #wake(nowMs: number): void {
    const wakes = ((nowMs - this.#wokenMs) * WAKES_PER_SECOND_MAX) / 1000;
    let left = Math.max(1, Math.floor(wakes));
    this.#wokenMs = nowMs;
    for (const socket of this.#resting) {
      if (left-- === 0) break;
      this.#resting.delete(socket);
      this.#woken.add(socket);
      socket.resume();
    }
    // Timers come before sockets are read, and this comes after them.
    setImmediate(() => this.#woken.clear());
    if (this.#resting.size === 0) this.stop();
  }
}
