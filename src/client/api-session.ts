/**
 * Calls the API as a merchant's program does: requests a token, renews it when it expires, waits when the server asks
 * it to, and retries during a restart of the server.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { ApiRefusedError, refusalOf, ServerUnreachableError, unreachable } from './api-failure.ts';
import { textWithin } from './read-answer.ts';

export interface SessionOptions {
  /** URL of the server, without a trailing slash. */
  readonly server: string;
  readonly user: string;
  readonly secret: string;
  /** Aborts waits and calls in flight. */
  readonly signal?: AbortSignal;
  /** How long calls are retried after the server has answered once; a restart takes a few seconds. */
  readonly patience_ms?: number;
}

const PATIENCE_MS = 60_000;
const ANSWER_MS_MAX = 30_000;
const PAUSE_MS_MIN = 250;
const PAUSE_MS_MAX = 5_000;
/** Overloaded, restarting, or throttling. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const UNAUTHORIZED = 401;

/** Makes calls that are safe to repeat, which includes all writes and all calls for bulk files. */
export class ApiSession {
  readonly server: string;
  readonly #options: SessionOptions;
  #token: string | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.server = options.server;
  }

  get(path: string): Promise<Record<string, unknown>> {
    return this.#call('GET', path);
  }

  post(path: string, body: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>> {
    return this.#call('POST', path, body);
  }

  /** Makes a call whose answer has no body. */
  async send(method: 'PUT' | 'PATCH' | 'POST', path: string, body?: object): Promise<void> {
    await this.#call(method, path, body);
  }

  async #call(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const { patience_ms = PATIENCE_MS, signal } = this.#options;
    const endMs = performance.now() + patience_ms;
    for (let attempt = 0; ; attempt++) {
      const hadToken = this.#token !== undefined;
      try {
        this.#token ??= await this.#requestToken();
        return await this.#send(method, path, body, this.#token);
      } catch (error) {
        signal?.throwIfAborted();
        const wait_ms = Math.min(PAUSE_MS_MIN * 2 ** attempt, PAUSE_MS_MAX);
        if (error instanceof ApiRefusedError && error.status === UNAUTHORIZED && hadToken) {
          // The token expired after ten hours, or the keys were rolled. Gives up if the new token is refused too.
          this.#token = undefined;
        } else if (hadToken && mayPass(error) && performance.now() + wait_ms < endMs) {
          await pause(wait_ms, undefined, signal === undefined ? {} : { signal });
        } else {
          throw error;
        }
      }
    }
  }

  async #requestToken(): Promise<string> {
    const { user, secret } = this.#options;
    const { id_token: token } = await this.#send('POST', '/token', { user, pass: secret });
    if (typeof token !== 'string') throw new ServerUnreachableError(`${this.server} did not return a token.`);
    return token;
  }

  async #send(method: string, path: string, body?: object, token?: string): Promise<Record<string, unknown>> {
    const { signal } = this.#options;
    const limit = AbortSignal.timeout(ANSWER_MS_MAX);
    let answer: { status: number; text: string };
    try {
      const response = await fetch(`${this.server}${path}`, {
        method,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        // Redirects are not followed, so that the secret is sent only to the configured server.
        redirect: 'manual',
        signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
      });
      answer = { status: response.status, text: await textWithin(response) };
    } catch (error) {
      signal?.throwIfAborted();
      throw error instanceof ServerUnreachableError ? error : unreachable(this.server, error);
    }
    if (answer.status < 200 || answer.status > 299) throw refusalOf(this.server, answer.status, answer.text);
    return answer.text === '' ? {} : objectOf(this.server, answer.text);
  }
}

function mayPass(error: unknown): boolean {
  return (
    error instanceof ServerUnreachableError || (error instanceof ApiRefusedError && PASSING_STATUSES.has(error.status))
  );
}

function objectOf(server: string, text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new ServerUnreachableError(`${server} is not an Offerbook server. Check --server.`);
}
