/**
 * In charge of calls to an Offerbook as a merchant's program makes them: gets a token, gets the next one when it expires,
 * waits when it is told to, and outlasts a server that is being restarted.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { ApiRefusedError, refusalOf, ServerUnreachableError, unreachable } from './api-failure.ts';
import { textWithin } from './read-answer.ts';

export interface SessionOptions {
  /** Address of the server, without a slash at the end. */
  readonly server: string;
  readonly user: string;
  readonly secret: string;
  /** Ends waiting and calls under way. */
  readonly signal?: AbortSignal;
  /** How long calls are tried again once the server has answered; a restart takes a few seconds. */
  readonly patience_ms?: number;
}

const PATIENCE_MS = 60_000;
const ANSWER_MS_MAX = 30_000;
const PAUSE_MS_MIN = 250;
const PAUSE_MS_MAX = 5_000;
/** Busy, being restarted, or refusing for a while. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const UNAUTHORIZED = 401;

/** Calls that may be made twice without harm, which all of those for bulk files may. */
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
        const waitMs = Math.min(PAUSE_MS_MIN * 2 ** attempt, PAUSE_MS_MAX);
        if (error instanceof ApiRefusedError && error.status === UNAUTHORIZED && hadToken) {
          // Expired after ten hours, or the keys were rolled. A new one that is refused as well ends it.
          this.#token = undefined;
        } else if (hadToken && mayPass(error) && performance.now() + waitMs < endMs) {
          await pause(waitMs, undefined, signal === undefined ? {} : { signal });
        } else {
          throw error;
        }
      }
    }
  }

  async #requestToken(): Promise<string> {
    const { user, secret } = this.#options;
    const { id_token: token } = await this.#send('POST', '/token', { user, pass: secret });
    if (typeof token !== 'string') throw new ServerUnreachableError(`${this.server} does not give tokens.`);
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
        // A secret is for the server that was named, and for no other.
        redirect: 'manual',
        signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
      });
      answer = { status: response.status, text: await textWithin(response) };
    } catch (error) {
      signal?.throwIfAborted();
      throw error instanceof ServerUnreachableError ? error : unreachable(this.server, error);
    }
    if (answer.status < 200 || answer.status > 299) throw refusalOf(this.server, answer.status, answer.text);
    return objectOf(this.server, answer.text);
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
  throw new ServerUnreachableError(`${server} does not answer as an Offerbook does; see --server.`);
}
