/**
 * Handles one API or portal request, in steps that `#steps` lists in order.
 *
 * It uses Node's request and response directly; other modules do routing, validation and JSON. A framework's hooks, body
 * parser and reply would add about a quarter to the time of a request; see docs/decisions/0007.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isMarketplace } from '../domain/account.ts';
import type { Awaitable } from '../domain/awaitable.ts';
import type { Problem } from '../domain/problem.ts';
import { askedSince } from '../store/port/asked-since.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import type { Address } from './address.ts';
import { admit } from './admit.ts';
import { type Compressed, compressedFor } from './answers/compression.ts';
import { faultProblem, overloadedAnswer, stoppingAnswer, tooManyHeadersAnswer } from './answers/faults.ts';
import { sendAnswer } from './answers/send.ts';
import type { Arrivals } from './connections/arrivals.ts';
import { BodyCollector } from './connections/body-collector.ts';
import { boundStandstill, type ConnectionLimits, hasTooManyHeaders } from './connections/connections.ts';
import { HEALTH_CHECK, type LoadShedder, PORTAL_USERS, STRANGERS } from './connections/load-shedding.ts';
import { Outbox } from './connections/outbox.ts';
import { waitForStore } from './connections/store-wait.ts';
import { dryRunAnswer, hasDryRun } from './dry-run.ts';
import { type Answer, bodyBytesMax, type Caller, needsKey, SKU_PLACEHOLDER } from './endpoint.ts';
import { Exchange } from './exchange.ts';
import { answerOnce, KEY_HEADER } from './idempotency.ts';
import type { PathRoute } from './path-route.ts';
import { admitPerson } from './portal-access/admit-person.ts';
import type { PortalRoute } from './portal-access/portal-addresses.ts';
import { record, refuseMerchantAct } from './portal-access/record-act.ts';
import { readPrecondition } from './preconditions.ts';
import { bodyRefused, isTransferCoded, NO_BODY, readBody, transferCodedAnswer } from './read-body.ts';
import type { RequestEvents } from './request-events.ts';
import type { Services } from './services.ts';

export interface ApiHandlerOptions {
  readonly services: Services;
  /** Used for portal calls. */
  readonly portalServices: Services;
  readonly events: RequestEvents;
  readonly telemetry: Telemetry;
  readonly tracing: Tracing | undefined;
  readonly connections: ConnectionLimits;
  readonly arrivals: Arrivals;
  readonly shedder: LoadShedder;
  readonly nextRequestId: () => string;
  /** The client's address, behind trusted proxies. */
  readonly clientAddress: (message: IncomingMessage) => string;
}

/** Returns the response if the request ends here; undefined if the step `next` follows; `later` if it calls that itself. */
type Step = (exchange: Exchange, next: number) => Awaitable<Answer | undefined> | 'later';

interface Answered {
  readonly exchange: Exchange;
  readonly answer: Answer;
  readonly compressed: Compressed | undefined;
}

const NO_PROBLEMS: readonly Problem[] = Object.freeze([]);

