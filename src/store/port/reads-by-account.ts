/** Reads account by account, and skips accounts whose database node does not respond. */
import { AccountUnavailableError } from './errors.ts';

/** A call to a node that does not respond times out, by default after 1.8 seconds. If several calls are that slow, the database is down. */
const LOST_MS_MAX = 10_000;

export class ReadsByAccount {
  #missing = 0;
  #lost_ms = 0;

  /** Accounts skipped so far. */
  get missing(): number {
    return this.#missing;
  }

  /** Returns undefined for a skipped account. */
  async read<T>(call: () => Promise<T>): Promise<T | undefined> {
    const startMs = performance.now();
    try {
      return await call();
    } catch (error) {
      this.#lost_ms += performance.now() - startMs;
      if (!(error instanceof AccountUnavailableError) || this.#lost_ms > LOST_MS_MAX) throw error;
      this.#missing++;
      return undefined;
    }
  }
}
