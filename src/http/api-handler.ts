/**
 * Handles one API or portal request: admission, body, endpoint, response.
 *
 * It uses Node's request and response directly; other modules do routing, validation and JSON. A framework's hooks, body
 * parser and reply would add about a quarter to the time of a request; see docs/decisions/0007.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RateDecision } from '../access/rate-limiter.ts';
import type { Problem } from '../domain/problem.ts';
import { askedSince } from '../store/port/asked-since.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { Address } from './address.ts';
import { type Admission, type Admitted, admit } from './admit.ts';
import { type Compressed, compressedFor } from './answers/compression.ts';
import { faultProblem, overloadedAnswer, stoppingAnswer, tooManyHeadersAnswer } from './answers/faults.ts';
import { sendAnswer } from './answers/send.ts';
import type { Arrivals } from './connections/arrivals.ts';
import { BodyCollector } from './connections/body-collector.ts';
import { boundStandstill, type ConnectionLimits, hasTooManyHeaders } from './connections/connections.ts';
import { HEALTH_CHECK, type LoadShedder, PORTAL_USERS, STRANGERS } from './connections/load-shedding.ts';
import { Outbox } from './connections/outbox.ts';
import { type StoreWait, waitForStore } from './connections/store-wait.ts';
import { dryRunAnswer, isDryRun } from './dry-run.ts';
import {
  type Answer,
  type AnyEndpoint,
  bodyBytesMax,
  type Known,
  type MerchantCall,
  type MerchantEndpoint,
  SKU_PLACEHOLDER,
} from './endpoint.ts';
import { answerOnce, KEY_HEADER } from './idempotency.ts';
import type { PathRoute } from './path-route.ts';
import { admitPerson } from './portal-access/admit-person.ts';
import type { PortalRoute } from './portal-access/portal-addresses.ts';
import { recordAct, recordMerchantAct, refuseMerchantAct } from './portal-access/record-act.ts';
import { bodyRefused, isTransferCoded, NO_BODY, readBody, sentBytes, transferCodedAnswer } from './read-body.ts';
import type { RequestEvents } from './request-events.ts';
import type { Services } from './services.ts';

export interface ApiHandlerOptions {
  readonly services: Services;
  /** Used for portal calls. */
  readonly portalServices: Services;
  readonly events: RequestEvents;
  readonly telemetry: Telemetry;
  readonly connections: ConnectionLimits;
  readonly arrivals: Arrivals;
  readonly shedder: LoadShedder;
  /** The client's address, behind trusted proxies. */
  readonly clientAddress: (message: IncomingMessage) => string;
}

/** One request and its response. */
export interface Exchange extends StoreWait {
  readonly id: string;
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  readonly address: Address<PathRoute>;
  /** Used instead of `address` for a request to the portal. */
  readonly portal: Address<PortalRoute> | undefined;
  readonly startedMs: number;
  /** The account of the request, once known. Set only for API requests, which are counted. */
  asking: Known | undefined;
  /** The parsed body, for the request log. */
  body: unknown;
  /**
   * Records the action before the response. This does not count towards the request's time limit, because the work is
   * done.
   */
  record: ((answer: Answer) => Promise<Answer>) | undefined;
  /** Headers to add to every response from now on, once they are known. */
  rate: RateDecision | undefined;
  headers: Readonly<Record<string, string>> | undefined;
  /** For load shedding. */
  sender: number;
  /** True from the arrival of the body until the response is sent. */
  isInFlight: boolean;
}

const NO_CODES: readonly string[] = Object.freeze([]);

interface Answered {
  readonly exchange: Exchange;
  readonly answer: Answer;
  readonly compressed: Compressed | undefined;
}

export class ApiHandler {
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

  handle(exchange: Exchange): void {
    try {
      this.#admit(exchange);
    } catch (error) {
      this.fail(exchange, error);
    }
  }