export class ApiHandler {
  /** The steps of every request, in order. The first response ends them, and is then recorded and sent (`#finish`). */
  readonly #steps: readonly Step[] = [
    (exchange) => this.#shed(exchange),
    (exchange) => this.#refuseWhileStopping(exchange),
    (exchange) => this.#checkHeaders(exchange),
    (exchange) => this.#admit(exchange),
    (exchange) => this.#takeUpload(exchange),
    (exchange, next) => this.#collectBody(exchange, next),
    (exchange) => this.#readBody(exchange),
    checkPrecondition,
    (exchange) => this.#noteTrace(exchange),
    (exchange) => this.#callInTime(exchange),
  ];

  readonly #options: ApiHandlerOptions;
  readonly #outbox = new Outbox<Answered>((answered) => this.#put(answered));
  readonly #bodies: BodyCollector;
  #isStopping = false;

  constructor(options: ApiHandlerOptions) {
    this.#options = options;
    this.#bodies = new BodyCollector(options.connections.bodyBytesInFlightMax);
  }

  /** Fails health checks from now on. Other requests are still served, because their connections were accepted. */
  stop(): void {
    this.#isStopping = true;
  }

  begin(
    message: IncomingMessage,
    response: ServerResponse,
    address: Address<PathRoute>,
    portal?: Address<PortalRoute>,
  ): Exchange {
    const { arrivals, connections, clientAddress, nextRequestId, tracing } = this.#options;
    arrivals.watch(message, response, connections.requestTimeout_seconds);
    const services = portal === undefined ? this.#options.services : this.#options.portalServices;
    const exchange = new Exchange({ id: nextRequestId(), services, message, response, address, portal, clientAddress });
    exchange.trace = tracing?.begin(message.headers.traceparent);
    return exchange;
  }

  handle(exchange: Exchange, from = 0): void {
    const sinceMs = performance.now();
    try {
      this.#run(exchange, from);
    } catch (error) {
      this.fail(exchange, error);
    }
    if (exchange.endpoint !== undefined) this.#options.events.held(exchange.endpoint, exchange.id, sinceMs);
  }

  #run(exchange: Exchange, from: number): void {
    for (let at = from; at < this.#steps.length; at++) {
      const answer = (this.#steps[at] as Step)(exchange, at + 1);
      if (answer === 'later') return;
      if (answer instanceof Promise) {
        answer
          .then((settled) => {
            if (settled === undefined) this.handle(exchange, at + 1);
            else this.#finish(exchange, settled);
          })
          .catch((error) => this.fail(exchange, error));
        return;
      }
      if (answer !== undefined) {
        this.#finish(exchange, answer);
        return;
      }
    }
  }

  /** Refuses a request that would wait too long; returns whether it did. */
  sheds(exchange: Exchange): boolean {
    const refused = this.#shed(exchange);
    if (refused !== undefined) this.#send(exchange, refused);
    return refused !== undefined;
  }

  #shed(exchange: Exchange): Answer | undefined {
    const { services, shedder } = this.#options;
    const { message, response, portal, endpoint, startedMs } = exchange;
    if (endpoint?.isHealthCheck) exchange.sender = HEALTH_CHECK;
    else if (portal !== undefined) exchange.sender = PORTAL_USERS;
    else if (needsKey(endpoint))
      exchange.sender = services.sessions.lastAccountId(message.headers.authorization) ?? STRANGERS;
    const { sender } = exchange;
    if (!shedder.isTooMuch(sender, message.socket, startedMs)) return undefined;
    // A proxy's connection is not paused, because it may carry requests of other clients.
    const rests = exchange.ip === message.socket.remoteAddress && response.shouldKeepAlive;
    return overloadedAnswer(rests ? shedder.rest(sender, message.socket, response) : shedder.turnAway(sender));
  }

  #refuseWhileStopping({ endpoint }: Exchange): Answer | undefined {
    return this.#isStopping && endpoint?.isHealthCheck ? stoppingAnswer() : undefined;
  }

  #checkHeaders({ id, message }: Exchange): Answer | undefined {
    const { telemetry, connections } = this.#options;
    if (hasTooManyHeaders(message, connections)) {
      telemetry.observe('headers_too_large', { requestId: id });
      return tooManyHeadersAnswer();
    }
    return isTransferCoded(message) ? transferCodedAnswer() : undefined;
  }

  #admit(exchange: Exchange): Awaitable<Answer | undefined> {
    const { portal } = exchange;
    return this.#limited(exchange, portal === undefined ? admit(exchange) : admitPerson(exchange, portal));
  }

  /** Receives an upload, for as long as the client sends. Each call to the store has its own time limit. */
  #takeUpload(exchange: Exchange): Promise<Answer> | undefined {
    if (!isUpload(exchange)) return undefined;
    const { arrivals, connections } = this.#options;
    const { message, response } = exchange;
    arrivals.watch(message, response, connections.uploadTimeout_seconds);
    boundStandstill(response, connections);
    return Promise.resolve(call(exchange)).finally(() => {
      // A refused client may keep sending only until the usual time limit of a request.
      arrivals.watch(message, response, connections.requestTimeout_seconds);
      message.resume();
    });
  }

  /** Calls the next step in the tick in which the body ends: a promise would add 2 us to each write. */
  #collectBody(exchange: Exchange, next: number): 'later' | undefined {
    const { endpoint, message } = exchange;
    if (endpoint?.requestBody === undefined) return undefined;
    const bytes_max = bodyBytesMax(endpoint);
    this.#bodies.collect(message, bytes_max, (bytes) => {
      if (typeof bytes === 'string') {
        this.#send(exchange, bodyRefused(bytes, bytes_max));
      } else {
        this.#options.arrivals.arrived(message);
        exchange.bytes = bytes;
        this.handle(exchange, next);
      }
    });
    return 'later';
  }

  /** From here on, the request is in flight. */
  #readBody(exchange: Exchange): Answer | undefined {
    const { bytes, endpoint, sender } = exchange;
    if (bytes !== null) {
      const body = readBody(bytes);
      if ('unreadable' in body) return { problems: [body.unreadable] };
      exchange.body = body;
    }
    if (!endpoint?.unhurried && !endpoint?.isHealthCheck) {
      exchange.isInFlight = true;
      this.#options.shedder.begin(sender);
    }
    return undefined;
  }

  #noteTrace(exchange: Exchange): Promise<undefined> | undefined {
    const { endpoint, trace, session, skuId, isDryRun } = exchange;
    if (trace === undefined) return undefined;
    exchange.calledMs = performance.now();
    if (session === undefined || skuId === '' || isDryRun || endpoint?.method === 'GET') return undefined;
    return this.#options.tracing?.note(session.account.accountId, skuId, trace).then(() => undefined);
  }

  /** Makes the call, in the time that is left for the store. */
  #callInTime(exchange: Exchange): Awaitable<Answer> {
    if (this.#options.services.storeWait_ms_max === undefined || exchange.endpoint?.unhurried) return callAny(exchange);
    const pending = askedSince(performance.now() - exchange.waited_ms, () => callAny(exchange));
    return this.#limited(exchange, pending);
  }

  #limited<T>(exchange: Exchange, pending: Awaitable<T>): Awaitable<T> {
    const { storeWait_ms_max } = this.#options.services;
    if (storeWait_ms_max === undefined || !(pending instanceof Promise)) return pending;
    return waitForStore(exchange, storeWait_ms_max, pending, (error) => {
      const { problem } = faultProblem(error);
      if (problem.code === 'internal_error') this.#report(exchange, problem, error);
    });
  }

  /** Responds to an unexpected error, unless a response has already started. */
  fail(exchange: Exchange, error: unknown): void {
    // The client has closed the connection.
    if (isUpload(exchange) && exchange.message.errored) return;
    const { problem, headers = {}, isOurs } = faultProblem(error);
    if (isOurs) this.#report(exchange, problem, error);
    if (exchange.response.headersSent) exchange.response.destroy();
    else this.#send(exchange, { problems: [problem], headers });
  }

  #report({ endpoint, id }: Exchange, problem: Problem, error: unknown): void {
    this.#options.events.failed(endpoint, id, problem.code === 'store_unavailable', error);
  }

  /** The time to record the change does not count towards the request's time limit, because the work is done. */
  #finish(exchange: Exchange, answer: Answer): void {
    const recorded = record(exchange, answer);
    if (recorded instanceof Promise) {
      recorded.then(
        (settled) => this.#send(exchange, settled),
        (error) => this.fail(exchange, error),
      );
    } else {
      this.#send(exchange, recorded);
    }
  }

  /** Queues the response, to be sent together with the other responses of this tick. */
  #send(exchange: Exchange, answer: Answer): void {
    const compressing = 'json' in answer ? compressedFor(exchange.message, answer.json) : undefined;
    if (compressing === undefined) this.#outbox.add({ exchange, answer, compressed: undefined });
    else
      compressing
        .then((compressed) => this.#outbox.add({ exchange, answer, compressed }))
        .catch((error) => this.fail(exchange, error));
  }

  #put({ exchange, answer, compressed }: Answered): void {
    try {
      this.#sendNow(exchange, answer, compressed);
    } catch (error) {
      // One of these headers may be why the response could not be sent.
      exchange.addedHeaders = undefined;
      this.fail(exchange, error);
    }
  }

  #sendNow(exchange: Exchange, answer: Answer, compressed: Compressed | undefined): void {
    const { message, response } = exchange;
    if (exchange.isInFlight) this.#options.shedder.end(exchange.sender, performance.now());
    exchange.isInFlight = false;
    // Node would keep reading chunks of a completed request, and tiny chunks are expensive.
    if ('problems' in answer && !message.complete && 'transfer-encoding' in message.headers)
      response.shouldKeepAlive = false;
    const status = sendAnswer(exchange, answer, compressed, (error) => this.fail(exchange, error));
    // If false, a file is still being sent, the client is not reading, or an earlier response must be sent first.
    const isSent = response.writableEnded && response.writableLength === 0;
    if (!isSent) boundStandstill(response, this.#options.connections);
    const took_ms = this.#options.events.answered(exchange, status, answer);
    // For a token request, the account is known only from its response.
    const session = exchange.session ?? answer.of;
    if (session !== undefined && exchange.portal === undefined) this.#count(exchange, session, answer, status, took_ms);
  }

  #count(exchange: Exchange, { account, by }: Caller, answer: Answer, sent: number, took_ms: number): void {
    const { services, endpoint, isDryRun, body } = exchange;
    // A body with credentials, which only calls without a token have, is never kept.
    const keepsBody = account.logsBodies && exchange.session !== undefined && body !== NO_BODY;
    const { requestCounter, requestLog, events, context } = services;
    const { accountId } = account;
    if (sent === 202) events.waits.wake(accountId);
    const logged = 'logged' in answer ? answer.logged : undefined;
    const status = logged?.status ?? sent;
    requestCounter.count(accountId, status, by, isDryRun);
    // The log is for merchants' developers.
    if (endpoint === undefined || isMarketplace(account) || !requestLog.hasRoom(accountId, status)) return;
    requestLog.record(accountId, {
      requestId: exchange.id,
      atMs: context.nowMs(),
      call: `${endpoint.method} ${endpoint.path}${isDryRun ? '?dry_run=true' : ''}`,
      took_ms,
      url: exchange.message.url ?? '',
      problems: 'problems' in answer ? answer.problems : NO_PROBLEMS,
      rawSkuId: endpoint.path.includes(SKU_PLACEHOLDER) ? exchange.address.value : '',
      by,
      body: status >= 400 && keepsBody ? body.value : undefined,
      ...(logged ?? { status }),
    });
  }
}

