/**
 * Calls the API: gets a token and renews it when it expires, stays below the request limit, waits when the server asks for it,
 * and retries during a restart of the server.
 */
import { OfferbookError, refusalOf, UnreachableError, unreachable } from './errors.ts';
import { parseJson, toJson } from './json.ts';
import { Pace } from './pace.ts';

export interface SessionOptions {
  /** URL of the server, such as `https://offers.example`. */
  readonly url: string;
  readonly user: string;
  readonly pass: string;
  /** Aborts waits and calls in flight. */
  readonly signal?: AbortSignal;
  /** How long a call is retried after its first failure (default: 60,000). Waits for the request limit do not count. */
  readonly patience_ms?: number;
  /** True to retry a URL that has never responded, which otherwise counts as wrong. */
  readonly isKnown?: boolean;
  /** Called before each retry with the failure and the time left. */
  readonly onRetry?: (error: Error, left_ms: number) => void;
  /** Called with the JSON pointers of fields that the server does not know and did not store, such as misspelled ones. */
  readonly onIgnored?: (fields: readonly string[], call: { readonly method: string; readonly url: string }) => void;
  /** Replaces the global `fetch`, for tests and proxies. */
  readonly fetch?: typeof fetch;
}

export interface CallOptions {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Time for one attempt. */
  readonly timeout_ms?: number;
}

export interface Answer<Value = unknown> {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body; undefined if it is empty. */
  readonly value: Value;
}

/** Entries per request of a list, the most that the server allows. */
export const PAGE = 1000;
const PATIENCE_MS = 60_000;
const ATTEMPT_MS_MAX = 30_000;
const PAUSE_MS_MIN = 250;
const PAUSE_MS_MAX = 8_000;
/** Far larger than any response of the API. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;
/** Statuses of a server that throttles, restarts or is overloaded. */
const PASSING_STATUSES: ReadonlySet<number | undefined> = new Set([429, 502, 503, 504]);
/** The code of the request limit, which applies to every call. */
const RATE_CODE = 'rate_limited';
/** The code for a request whose first attempt is still running. */
const RUNNING_CODE = 'idempotency_key_in_use';

