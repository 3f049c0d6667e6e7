/**
 * In charge of looking sessions up for strangers: a token that is made up costs the store a read, so that each client may try
 * so many in a minute.
 *
 * Whoever has a session must not suffer from others behind the same address. So tokens that this process has handed out or
 * found are looked up whatever was tried before. One that it does not know, after a start or from another process, waits for
 * its minute where somebody at the same address tries too many.
 */

import { createHash } from 'node:crypto';
import { LIMITS } from '../domain/limits.ts';
import { StoreUnavailableError } from '../store/port/errors.ts';
import type { PortalSessionStore } from '../store/port/people.ts';
import { type FoundSession, findSession } from './portal-sessions.ts';
import { type RateDecision, SlidingWindowLimiter } from './rate-limiter.ts';

const CLIENTS_MAX = 10_000;
const KNOWN_MAX = 10_000;
/** How long no session is extended after that failed. Where a database node hangs, each attempt takes as long as a call may. */
const EXTENSION_PAUSE_MS = 10_000;

interface Times {
  readonly nowMs: number;
  readonly monotonicMs: number;
}

export class SessionLookup {
  readonly #store: PortalSessionStore;
  readonly #misses = new SlidingWindowLimiter<string>({
    limit: LIMITS.session_misses_per_window_max,
    windowSeconds: LIMITS.request_window_seconds,
    keysMax: CLIENTS_MAX,
  });
  /** Hashes of tokens; those that were used last are at the end. */
  readonly #known = new Set<string>();
  #extendsAtMs = 0;

  constructor(store: PortalSessionStore) {
    this.#store = store;
  }

  /** Who has the token; undefined when nobody has. `client` tries it, and is asked for where the token is not known. */
  async find(
    token: string,
    client: () => string,
    times: Times,
  ): Promise<FoundSession | undefined | { readonly throttled: RateDecision }> {
    const name = nameOf(token);
    const tries = this.#known.has(name) ? undefined : client();
    if (tries !== undefined) {
      // Counted before it is looked up, and given back where it is right: many that come at once are counted, too.
      const decision = this.#misses.take(tries, times.monotonicMs);
      if (!decision.allowed) return { throttled: decision };
    }
    let isMissed = false;
    try {
      const found = await this.#findSession(token, times);
      isMissed = found === undefined;
      if (found === undefined) this.#known.delete(name);
      else this.#note(token, found);
      return found;
    } finally {
      // A store that fails is nobody's miss.
      if (tries !== undefined && !isMissed) this.#misses.giveBack(tries);
    }
  }

  /** A database that can be read and not written (on Citus: one node is away) still tells who somebody is. */
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

  #note(token: string, found: FoundSession): void {
    this.handedOut(token);
    if (found.nextToken !== undefined) this.handedOut(found.nextToken);
  }

  /** To be called with the token of a session that begins. */
  handedOut(token: string): void {
    const name = nameOf(token);
    this.#known.delete(name);
    if (this.#known.size >= KNOWN_MAX) {
      for (const oldest of this.#known) {
        this.#known.delete(oldest);
        break;
      }
    }
    this.#known.add(name);
  }

  sweep(monotonicMs: number): void {
    this.#misses.sweep(monotonicMs);
  }
}

/** No token stays in memory. */
function nameOf(token: string): string {
  return createHash('sha256').update(token, 'utf8').digest('base64');
}
