/**
 * Refuses requests that would wait too long, so that accepted ones are served in time and the server keeps its peak
 * rate.
 *
 * A request waits in two places. Before it is read: a tick of the event loop reads every socket that has bytes, so a
 * request that is read late has waited since the start of the tick. After it is read: the wait is the number of
 * requests in flight divided by the rate of responses. docs/decisions/0027 has the reasons and the figures.
 *
 * A refusal costs Node as much as a response, so clients that ignore `Retry-After` would soon leave no time for responses.
 * So a refused connection is paused: the server does not read from it for a while, and paused connections resume at a
 * bounded rate.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Senders without an account. All clients without a verified token count as one, and so do all portal users. */
export const STRANGERS = 0;
export const PORTAL_USERS = -1;
/** Health checks, accepted under any load up to a limited number, because a server that sheds load is healthy. */
export const HEALTH_CHECK = -2;
const HEALTH_CHECKS_PER_TICK_MAX = 64;

interface WaitLimit {
  /** The longest expected wait at which a request is accepted. */
  readonly wait_ms_max: number;
  /**
   * Up to this many requests, in flight or in a tick, are always accepted, because the wait may be a pause of the garbage collector or the
   * disk.
   */
  readonly always_taken: number;
}

/** The limit for an account that is the only sender. */
const ALONE: WaitLimit = { wait_ms_max: 50, always_taken: 256 };
/** The limit for an account that sends more than its share while others send too. It bounds the wait that a flood adds for the others. */
const ABOVE_SHARE: WaitLimit = { wait_ms_max: 15, always_taken: 128 };
/** The limit for an account within its share. */
const WITHIN_SHARE: WaitLimit = { wait_ms_max: 200, always_taken: 256 };
const RATE_WINDOW_MS = 50;
/** After a slower window, this fraction of the earlier rate is kept, because the window may contain a pause of the disk. */
const RATE_KEPT = 0.8;
/** The assumed rate before the first measurement. */
const FIRST_RATE_PER_MS = 10;
/** An account counts as a sender for one to two of these windows. */
const SHARE_WINDOW_MS = 1000;
/**
 * How many paused connections resume per second. Each may cost one more refusal, so this bounds the cost of refusals.
 */
const RESUMES_PER_SECOND_MAX = 500;
const WAKE_INTERVAL_MS = 10;