/** Returns false for a URL with a user and password before the host, which fetch refuses too. */
export function isServerUrl(url: string): boolean {
  return /^https?:\/\/[^/?#@]+(?:[/?#]|$)/.test(url) && URL.canParse(url);
}

export class Session {
  readonly url: string;
  readonly user: string;
  readonly signal: AbortSignal | undefined;
  readonly fetch: typeof fetch;
  readonly #options: SessionOptions;
  /** Dry runs have their own limit. */
  readonly #paces = { calls: new Pace(), dryRuns: new Pace() };
  #token: Promise<string> | undefined;
  #hasAnswered: boolean;

  constructor(options: SessionOptions) {
    if (!isServerUrl(options.url)) throw new TypeError('url must be like https://offers.example');
    this.#options = options;
    this.#hasAnswered = options.isKnown ?? false;
    this.url = options.url.replace(/\/+$/, '');
    this.user = options.user;
    this.signal = options.signal;
    this.fetch = options.fetch ?? globalThis.fetch.bind(globalThis);
  }

  /** `path` must be percent-encoded. */
  async call<Value = unknown>(method: string, path: string, options: CallOptions = {}): Promise<Answer<Value>> {
    const address = `${this.url}${path}${queryOf(options.query)}`;
    // All attempts of this call have the same key, so that a retry after a lost response never overwrites a newer update.
    const headers = {
      ...(method === 'GET' ? {} : { 'idempotency-key': crypto.randomUUID() }),
      // Header names are lower-cased, because two spellings of a name would be sent as two values.
      ...Object.fromEntries(Object.entries(options.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value])),
    };
    return this.retried(options.signal, async () => {
      const token = this.#currentToken();
      try {
        return await this.#send<Value>(method, address, {
          ...options,
          headers: { ...headers, ...bearer(await token) },
        });
      } catch (error) {
        // The token expired, or the keys were rolled. If the new token is refused too, the error is thrown.
        if (!(error instanceof OfferbookError) || error.status !== 401) throw error;
        if (this.#token === token) this.#token = undefined;
        const renewed = bearer(await this.#currentToken());
        return this.#send<Value>(method, address, { ...options, headers: { ...headers, ...renewed } });
      }
    });
  }

  /** Makes a call and returns the body of its response. */
  async value<Value>(method: string, path: string, options?: CallOptions): Promise<Value> {
    return (await this.call<Value>(method, path, options)).value;
  }

  /** Reads something that may not exist: returns undefined instead of a 404. */
  async found<Value>(path: string): Promise<Answer<Value> | undefined> {
    try {
      return await this.call<Value>('GET', path);
    } catch (error) {
      if (error instanceof OfferbookError && error.status === 404) return undefined;
      throw error;
    }
  }

  /** Calls that begin together share one token. */
  #currentToken(): Promise<string> {
    this.#token ??= this.#newToken().catch((error: unknown) => {
      this.#token = undefined;
      throw error;
    });
    return this.#token;
  }

  async #newToken(): Promise<string> {
    const { user, pass } = this.#options;
    const { value } = await this.#send<{ id_token?: unknown }>('POST', `${this.url}/token`, { body: { user, pass } });
    if (typeof value?.id_token !== 'string') throw this.#notOfferbook();
    this.#hasAnswered = true;
    return value.id_token;
  }

  /** Repeats the attempt while the failure is transient. Throws the reason of the signal when it is aborted. */
  async retried<T>(signal: AbortSignal | undefined, attempt: () => Promise<T>): Promise<T> {
    let endMs: number | undefined;
    for (let failures = 0; ; failures++) {
      try {
        return await attempt();
      } catch (error) {
        anyOf(this.signal, signal)?.throwIfAborted();
        // The time counts from the first failure, because sending a file may take longer.
        endMs ??= performance.now() + (this.#options.patience_ms ?? PATIENCE_MS);
        const wait_ms = this.#waitAfter(error, failures);
        // If other programs have used up the limit, the next attempt may be allowed only after a minute.
        if (isRateLimited(error)) endMs += wait_ms ?? 0;
        const left_ms = endMs - performance.now();
        if (wait_ms === undefined || wait_ms > left_ms) throw error;
        this.#options.onRetry?.(error as Error, left_ms);
        await this.pause(wait_ms, signal);
      }
    }
  }

  /** Returns how long to wait before the next attempt; undefined if the error is not transient. */
  #waitAfter(error: unknown, failures: number): number | undefined {
    // Jitter keeps many clients from returning at the same moment.
    const backoff_ms = Math.min(PAUSE_MS_MIN * 2 ** failures, PAUSE_MS_MAX) * (0.5 + Math.random() / 2);
    if (error instanceof UnreachableError) {
      return this.#hasAnswered || PASSING_STATUSES.has(error.status) ? backoff_ms : undefined;
    }
    if (!(error instanceof OfferbookError)) return undefined;
    const asked_ms = retryAfter_ms(error.headers);
    if (PASSING_STATUSES.has(error.status) || error.has(RUNNING_CODE)) return asked_ms ?? backoff_ms;
    // A server error may not occur again on the next attempt.
    return error.status === 500 && failures === 0 ? backoff_ms : undefined;
  }

  async pause(wait_ms: number, signal?: AbortSignal): Promise<void> {
    const either = anyOf(this.signal, signal);
    either?.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer);
        reject(either?.reason);
      };
      const timer = setTimeout(() => {
        either?.removeEventListener('abort', stop);
        resolve();
      }, wait_ms);
      either?.addEventListener('abort', stop, { once: true });
    });
  }

  async #send<Value>(method: string, address: string, options: CallOptions): Promise<Answer<Value>> {
    const pace = new URL(address).searchParams.get('dry_run') === 'true' ? this.#paces.dryRuns : this.#paces.calls;
    for (let wait_ms = pace.reserve_ms(); wait_ms > 0; wait_ms = pace.reserve_ms()) {
      await this.pause(wait_ms, options.signal);
    }
    const { body, headers, timeout_ms = ATTEMPT_MS_MAX } = options;
    const { response, text } = await this.exchange(
      address,
      {
        method,
        headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: toJson(body) }),
      },
      anyOf(AbortSignal.timeout(timeout_ms), options.signal),
    );
    pace.heard(response.headers);
    const ignored = ignoredFieldsOf(response.headers);
    if (ignored.length > 0) this.#options.onIgnored?.(ignored, { method, url: address });
    if (!response.ok) {
      const error = refusalOf(this.url, response, text);
      if (error instanceof OfferbookError) this.#hasAnswered = true;
      if (isRateLimited(error)) pace.close((retryAfter_ms(response.headers) ?? 1000) / 1000);
      throw error;
    }
    return {
      status: response.status,
      headers: response.headers,
      value: (text === '' ? undefined : this.#parsed(text)) as Value,
    };
  }

  #parsed(text: string): unknown {
    try {
      return parseJson(text);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw this.#notOfferbook();
    }
  }

  #notOfferbook(): UnreachableError {
    return new UnreachableError(`${this.url} is not an Offerbook server. Check the URL.`);
  }

  /** Sends one request and reads its whole response. Redirects are not followed, so that secrets reach only the configured server. */
  async exchange(
    address: string,
    init: RequestInit,
    signal?: AbortSignal,
  ): Promise<{ readonly response: Response; readonly text: string }> {
    const either = anyOf(this.signal, signal);
    try {
      const response = await this.fetch(address, {
        ...init,
        redirect: 'manual',
        ...(either === undefined ? {} : { signal: either }),
      });
      return { response, text: await textWithin(response) };
    } catch (error) {
      this.signal?.throwIfAborted();
      throw error instanceof UnreachableError ? error : unreachable(new URL(address).origin, error);
    }
  }
}

