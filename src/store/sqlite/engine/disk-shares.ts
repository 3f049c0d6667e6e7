/**
 * Keeps one account from using up the last disk space. Below the reserve, what an account has uploaded since may not exceed the space that
 * is still free, so that it takes at most half of what was left. Then its uploads are refused, while other accounts continue. Prices, stock
 * and archive flags hardly make the database grow, and are always accepted. See docs/decisions/0040-history-bounds.md.
 */
import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Part, PartWrite } from '../../../domain/offers/part.ts';
import { PART } from '../../../domain/offers/parts.ts';
import { sizeText } from '../../../domain/vocabulary/sizes.ts';
import { StoreFullError } from '../../port/errors.ts';
import type { Connection } from './connection.ts';

/** Uploads of 40 MB a second, the most that was measured, take 4 MB in this time. */
const CHECK_MS = 100;

/** An upload needs its size twice: in the log and in the database. */
const COPIES = 2;

export class DiskShares {
  readonly #file: string;
  readonly #free_bytes_min: number;
  readonly #readFree;
  #free_bytes = 0;
  #checkedMs = Number.NEGATIVE_INFINITY;
  /** Space that each account's uploads have needed since the free space fell below the reserve. */
  readonly #uploaded = new Map<number, number>();

  constructor(connection: Connection, file: string, free_bytes_min: number) {
    this.#file = file;
    this.#free_bytes_min = free_bytes_min;
    this.#readFree = connection.query<[bytes: number]>(
      'SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size',
    );
  }

  /** Throws StoreFullError if the account has used its share. */
  admit(accountId: number, writes: readonly PartWrite[]): void {
    if (this.#free_bytes_min === 0) return;
    const nowMs = performance.now();
    if (nowMs - this.#checkedMs >= CHECK_MS) {
      this.#checkedMs = nowMs;
      this.#check();
    }
    if (this.#free_bytes >= this.#free_bytes_min) return;
    const large = writes.filter(({ part }) => !(PART[part] as Part).isSmall);
    if (large.length === 0) return;
    const bytes = Buffer.byteLength(JSON.stringify(large)) * COPIES;
    const uploaded_bytes = (this.#uploaded.get(accountId) ?? 0) + bytes;
    if (uploaded_bytes > this.#free_bytes) {
      const text = `The disk that holds ${this.#file} has less than ${sizeText(this.#free_bytes_min)} free.`;
      throw new StoreFullError(
        `${text} Account ${accountId} has used its share of the remaining space. Free some space.`,
      );
    }
    this.#uploaded.set(accountId, uploaded_bytes);
  }

  /** Free pages of the database count as free space, since SQLite uses them first. */
  #check(): void {
    const { bavail, bsize } = statfsSync(dirname(this.#file));
    this.#free_bytes = bavail * bsize + (this.#readFree.get()?.[0] ?? 0);
    if (this.#free_bytes >= this.#free_bytes_min) this.#uploaded.clear();
  }
}
