/** In charge of reading what was found of pictures, and how many wait. Runs in the reader thread and inside writes. */

import type { FailedTry, StoredImage } from '../port/images.ts';
import { imageKey } from '../shared/image-key.ts';
import type { Connection } from './engine.ts';
import { query } from './engine.ts';

export class ImageReads {
  readonly #image;
  readonly #failedTry;
  readonly #figures;

  constructor(connection: Connection) {
    this.#image = query<[evidence: string, judgedMs: number, etag: string | null]>(
      connection,
      'SELECT evidence, judged_ms, etag FROM image WHERE address_hash = ?',
    );
    this.#failedTry = query<[evidence: string, nextMs: number | null]>(
      connection,
      `SELECT failed_try, iif(fence = 0, due_ms, NULL) FROM image_queue
       WHERE address_hash = ? AND failed_try IS NOT NULL`,
    );
    this.#figures = query<[waiting: number, sinceMs: number | null]>(
      connection,
      'SELECT (SELECT count(*) FROM image_queue), (SELECT min(since_ms) FROM image_queue)',
    );
  }

  read(address: string): StoredImage | undefined {
    const row = this.#image.get(imageKey(address));
    if (row === undefined) return undefined;
    const [evidence, judgedMs, etag] = row;
    return { address, evidence, judgedMs, etag };
  }

  readAll(addresses: readonly string[]): readonly StoredImage[] {
    return [...new Set(addresses)].flatMap((address) => this.read(address) ?? []);
  }

  readFailedTries(addresses: readonly string[]): readonly FailedTry[] {
    return [...new Set(addresses)].flatMap((address) => {
      const row = this.#failedTry.get(imageKey(address));
      return row === undefined ? [] : [{ address, evidence: row[0], nextMs: row[1] }];
    });
  }

  figures(nowMs: number): { waiting: number; oldestWait_ms: number } {
    const [waiting, sinceMs] = this.#figures.get() ?? [0, null];
    return { waiting, oldestWait_ms: sinceMs === null ? 0 : Math.max(0, nowMs - sinceMs) };
  }
}
