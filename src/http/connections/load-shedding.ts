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

/** Ids of senders without an account. All clients without a verified token count as one, and so do all portal users. */
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
  /** Refuses requests that were sent while their connection was paused: they have waited too long already. */
  readonly refusesPaused?: boolean;
}

/** The limits for a sender that does not flood. A sender above its share is refused first. */
const WITHIN_SHARE: WaitLimit = { wait_ms_max: 250, always_taken: 256 };
const ABOVE_SHARE: WaitLimit = { wait_ms_max: 200, always_taken: 256 };
/** The limit for a flood that keeps no others waiting. With more requests in flight, each takes more CPU time. */
const FLOOD: WaitLimit = { wait_ms_max: 25, always_taken: 256, refusesPaused: true };
/** The limit for a flood while others send too. It bounds the wait that the flood adds for them. */
const FLOOD_AMONG_OTHERS: WaitLimit = { wait_ms_max: 15, always_taken: 32, refusesPaused: true };
/** A sender floods when more of its requests wait than this. A client with one request per connection can use as many connections. */
const OWN_WAITING_MAX = 512;
/** Senders above their share divide this among them, so that a flood from many accounts is bounded too. */
const ALL_WAITING_MAX = 1024;
/** Others that send fewer requests in two share windows do not compete with a flood. */
const OTHERS_REQUESTS_MIN = 20;
const RATE_WINDOW_MS = 50;
/** After a slower window, this fraction of the earlier rate is kept, because the window may contain a pause of the disk. */
const RATE_KEPT = 0.8;
/** With fewer requests in flight, a low rate of responses does not show that the server is slow. */
const FEW_IN_FLIGHT = 128;
/** The assumed rate before the first measurement. */
const FIRST_RATE_PER_MS = 10;
/** Requests count towards a sender's share for one to two of these windows. */
const SHARE_WINDOW_MS = 1000;
/** How many paused connections resume per second under load. Each may cost one more refusal, so this bounds the cost of refusals. */
const RESUMES_PER_SECOND = 250;
/** How many resume per second while few requests are in flight, so that connections that were closed meanwhile are released soon. */
const IDLE_RESUMES_PER_SECOND = 2500;
const IDLE_IN_FLIGHT_MAX = 16;
const WAKE_INTERVAL_MS = 10;
/** How often all paused connections are checked; there may be thousands of them. */
const PAUSED_CHECK_INTERVAL_MS = 100;

/** The requests of one account, or of all senders of one kind without an account. */
class Sender {
  /** Requests in this share window and the previous one, accepted or refused. */
  sent = 0;
  sentBefore = 0;
  inFlight = 0;
  /** Requests that were read in the tick with this number and not refused. */
  inTick = 0;
  tick = 0;
  /** Paused connections, in the order in which they resume. */
  readonly resting = new Set<Socket>();
  /** Refused requests in this share window and the previous one whose connections were not paused. */
  unpaused = 0;
  unpausedBefore = 0;

  /** How many requests the sender has or wants in flight: at most one per connection, unless it pipelines them. */
  waiting(tick: number): number {
    // A request of this tick may already be in flight.
    const present = this.tick === tick ? Math.max(this.inFlight, this.inTick) : this.inFlight;
    return present + this.resting.size + this.unpausedBefore;
  }
}

