/**
 * Looks up sessions, and limits lookups of unknown tokens per client and minute, because each costs a read of the
 * store.
 *
 * A client with a session must not suffer from others behind the same address. So tokens that this process has issued
 * or found are always looked up. An unknown one, after a start or from another process, has to wait when a client at
 * the same address tries too many.
 */

import { createHash } from 'node:crypto';
import { LIMITS } from '../../domain/limits.ts';
import { StoreUnavailableError } from '../../store/port/errors.ts';
import type { PortalSessionStore } from '../../store/port/people.ts';
import { makeRoom } from '../make-room.ts';
import { type RateDecision, SlidingWindowLimiter } from '../rates/rate-limiter.ts';
import { type FoundSession, findSession } from './portal-sessions.ts';

const CLIENTS_MAX = 10_000;
const KNOWN_MAX = 10_000;
/**
 * Sessions are not extended for this long after a failed attempt. With a hung database node, each attempt takes a full
 * timeout.
 */
const EXTENSION_PAUSE_MS = 10_000;

interface Times {
  readonly nowMs: number;
  readonly monotonicMs: number;
}

export class SessionLookup {
  readonly #store: PortalSessionStore;
  readonly #misses = new SlidingWindowLimiter<string>({
    limit: LIMITS.session_misses_per_window_max,
    window_seconds: LIMITS.request_window_seconds,
    keysMax: CLIENTS_MAX,
  });
  /** Hashes of tokens, least recently used first. */
  readonly #known = new Set<string>();
  #extendsAtMs = 0;

  constructor(store: PortalSessionStore) {
    this.#store = store;
  }

  /**
   * Returns the owner of the token; undefined when it is unknown. `client` is called only for tokens unknown to this
   * process.
   */
  async find(
    token: string,
    client: () => string,
    times: Times,
  ): Promise<FoundSession | undefined | { readonly throttled: RateDecision }> {
    const name = nameOf(token);
    const tries = this.#known.has(name) ? undefined : client();
    if (tries !== undefined) {
      // The lookup is counted before it starts and taken back when it succeeds, so that concurrent lookups count too.
      const decision = this.#misses.take(tries, times.monotonicMs);
      if (!decision.allowed) return { throttled: decision };
    }
    let isMissed = false;
    try {
      const found = await this.#findSession(token, times);
      isMissed = found === undefined;
      if (found === undefined) this.#known.delete(name);
      else this.handedOut(token);
      if (found?.nextToken !== undefined) this.handedOut(found.nextToken);
      return found;
    } finally {
      // A failure of the store does not count as a miss.
      if (tries !== undefined && !isMissed) this.#misses.giveBack(tries);
    }
  }

  /** Finds the session without extending it if the database is read-only (on Citus, if a node is down). */
  async #findSession(token: string, { nowMs, monotonicMs }: Times): Promise<FoundSession | undefined> {
    if (monotonicMs >= this.#extendsAtMs) {
      try {
        return await findSession(this.#store, token, nowMs);
      } catch (error) {
        if (!(error instanceof StoreUnavailableError)) throw error;
        this.#extendsAtMs = monotonicMs + EXTENSION_PAUSE_MS;
      }
    }
    return findSession(this.#store, token, nowMs, { extends: false });
  }

  /** Remembers the token of a new session. Call it for every session that is issued. */
  handedOut(token: string): void {
    const name = nameOf(token);
    this.#known.delete(name);
    makeRoom(this.#known, KNOWN_MAX);
    this.#known.add(name);
  }

  sweep(monotonicMs: number): void {
    this.#misses.sweep(monotonicMs);
  }
}

/** Hashes the token, so that no token is kept in memory. */
function nameOf(token: string): string {
  return createHash('sha256').update(token, 'utf8').digest('base64');
}
