/** Reports requests to telemetry: counts each by route, and emits an event for some refusals. */
import type { ProblemCode } from '../domain/problem.ts';
import type { RouteMeter } from '../telemetry/request-meter.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import type { Answer, AnyEndpoint } from './endpoint.ts';
import type { Exchange } from './exchange.ts';

/** Refusals that an operator should see. Errors of the server itself have their own events. */
const EVENT_OF_CODE: Readonly<Partial<Record<ProblemCode, RefusalEvent>>> = {
  rate_limited: 'rate_limited',
  too_many_failures: 'login_throttled',
  body_too_large: 'body_too_large',
  file_too_large: 'body_too_large',
  disk_full: 'disk_full',
  overloaded: 'overloaded',
};

type RefusalEvent = 'rate_limited' | 'login_throttled' | 'body_too_large' | 'disk_full' | 'overloaded';

/** Codes of the errors with which Node reports a timeout. */
const TIMEOUTS: ReadonlySet<string> = new Set(['ERR_HTTP_REQUEST_TIMEOUT', 'ERR_TLS_HANDSHAKE_TIMEOUT']);

/** The parts of the server that have pages. */
export type FilesOf = 'start' | 'docs' | 'portal' | 'shop';

export class RequestEvents {
  readonly #telemetry: Telemetry;
  readonly #tracing: Tracing | undefined;
  readonly #meters: ReadonlyMap<AnyEndpoint, RouteMeter>;
  readonly #dryRuns: ReadonlyMap<AnyEndpoint, RouteMeter>;
  /** All requests without an endpoint share one label. */
  readonly #unknown: RouteMeter;
  readonly #unreadable: RouteMeter;
  readonly #files: Readonly<Record<FilesOf, RouteMeter>>;

  constructor(telemetry: Telemetry, endpoints: readonly AnyEndpoint[], tracing?: Tracing) {
    const { requests } = telemetry;
    this.#telemetry = telemetry;
    this.#tracing = tracing;
    this.#meters = new Map(
      endpoints.map((endpoint) => [endpoint, requests.addRoute(endpoint.method, endpoint.path)] as const),
    );
    this.#dryRuns = new Map(
      endpoints
        .filter((endpoint) => endpoint.access === 'merchant' && endpoint.dryRun !== undefined)
        .map((endpoint) => [endpoint, requests.addRoute(endpoint.method, `${endpoint.path}?dry_run=true`)] as const),
    );
    this.#files = {
      start: requests.addRoute('GET', '/'),
      docs: requests.addRoute('GET', '/docs'),
      portal: requests.addRoute('GET', '/portal'),
      shop: requests.addRoute('GET', '/shop'),
    };
    this.#unknown = requests.addRoute('', 'unknown');
    this.#unreadable = requests.addRoute('', 'unreadable');
  }

  /** Returns how long the request took, in milliseconds. */
  answered(exchange: Exchange, status: number, answer: Answer): number {
    const { endpoint, isDryRun, id, startedMs } = exchange;
    const meters = isDryRun ? this.#dryRuns : this.#meters;
    const meter = (endpoint && meters.get(endpoint)) ?? this.#unknown;
    const took_ms = this.#count(meter, id, status, startedMs);
    this.#endSpans(exchange, meter, status, took_ms);
    if ('problems' in answer) {
      const event = answer.event ?? EVENT_OF_CODE[answer.problems[0]?.code ?? 'internal_error'];
      if (event !== undefined) this.#telemetry.observe(event, { requestId: id, route: meter.route });
    }
    return took_ms;
  }

  #endSpans({ trace, calledMs, id }: Exchange, { method, route }: RouteMeter, status: number, took_ms: number): void {
    if (trace === undefined) return;
    if (status === 202 && calledMs !== undefined) {
      const committed = { kind: 'internal', took_ms: performance.now() - calledMs, attributes: {} } as const;
      this.#tracing?.endWithin(trace, { name: 'commit', ...committed });
    }
    const attributes = {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': status,
      'offerbook.request_id': id,
    };
    const name = `${method} ${route}`.trim();
    this.#tracing?.end(trace, { name, kind: 'server', took_ms, attributes, isError: status >= 500 });
  }

  /** Reports a call that has blocked the request thread since `sinceMs`. */
  held(endpoint: AnyEndpoint, requestId: string, sinceMs: number): void {
    this.#telemetry.pauses.held(performance.now() - sinceMs, requestId, endpoint.path);
  }

  /** Counts a response with a page or one of its files. */
  fileAnswered(of: FilesOf, requestId: string, status: number, startedMs: number): void {
    this.#count(this.#files[of], requestId, status, startedMs);
  }

  failed(endpoint: AnyEndpoint | undefined, requestId: string, isStore: boolean, error: unknown): void {
    const route = endpoint?.path ?? this.#unknown.route;
    this.#telemetry.observe(isStore ? 'store_unavailable' : 'request_failed', { requestId, route, error });
  }

  /** Counts a request that Node could not parse, by error code. */
  unreadable(requestId: string, cause: string, isAnswered: boolean): void {
    if (isAnswered) this.#unreadable.count(400, 0);
    if (TIMEOUTS.has(cause)) this.#telemetry.observe('client_timed_out', { requestId });
    else if (cause === 'HPE_HEADER_OVERFLOW') this.#telemetry.observe('headers_too_large', { requestId });
    else this.#telemetry.observe('request_unreadable', { requestId, cause });
  }

  #count(meter: RouteMeter, requestId: string, status: number, startedMs: number): number {
    const took_ms = performance.now() - startedMs;
    const seconds = took_ms / 1000;
    meter.count(status, seconds);
    if (this.#telemetry.showsRequests) {
      const { method, route } = meter;
      this.#telemetry.observe('request_answered', { requestId, method, route, status, seconds });
    }
    return took_ms;
  }
}