export class LoadShedder {
  #inFlight = 0;
  /** The capacity of the server: the highest rate of the last windows. */
  #answersPerMs = FIRST_RATE_PER_MS;
  #rateWindowStartMs = 0;
  #rateWindowAnswers = 0;
  /** The number of this tick, when reading started in it, and how many requests were read. */
  #tick = 0;
  #tickStartMs = 0;
  #tickRequests = 0;
  #tickHealthChecks = 0;
  readonly #endTick = (): void => {
    this.#tickRequests = 0;
    this.#tickHealthChecks = 0;
  };
  readonly #senders = new Map<number, Sender>();
  /** Requests of all senders, and of accounts, in this share window and the previous one. */
  #sent = 0;
  #sentBefore = 0;
  #sentByAccounts = 0;
  #sentByAccountsBefore = 0;
  /** How many senders were above their share in the previous window. */
  #aboveShare = 0;
  #shareWindowStartMs = 0;
  /** All paused connections. */
  readonly #resting = new Set<Socket>();
  /** Senders with paused connections. They take turns, so that a flood does not keep the connections of others paused. */
  readonly #restingSenders = new Set<Sender>();
  /** Connections resumed in this tick, whose requests were sent during the pause. */
  readonly #resumed = new Set<Socket>();
  #resumedMs = 0;
  #pausedCheckMs = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Returns whether to refuse the request. `id` is an account, or one of the senders without an account. */
  isTooMuch(id: number, socket: Socket, nowMs: number): boolean {
    if (this.#tickRequests++ === 0) {
      this.#tick++;
      this.#tickStartMs = nowMs;
      setImmediate(this.#endTick);
    }
    if (id === HEALTH_CHECK) return ++this.#tickHealthChecks > HEALTH_CHECKS_PER_TICK_MAX;
    const sender = this.#countSent(id, nowMs);
    // Checks the strictest limit first, because nearly every request is within it.
    if (!this.#exceeds(FLOOD_AMONG_OTHERS, nowMs)) return false;
    const limit = this.#limitOf(id, sender);
    const isTooMuch = (limit.refusesPaused && this.#resumed.has(socket)) || this.#exceeds(limit, nowMs);
    if (isTooMuch) sender.inTick--;
    return isTooMuch;
  }

  /**
   * Pauses the connection of a refused request once its response is sent. Returns the number of seconds after which it
   * resumes at the latest, unless connections of further senders are paused meanwhile.
   */
  rest(id: number, socket: Socket, response: ServerResponse): number {
    const sender = this.#senderOf(id);
    if (!this.#resting.has(socket)) {
      this.#resting.add(socket);
      sender.resting.add(socket);
      this.#restingSenders.add(sender);
    }
    if (this.#timer === undefined) {
      this.#resumedMs = performance.now();
      this.#timer = setInterval(() => this.#resume(performance.now()), WAKE_INTERVAL_MS).unref();
    }
    response.once('finish', () => {
      if (this.#resting.has(socket)) socket.pause();
    });
    const before = Math.min(this.#resting.size, sender.resting.size * this.#restingSenders.size);
    return Math.ceil(before / RESUMES_PER_SECOND);
  }

  /** Counts a refused request whose connection cannot be paused. Returns the number of seconds after which to retry. */
  turnAway(id: number): number {
    this.#senderOf(id).unpaused++;
    return 1;
  }

  begin(id: number): void {
    this.#inFlight++;
    this.#senderOf(id).inFlight++;
  }

  end(id: number, nowMs: number): void {
    this.#inFlight--;
    this.#senderOf(id).inFlight--;
    this.#rateWindowAnswers++;
    const window_ms = nowMs - this.#rateWindowStartMs;
    if (window_ms < RATE_WINDOW_MS) return;
    const answersPerMs = this.#rateWindowAnswers / window_ms;
    // With few requests in flight and no connection paused, the clients limited the rate, not the server.
    const few = this.#resting.size > 0 ? FLOOD_AMONG_OTHERS.always_taken : FEW_IN_FLIGHT;
    const kept = this.#inFlight > few ? RATE_KEPT : 1;
    this.#answersPerMs = Math.max(answersPerMs, this.#answersPerMs * kept);
    this.#rateWindowStartMs = nowMs;
    this.#rateWindowAnswers = 0;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #senderOf(id: number): Sender {
    let sender = this.#senders.get(id);
    if (sender === undefined) {
      sender = new Sender();
      this.#senders.set(id, sender);
    }
    return sender;
  }

  #countSent(id: number, nowMs: number): Sender {
    if (nowMs - this.#shareWindowStartMs >= SHARE_WINDOW_MS) this.#startShareWindow(nowMs);
    const sender = this.#senderOf(id);
    if (sender.tick !== this.#tick) {
      sender.tick = this.#tick;
      sender.inTick = 0;
    }
    sender.inTick++;
    sender.sent++;
    this.#sent++;
    if (id > STRANGERS) this.#sentByAccounts++;
    return sender;
  }

  #startShareWindow(nowMs: number): void {
    this.#aboveShare = 0;
    for (const sender of this.#senders.values()) if (this.#isAboveShare(sender)) this.#aboveShare++;
    for (const [id, sender] of this.#senders) {
      sender.sentBefore = sender.sent;
      sender.sent = 0;
      sender.unpausedBefore = sender.unpaused;
      sender.unpaused = 0;
      if (sender.sentBefore + sender.inFlight + sender.resting.size === 0) this.#senders.delete(id);
    }
    this.#sentBefore = this.#sent;
    this.#sent = 0;
    this.#sentByAccountsBefore = this.#sentByAccounts;
    this.#sentByAccounts = 0;
    this.#shareWindowStartMs = nowMs;
  }

  #exceeds({ wait_ms_max, always_taken }: WaitLimit, nowMs: number): boolean {
    return (
      // Requests that arrive during this tick wait for its end, and then for their turn in the next one.
      (this.#tickRequests > always_taken && 2 * (nowMs - this.#tickStartMs) > wait_ms_max) ||
      (this.#inFlight > always_taken && this.#inFlight / this.#answersPerMs > wait_ms_max)
    );
  }

  #limitOf(id: number, sender: Sender): WaitLimit {
    const isAbove = this.#isAboveShare(sender);
    const waiting_max = isAbove
      ? Math.min(OWN_WAITING_MAX, ALL_WAITING_MAX / Math.max(1, this.#aboveShare))
      : OWN_WAITING_MAX;
    if (sender.waiting(this.#tick) <= waiting_max) return isAbove ? ABOVE_SHARE : WITHIN_SHARE;
    // Strangers and portal users do not count: they may be the same merchant, requesting a token or using the portal.
    const own = id > STRANGERS ? sender.sent + sender.sentBefore : 0;
    const others = this.#sentByAccounts + this.#sentByAccountsBefore - own;
    return others < OTHERS_REQUESTS_MIN ? FLOOD : FLOOD_AMONG_OTHERS;
  }

  #isAboveShare({ sent, sentBefore }: Sender): boolean {
    return (sent + sentBefore) * this.#senders.size > this.#sent + this.#sentBefore;
  }

  #resume(nowMs: number): void {
    const isIdle = this.#inFlight < IDLE_IN_FLIGHT_MAX;
    const resumesPerMs = (isIdle ? IDLE_RESUMES_PER_SECOND : RESUMES_PER_SECOND) / 1000;
    let left = Math.floor((nowMs - this.#resumedMs) * resumesPerMs);
    // Keeps the fraction for the next round, so that the pauses are not longer than `Retry-After` says.
    this.#resumedMs += left / resumesPerMs;
    while (left > 0) {
      const socket = this.#takeResting();
      if (socket === undefined) break;
      if (socket.destroyed) continue;
      left--;
      this.#resumed.add(socket);
      socket.resume();
    }
    if (nowMs - this.#pausedCheckMs >= PAUSED_CHECK_INTERVAL_MS) {
      this.#pausedCheckMs = nowMs;
      // Node resumes reading when the body of a refused request arrives after its response.
      for (const socket of this.#resting) if (!socket.isPaused()) socket.pause();
    }
    // Timers run before sockets are read, and `setImmediate` runs after them.
    setImmediate(() => this.#resumed.clear());
    if (this.#resting.size === 0) this.stop();
  }

  /** Removes and returns the connection that resumes next. */
  #takeResting(): Socket | undefined {
    const [sender] = this.#restingSenders;
    const [socket] = sender?.resting ?? [];
    if (sender === undefined || socket === undefined) return undefined;
    this.#resting.delete(socket);
    sender.resting.delete(socket);
    this.#restingSenders.delete(sender);
    if (sender.resting.size > 0) this.#restingSenders.add(sender);
    return socket;
  }
}
