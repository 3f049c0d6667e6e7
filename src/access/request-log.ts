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
import type { NewLoggedRequest } from '../store/port/traffic.ts';

/** Maximum number of successful requests of an account between two drains: the default request limit per minute. */
const SUCCESSES_OF_ACCOUNT_MAX = LIMITS.requests_per_window_max;
/** Maximum number of requests of all accounts, about 200 bytes each. */
const HELD_MAX = 20_000;
const SUCCESSES_HELD_MAX = HELD_MAX / 2;
/** Maximum number of characters in the bodies of all accounts together. */
const BODY_CHARACTERS_HELD_MAX = 4_000_000;
const KEY = 'key:';

export interface AnsweredRequest {
  readonly requestId: string;
  readonly atMs: number;
  readonly call: string;
  readonly status: number;
  readonly took_ms: number;
  readonly codes: readonly string[];
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
  #bodyCharacters = 0;

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
    const { requestId, atMs, call, status, took_ms, codes, by } = request;
    held.requests.push({
      requestId,
      atMs,
      call,
      status,
      took_us: Math.round(took_ms * 1000),
      codes: codes.length === 0 ? codes : [...new Set(codes)],
      skuId: skuIdOf(request.rawSkuId),
      user: by?.startsWith(KEY) ? by.slice(KEY.length) : null,
      unlogged: 0,
      body: request.body === undefined ? null : this.#maskedBody(request.body),
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
    this.#bodyCharacters = 0;
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
    this.#bodyCharacters += kept.reduce((sum, { body }) => sum + (body?.length ?? 0), 0);
  }

  #heldOf(accountId: number): Held {
    let held = this.#accounts.get(accountId);
    if (held === undefined) {
      held = { requests: [], successes: 0, unlogged: 0 };
      this.#accounts.set(accountId, held);
    }
    return held;
  }

  #maskedBody(body: unknown): string | null {
    if (this.#bodyCharacters >= BODY_CHARACTERS_HELD_MAX) return null;
    const masked = maskedJson(body, LIMITS.request_log_body_characters_max);
    this.#bodyCharacters += masked.length;
    return masked;
  }
}

/** Returns null if the call names no SKU, or an invalid one, which may be as long as a URL. */
function skuIdOf(raw: string): string | null {
  if (raw === '') return null;
  const decoded = decodeSkuId(raw);
  return 'problem' in decoded ? null : decoded.skuId;
}
