/** Tracks the uploads in progress in this process, limits them per account, and waits for them at shutdown. */
import { LIMITS } from '../../domain/limits.ts';

/** One upload in progress. */
export interface UploadUnderWay {
  /** The bytes received, or the announced size. */
  bytes: number;
}

export class UploadsUnderWay {
  readonly #running = new Map<number, Map<UploadUnderWay, Promise<unknown>>>();

  get underWay(): number {
    return this.#running.values().reduce((sum, running) => sum + running.size, 0);
  }

  /** Returns undefined, without starting, when the account has reached its limit. */
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

  /** Returns the bytes of all uploads of the account. */
  bytes(accountId: number): number {
    let bytes = 0;
    for (const upload of this.#running.get(accountId)?.keys() ?? []) bytes += upload.bytes;
    return bytes;
  }

  /** Resolves when no upload is left, whatever the results. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#running.values()].flatMap((running) => [...running.values()]));
  }
}
