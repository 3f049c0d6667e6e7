/**
 * In charge of the uploads of one process that are under way: so many of an account, with so many bytes, and all of them
 * gone at the end.
 */
import { LIMITS } from '../../domain/limits.ts';

/** One of them. */
export interface UploadUnderWay {
  /** As many as it has, or says that it will have. */
  bytes: number;
}

export class UploadsUnderWay {
  readonly #running = new Map<number, Map<UploadUnderWay, Promise<unknown>>>();

  get underWay(): number {
    return this.#running.values().reduce((sum, running) => sum + running.size, 0);
  }

  /** Undefined, and nothing is done, where the account has as many as it may. */
  async run<T>(accountId: number, work: (upload: UploadUnderWay) => Promise<T>): Promise<T | undefined> {
    const running = this.#running.get(accountId) ?? new Map();
    if (running.size >= LIMITS.uploads_at_once_max) return undefined;
    this.#running.set(accountId, running);
    const upload = { bytes: 0 };
    const working = work(upload);
    running.set(upload, working);
    try {
      return await working;
    } finally {
      running.delete(upload);
      if (running.size === 0) this.#running.delete(accountId);
    }
  }

  /** Of all uploads of the account together. */
  bytes(accountId: number): number {
    let bytes = 0;
    for (const upload of this.#running.get(accountId)?.keys() ?? []) bytes += upload.bytes;
    return bytes;
  }

  /** Resolves when none is left, whatever became of it. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#running.values()].flatMap((running) => [...running.values()]));
  }
}
