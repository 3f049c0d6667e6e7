/** In charge of the uploads of one process that are under way: so many of an account, and all of them gone at the end. */
import { LIMITS } from '../../domain/limits.ts';

export class UploadsUnderWay {
  readonly #running = new Map<number, Set<Promise<unknown>>>();

  /** Undefined, and nothing is done, where the account has as many as it may. */
  async run<T>(accountId: number, work: () => Promise<T>): Promise<T | undefined> {
    const running = this.#running.get(accountId) ?? new Set();
    if (running.size >= LIMITS.uploads_at_once_max) return undefined;
    this.#running.set(accountId, running);
    const upload = work();
    running.add(upload);
    try {
      return await upload;
    } finally {
      running.delete(upload);
      if (running.size === 0) this.#running.delete(accountId);
    }
  }

  /** Resolves when none is left, whatever became of it. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#running.values()].flatMap((running) => [...running]));
  }
}