  #admit(exchange: Exchange): void {
    const { services, telemetry, connections } = this.#options;
    const { message, address, portal } = exchange;
    if (this.sheds(exchange)) return;
    if (this.#isStopping && endpointOf(exchange)?.isHealthCheck) {
      this.#send(exchange, stoppingAnswer());
    } else if (hasTooManyHeaders(exchange.message, connections)) {
      telemetry.observe('headers_too_large', { requestId: exchange.id });
      this.#send(exchange, tooManyHeadersAnswer());
    } else if (isTransferCoded(exchange.message)) {
      this.#send(exchange, transferCodedAnswer());
    } else {
      const admission =
        portal === undefined
          ? admit(services, message, address)
          : admitPerson(services, message, portal, () => this.#options.clientAddress(message));
      if (admission instanceof Promise) {
        this.#whenThere(exchange, admission, (settled) => this.#proceed(exchange, settled));
      } else {
        this.#proceed(exchange, admission);
      }
    }
  }

  #isTooMuch(exchange: Exchange): boolean {
    const { services, shedder } = this.#options;
    const { message, portal, startedMs } = exchange;
    const endpoint = endpointOf(exchange);
    if (endpoint?.isHealthCheck) exchange.sender = HEALTH_CHECK;
    else if (portal !== undefined) exchange.sender = PORTAL_USERS;
    else if (endpoint?.access === 'merchant')
      exchange.sender = services.sessions.lastAccountId(message.headers.authorization) ?? STRANGERS;
    return shedder.isTooMuch(exchange.sender, message.socket, startedMs);
  }

  /** Refuses a request that would wait too long; returns whether it did. */
  sheds(exchange: Exchange): boolean {
    const isTooMuch = this.#isTooMuch(exchange);
    if (isTooMuch) this.#shed(exchange);
    return isTooMuch;
  }

  #shed(exchange: Exchange): void {
    const { shedder, clientAddress } = this.#options;
    const { message, response, sender } = exchange;
    // A proxy's connection is not paused, because it may carry requests of other clients.
    const isProxied = clientAddress(message) !== message.socket.remoteAddress;
    const rests = !isProxied && response.shouldKeepAlive;
    const seconds = rests ? shedder.rest(sender, message.socket, response) : shedder.turnAway(sender);
    this.#send(exchange, overloadedAnswer(seconds));
  }

  /** Responds to an unexpected error, unless a response has already started. */
  fail(exchange: Exchange, error: unknown): void {
    const { problem, headers = {}, isOurs } = faultProblem(error);
    if (isOurs) this.#report(exchange, problem, error);
    if (exchange.response.headersSent) exchange.response.destroy();
    else this.#send(exchange, { problems: [problem], headers });
  }

  #report(exchange: Exchange, problem: Problem, error: unknown): void {
    this.#options.events.failed(endpointOf(exchange), exchange.id, problem.code === 'store_unavailable', error);
  }

  #whenThere<T>(exchange: Exchange, pending: Promise<T>, next: (value: T) => void): void {
    const { storeWait_ms_max } = this.#options.services;
    if (storeWait_ms_max === undefined) {
      pending.then(next).catch((error) => this.fail(exchange, error));
      return;
    }
    waitForStore(exchange, storeWait_ms_max, pending, {
      next,
      fail: (error) => this.fail(exchange, error),
      late: (error) => {
        const { problem } = faultProblem(error);
        if (problem.code === 'internal_error') this.#report(exchange, problem, error);
      },
    });
  }

  #proceed(exchange: Exchange, admission: Admission): void {
    if (exchange.portal === undefined) exchange.asking = 'problems' in admission ? admission.of : admission.session;
    if ('problems' in admission) {
      this.#send(exchange, admission);
      return;
    }
    exchange.rate = admission.rate;
    exchange.headers = admission.headers;
    if (admission.endpoint.transfer?.direction === 'in') {
      this.#takeUpload(exchange, admission);
      return;
    }
    if (admission.endpoint.requestBody === undefined) {
      this.#answer(exchange, admission, null);
      return;
    }
    const bytes_max = bodyBytesMax(admission.endpoint);
    this.#bodies.collect(exchange.message, bytes_max, (bytes) => {
      if (typeof bytes === 'string') {
        this.#send(exchange, bodyRefused(bytes, bytes_max));
      } else {
        this.#options.arrivals.arrived(exchange.message);
        this.#answer(exchange, admission, bytes);
      }
    });
  }

  #answer(exchange: Exchange, admitted: Admitted, bytes: Buffer | null): void {
    const sinceMs = performance.now();
    this.#readAndCall(exchange, admitted, bytes);
    this.#options.events.held(admitted.endpoint, exchange.id, sinceMs);
  }

  #readAndCall(exchange: Exchange, admitted: Admitted, bytes: Buffer | null): void {
    try {
      const body = bytes === null ? NO_BODY : readBody(bytes);
      if ('unreadable' in body) {
        this.#send(exchange, { problems: [body.unreadable] });
        return;
      }
      if (exchange.asking?.account.logsBodies) exchange.body = body.value;
      const isUnhurried = 'unhurried' in admitted.endpoint;
      if (!isUnhurried && !admitted.endpoint.isHealthCheck) {
        exchange.isInFlight = true;
        this.#options.shedder.begin(exchange.sender);
      }
      const answer =
        this.#options.services.storeWait_ms_max === undefined || isUnhurried
          ? this.#call(exchange, admitted, body, bytes)
          : askedSince(performance.now() - exchange.waited_ms, () => this.#call(exchange, admitted, body, bytes));
      if (answer instanceof Promise && isUnhurried) {
        answer.then((settled) => this.#finish(exchange, settled)).catch((error) => this.fail(exchange, error));
      } else if (answer instanceof Promise) {
        this.#whenThere(exchange, answer, (settled) => this.#finish(exchange, settled));
      } else {
        this.#finish(exchange, answer);
      }
    } catch (error) {
      this.fail(exchange, error);
    }
  }

  /** Receives an upload, for as long as the client sends. Each call to the store has its own time limit. */
  #takeUpload(exchange: Exchange, admitted: Admitted): void {
    const { arrivals, connections } = this.#options;
    const { message, response } = exchange;
    arrivals.watch(message, response, connections.uploadTimeout_seconds);
    boundStandstill(response, connections);
    Promise.resolve(this.#call(exchange, admitted, NO_BODY, null))
      .then((answer) => {
        // A refused client may keep sending only until the usual time limit of a request.
        arrivals.watch(message, response, connections.requestTimeout_seconds);
        this.#finish(exchange, answer);
      })
      .catch((error) => {
        // Sends no response when the client has closed the connection.
        if (!message.errored) this.fail(exchange, error);
      })
      .finally(() => message.resume());
  }

  #call(exchange: Exchange, admitted: Admitted, body: typeof NO_BODY, bytes: Buffer | null): Answer | Promise<Answer> {
    const { clientAddress } = this.#options;
    const services = exchange.portal === undefined ? this.#options.services : this.#options.portalServices;
    const { endpoint, value, secondValue, query, session, person } = admitted;
    const { message } = exchange;
    const { headers } = message;
    if (endpoint.access === 'open' || endpoint.access === 'visitor') {
      const ip = clientAddress(message);
      return endpoint.handle({ services, value, secondValue, query, headers, body, person, ip });
    }
    const whenClosed = (act: () => void) => void exchange.response.once('close', act);
    if (endpoint.access === 'person' || endpoint.access === 'account') {
      if (person === undefined) throw new Error('The request reached a portal endpoint without a signed-in user.');
      const call = { services, value, secondValue, query, headers, body, person, sent: sentBytes(message) };
      if (endpoint.access === 'person') {
        exchange.record = (answer) => recordAct(endpoint, call, answer);
        return endpoint.handle(call);
      }
      if (session === undefined) throw new Error('The request reached an account endpoint without a session.');
      return endpoint.handle({ ...call, account: session.account, whenClosed });
    }
    if (session === undefined) throw new Error('The request reached a merchant endpoint without a session.');
    const { account, by } = session;
    if (endpoint.access === 'signed') {
      return endpoint.handle({ services, value, secondValue, query, headers, body, account, sent: sentBytes(message) });
    }
    if (by === undefined) throw new Error('The request reached an endpoint for merchants without an author.');
    const once = { late: undefined, newId: randomUUID };
    const call = { services, value, secondValue, query, headers, body, account, by, whenClosed, ...once };
    // A dry run stores nothing, not even its Idempotency-Key.
    if (isDryRun(endpoint, query)) return dryRunAnswer(endpoint, call);
    const key = headers[KEY_HEADER];
    if (key === undefined || endpoint.method === 'GET' || exchange.portal !== undefined)
      return this.#handle(exchange, endpoint, call);
    const { accountId } = account;
    const request = { endpoint, value, secondValue, query, headers, bytes, accountId, key: String(key) };
    return answerOnce(services, request, (own) => this.#handle(exchange, endpoint, { ...call, ...own }));
  }

  /** A repeat with the same Idempotency-Key does not get here, and is not recorded again. */
  #handle(exchange: Exchange, endpoint: MerchantEndpoint, call: MerchantCall): Answer | Promise<Answer> {
    if (endpoint.act === undefined) return endpoint.handle(call);
    const refused = refuseMerchantAct(call);
    if (refused !== undefined) return refused;
    exchange.record = (answer) => recordMerchantAct(endpoint, call, answer);
    return endpoint.handle(call);
  }

  #finish(exchange: Exchange, answer: Answer): void {
    if (exchange.record === undefined) this.#send(exchange, answer);
    else
      exchange.record(answer).then(
        (recorded) => this.#send(exchange, recorded),
        (error) => this.fail(exchange, error),
      );
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
      exchange.headers = undefined;
      this.fail(exchange, error);
    }
  }

  #sendNow(exchange: Exchange, answer: Answer, compressed: Compressed | undefined): void {
    const { id, message, response, startedMs } = exchange;
    if (exchange.isInFlight) this.#options.shedder.end(exchange.sender, performance.now());
    exchange.isInFlight = false;
    // Node would keep reading chunks of a completed request, and tiny chunks are expensive.
    if ('problems' in answer && !message.complete && 'transfer-encoding' in message.headers)
      response.shouldKeepAlive = false;
    const status = sendAnswer(exchange, answer, compressed, (error) => this.fail(exchange, error));
    // If false, a file is still being sent, the client is not reading, or an earlier response must be sent first.
    const isSent = response.writableEnded && response.writableLength === 0;
    if (!isSent) boundStandstill(response, this.#options.connections);
    const endpoint = endpointOf(exchange);
    const isDry = isDryRun(endpoint, (exchange.portal ?? exchange.address).query);
    const took_ms = this.#options.events.answered(endpoint, isDry, id, status, startedMs, answer);
    // For a token request, the account is known only from its response.
    const asking = exchange.asking ?? answer.of;
    if (asking === undefined || endpoint === undefined || exchange.portal !== undefined) return;
    const { services } = this.#options;
    const { account, by } = asking;
    services.requestCounter.count(account.accountId, status, by, isDry);
    if (status === 202) services.events.waits.wake(account.accountId);
    if (!services.requestLog.hasRoom(account.accountId, status)) return;
    services.requestLog.record(account.accountId, {
      requestId: id,
      atMs: services.context.nowMs(),
      call: `${endpoint.method} ${endpoint.path}${isDry ? '?dry_run=true' : ''}`,
      status,
      took_ms,
      codes: 'problems' in answer ? answer.problems.map(({ code }) => code) : NO_CODES,
      rawSkuId: endpoint.path.includes(SKU_PLACEHOLDER) ? exchange.address.value : '',
      by,
      body: status >= 400 ? exchange.body : undefined,
    });
  }
}

function endpointOf({ address, portal, message }: Exchange): AnyEndpoint | undefined {
  return (portal ?? address).route?.endpoints.get(message.method ?? '');
}