export class LoadShedder {
  #inFlight = 0;
  /** The capacity of the server: the highest rate of the last windows. */
  #answersPerMs = FIRST_RATE_PER_MS;
  #rateWindowStartMs = 0;
  #rateWindowAnswers = 0;
  /** When reading started in this tick, and how many requests were read. */
  #tickStartMs = 0;
  #tickRequests = 0;
  #tickHealthChecks = 0;
  readonly #endTick = (): void => {
    this.#tickRequests = 0;
    this.#tickHealthChecks = 0;
  };
  /** Requests by account in this share window and the previous one, accepted or refused. */
  #sent = new Map<number, number>();
  #sentBefore = new Map<number, number>();
  #sentTotal = 0;
  #sentTotalBefore = 0;
  /** How many of the senders are accounts. */
  #accounts = 0;
  #accountsBefore = 0;
  #shareWindowStartMs = 0;
  /** Paused connections, in the order in which they resume. */
  readonly #resting = new Set<Socket>();
  /** Connections resumed in this tick, whose requests were sent during the pause. */
  readonly #resumed = new Set<Socket>();
  #resumedMs = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Returns whether to refuse the request. `sender` is an account, or one of the senders without an account. */
  isTooMuch(sender: number, socket: Socket, nowMs: number): boolean {
    if (this.#tickRequests++ === 0) {
      this.#tickStartMs = nowMs;
      setImmediate(this.#endTick);
    }
    if (sender === HEALTH_CHECK) return ++this.#tickHealthChecks > HEALTH_CHECKS_PER_TICK_MAX;
    this.#countSent(sender, nowMs);
    // Checks the strictest limit first, because nearly every request is within it.
    if (!this.#exceeds(ABOVE_SHARE, nowMs)) return false;
    return this.#resumed.has(socket) || this.#exceeds(this.#limitOf(sender), nowMs);
  }

  /**
   * Pauses the connection of a refused request once its response is sent. Returns the number of seconds after which it
   * resumes at the latest.
   */
  rest(socket: Socket, response: ServerResponse): number {
    this.#resting.add(socket);
    if (this.#timer === undefined) {
      this.#resumedMs = performance.now();
      this.#timer = setInterval(() => this.#resume(performance.now()), WAKE_INTERVAL_MS).unref();
    }
    response.once('finish', () => {
      if (this.#resting.has(socket)) socket.pause();
    });
    return Math.ceil(this.#resting.size / RESUMES_PER_SECOND_MAX);
  }

  begin(): void {
    this.#inFlight++;
  }

  end(nowMs: number): void {
    this.#inFlight--;
    this.#rateWindowAnswers++;
    const window_ms = nowMs - this.#rateWindowStartMs;
    if (window_ms < RATE_WINDOW_MS) return;
    const answersPerMs = this.#rateWindowAnswers / window_ms;
    // With few requests in flight, the clients limited the rate, not the server.
    const kept = this.#inFlight > ABOVE_SHARE.always_taken ? RATE_KEPT : 1;
    this.#answersPerMs = Math.max(answersPerMs, this.#answersPerMs * kept);
    this.#rateWindowStartMs = nowMs;
    this.#rateWindowAnswers = 0;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #countSent(sender: number, nowMs: number): void {
    if (nowMs - this.#shareWindowStartMs >= SHARE_WINDOW_MS) {
      this.#sentBefore = this.#sent;
      this.#sentTotalBefore = this.#sentTotal;
      this.#accountsBefore = this.#accounts;
      this.#sent = new Map();
      this.#sentTotal = 0;
      this.#accounts = 0;
      this.#shareWindowStartMs = nowMs;
    }
    const sent = this.#sent.get(sender) ?? 0;
    if (sent === 0 && sender > STRANGERS) this.#accounts++;
    this.#sent.set(sender, sent + 1);
    this.#sentTotal++;
  }

  #exceeds({ wait_ms_max, always_taken }: WaitLimit, nowMs: number): boolean {
    return (
      // Requests that arrive during this tick wait for its end, and then for their turn in the next one.
      (this.#tickRequests > always_taken && 2 * (nowMs - this.#tickStartMs) > wait_ms_max) ||
      (this.#inFlight > always_taken && this.#inFlight / this.#answersPerMs > wait_ms_max)
    );
  }

  #limitOf(sender: number): WaitLimit {
    // Strangers and portal users do not count: they may be the same merchant, requesting a token or using the portal.
    const others = Math.max(this.#accounts, this.#accountsBefore) - (sender > STRANGERS ? 1 : 0);
    if (others <= 0) return ALONE;
    const senders = Math.max(this.#sent.size, this.#sentBefore.size);
    const sent = (this.#sent.get(sender) ?? 0) + (this.#sentBefore.get(sender) ?? 0);
    const isAbove = sent * senders > this.#sentTotal + this.#sentTotalBefore;
    return isAbove ? ABOVE_SHARE : WITHIN_SHARE;
  }

  #resume(nowMs: number): void {
    const resumes = ((nowMs - this.#resumedMs) * RESUMES_PER_SECOND_MAX) / 1000;
    let left = Math.max(1, Math.floor(resumes));
    this.#resumedMs = nowMs;
    for (const socket of this.#resting) {
      if (!socket.destroyed && left-- === 0) break;
      this.#resting.delete(socket);
      this.#resumed.add(socket);
      socket.resume();
    }
    // Node resumes reading when the body of a refused request arrives after its response.
    for (const socket of this.#resting) if (!socket.isPaused()) socket.pause();
    // Timers run before sockets are read, and `setImmediate` runs after them.
    setImmediate(() => this.#resumed.clear());
    if (this.#resting.size === 0) this.stop();
  }
}
