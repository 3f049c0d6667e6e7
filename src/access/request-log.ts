/**
 * Collects the completed requests of each account in memory for the request log, one small object per request. They are drained every few
 * seconds and stored.
 *
 * Memory is bounded. Requests beyond the limits are only counted. The limit for failed requests is twice as high.
 */
import type { Author } from '../domain/author.ts';
import { LIMITS } from '../domain/limits.ts';
import { maskedJson } from '../domain/masked-json.ts';
import { decodeSkuId } from '../domain/sku-id.ts';
import type { LoggedProblem, NewLoggedRequest } from '../store/port/traffic.ts';

/** Maximum number of successful requests of an account between two drains: the default request limit per minute. */
const SUCCESSES_OF_ACCOUNT_MAX = LIMITS.requests_per_window_max;
/** Maximum number of requests of all accounts, about 200 bytes each. */
const HELD_MAX = 20_000;
const SUCCESSES_HELD_MAX = HELD_MAX / 2;
/** Maximum number of characters in the URLs, errors and bodies of failed requests, of all accounts together. */
const DETAIL_CHARACTERS_HELD_MAX = 4_000_000;
const KEY = 'key:';

const NO_CODES: readonly string[] = [];
const NO_DETAILS: Details = { url: null, problems: null, body: null };

type Details = Pick<NewLoggedRequest, 'url' | 'problems' | 'body'>;

export interface AnsweredRequest {
  readonly requestId: string;
  readonly atMs: number;
  readonly call: string;
  readonly status: number;
  readonly took_ms: number;
  /** Path and query. */
  readonly url: string;
  /** The errors of the response. */
  readonly problems: readonly LoggedProblem[];
  /** The SKU id as in the URL; '' if the call names none. */
  readonly rawSkuId: string;
  readonly by: Author | undefined;
  /** The parsed body, if it should be kept. */
  readonly body: unknown;
}

interface Held {
  requests: NewLoggedRequest[];
  successes: number;
  unlogged: number;
}

export class RequestLog {
  readonly #accounts = new Map<number, Held>();
  #held = 0;
  #detailCharacters = 0;

  /** Whether there is room for a request with this status. If not, it is counted, and must not be recorded. */
  hasRoom(accountId: number, status: number): boolean {
    const held = this.#heldOf(accountId);
    const isSuccess = status < 400;
    const isFull = this.#held >= (isSuccess ? SUCCESSES_HELD_MAX : HELD_MAX);
    if (!isFull && !(isSuccess && held.successes >= SUCCESSES_OF_ACCOUNT_MAX)) return true;
    held.unlogged++;
    return false;
  }

  record(accountId: number, request: AnsweredRequest): void {
    const held = this.#heldOf(accountId);
    if (request.status < 400) held.successes++;
    this.#held++;
    const { requestId, atMs, call, status, took_ms, problems, by } = request;
    held.requests.push({
      requestId,
      atMs,
      call,
      status,
      took_us: Math.round(took_ms * 1000),
      codes: problems.length === 0 ? NO_CODES : [...new Set(problems.map(({ code }) => code))],
      skuId: skuIdOf(request.rawSkuId),
      user: by?.startsWith(KEY) ? by.slice(KEY.length) : null,
      unlogged: 0,
      ...(status < 400 || this.#detailCharacters >= DETAIL_CHARACTERS_HELD_MAX ? NO_DETAILS : this.#detailsOf(request)),
    });
  }

  /** Drains the requests, by account. */
  take(): ReadonlyMap<number, readonly NewLoggedRequest[]> {
    const taken = new Map<number, readonly NewLoggedRequest[]>();
    for (const [accountId, { requests, unlogged }] of this.#accounts) {
      const last = requests.at(-1);
      // The number of unlogged requests is stored with a request, so it is kept until there is one.
      if (last === undefined) continue;
      taken.set(
        accountId,
        unlogged === 0 ? requests : requests.with(-1, { ...last, unlogged: last.unlogged + unlogged }),
      );
      this.#accounts.delete(accountId);
    }
    this.#held = 0;
    this.#detailCharacters = 0;
    return taken;
  }

  /** Puts back requests that could not be stored. Requests that no longer fit are only counted. */
  putBack(accountId: number, requests: readonly NewLoggedRequest[]): void {
    const held = this.#heldOf(accountId);
    const lost = Math.max(0, requests.length - (HELD_MAX - this.#held));
    const kept = requests.slice(lost);
    held.unlogged += requests.slice(0, lost).reduce((sum, { unlogged }) => sum + unlogged + 1, 0);
    held.requests = [...kept, ...held.requests];
    this.#held += kept.length;
    this.#detailCharacters += kept.reduce((sum, request) => sum + charactersOf(request), 0);
  }

  #heldOf(accountId: number): Held {
    let held = this.#accounts.get(accountId);
    if (held === undefined) {
      held = { requests: [], successes: 0, unlogged: 0 };
      this.#accounts.set(accountId, held);
    }
    return held;
  }

  #detailsOf({ url, problems, body }: AnsweredRequest): Details {
    const details = {
      url: withoutSecrets(shortText(url, LIMITS.request_log_url_characters_max)),
      problems:
        problems.length === 0 ? null : withoutSecrets(problems.slice(0, LIMITS.request_log_errors_max).map(shortened)),
      body: body === undefined ? null : maskedJson(body, LIMITS.request_log_body_characters_max),
    };
    this.#detailCharacters += charactersOf(details);
    return details;
  }
}

function charactersOf({ url, problems, body }: Details): number {
  const errors = problems?.reduce((sum, { field, message }) => sum + field.length + message.length, 0) ?? 0;
  return (url?.length ?? 0) + errors + (body?.length ?? 0);
}

function shortened({ code, field, message }: LoggedProblem): LoggedProblem {
  const max = LIMITS.request_log_error_characters_max;
  return { code, field: shortText(field, max), message: shortText(message, max) };
}

function shortText(text: string, characters_max: number): string {
  return text.length <= characters_max ? text : `${text.slice(0, characters_max).toWellFormed()}…`;
}

function withoutSecrets<T>(value: T): T {
  return JSON.parse(maskedJson(value, Number.POSITIVE_INFINITY)) as T;
}

/** Returns null if the call names no SKU, or an invalid one, which may be as long as a URL. */
function skuIdOf(raw: string): string | null {
  if (raw === '') return null;
  const decoded = decodeSkuId(raw);
  return 'problem' in decoded ? null : decoded.skuId;
}