function isUpload({ endpoint }: Exchange): boolean {
  return endpoint?.transfer?.direction === 'in';
}

function checkPrecondition(exchange: Exchange): Answer | undefined {
  const { endpoint, headers } = exchange;
  if (!endpoint?.versioned || endpoint.method === 'GET') return undefined;
  const read = readPrecondition(headers);
  if (read !== undefined && 'code' in read) return { problems: [read] };
  exchange.precondition = read;
  return undefined;
}

/** A dry run stores nothing, not even its Idempotency-Key. */
function callAny(exchange: Exchange): Awaitable<Answer> {
  return callDry(exchange) ?? callOnce(exchange) ?? call(exchange);
}

function callDry(exchange: Exchange): Promise<Answer> | undefined {
  const { endpoint, isDryRun } = exchange;
  return isDryRun && hasDryRun(endpoint) ? dryRunAnswer(endpoint, exchange) : undefined;
}

function callOnce(exchange: Exchange): Promise<Answer> | undefined {
  const { endpoint, headers, portal } = exchange;
  const key = headers[KEY_HEADER];
  if (key === undefined || portal !== undefined || endpoint?.access !== 'merchant' || endpoint.method === 'GET')
    return undefined;
  return answerOnce(exchange, endpoint, String(key), ({ firstRunNumber, newId, keyed }) => {
    exchange.firstRunNumber = firstRunNumber;
    exchange.newId = newId;
    exchange.keyed = keyed;
    return call(exchange);
  });
}

function call(exchange: Exchange): Awaitable<Answer> {
  const { endpoint } = exchange;
  if (endpoint === undefined) throw new Error('A request without an endpoint was admitted.');
  const refused = endpoint.access === 'merchant' && endpoint.act && refuseMerchantAct(exchange);
  if (refused) return refused;
  exchange.isCalled = true;
  return endpoint.handle(exchange);
}