export function anyOf(...signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = signals.filter((signal) => signal !== undefined);
  return given.length > 1 ? AbortSignal.any(given) : given[0];
}

function isRateLimited(error: unknown): boolean {
  return error instanceof OfferbookError && error.status === 429 && error.has(RATE_CODE);
}

function bearer(token: string): { readonly authorization: string } {
  return { authorization: `Bearer ${token}` };
}

/** Returns the id at the end of a URL. */
export function lastOf(url: string): string {
  return decodeURIComponent(url.slice(url.lastIndexOf('/') + 1));
}

/** Builds a path whose values are percent-encoded: pathTo`/files/${id}/cancel`. */
export function pathTo(texts: TemplateStringsArray, ...values: readonly (string | number | bigint)[]): string {
  return String.raw({ raw: texts }, ...values.map((value) => encodeURIComponent(value.toString())));
}

/** Returns the JSON pointers of fields that the server does not know and did not store. */
export function ignoredFieldsOf(headers: Headers): string[] {
  const ignored = headers.get('x-ignored-fields');
  return ignored ? ignored.split(', ').map(decodeURIComponent) : [];
}

function queryOf(query: CallOptions['query'] = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

/** Reads `Retry-After`, which is a number of seconds or, from some proxies, a date. */
function retryAfter_ms(headers: Headers): number | undefined {
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  const wait_ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(wait_ms) ? undefined : Math.max(0, wait_ms);
}

export async function textWithin(response: Response): Promise<string> {
  if (response.body === null) return '';
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    bytes += part.value.length;
    if (bytes > ANSWER_BYTES_MAX) {
      await reader.cancel();
      throw new UnreachableError(`The response exceeds ${ANSWER_BYTES_MAX} bytes.`);
    }
    text += decoder.decode(part.value, { stream: true });
  }
  return text + decoder.decode();
}
