/**
 * Stores each author's name once per account, and returns the id that history records use. An author is stored before the first write that
 * names it. A process refreshes each author once a day, so that unused authors can be dropped.
 */
import type { Author } from '../../../domain/author.ts';
import { DAY_MS } from '../../../domain/vocabulary/iso-time.ts';
import { type Database, statement } from '../engine/engine.ts';
import { drawBatchNumber } from '../engine/write-numbers.ts';
import type { Attribution } from '../offers/offer-commands.ts';

export type AuthorIds = ReadonlyMap<Author, number>;

/** Maximum number of cached authors. Each uploaded file is an author. */
const REMEMBERED_MAX = 10_000;
/** The author id of all changes if no history is kept. */
export const NO_AUTHOR = 0;

const NOTE = statement<[authorId: number]>('note author')`
  INSERT INTO author (account_id, author_id, name, noted_ms) VALUES ($1, $2, $3, $4)
  ON CONFLICT (account_id, name) DO UPDATE SET noted_ms = excluded.noted_ms
  RETURNING author_id`;

export class Authors {
  readonly #database: Database;
  readonly #isKept: boolean;
  readonly #remembered = new Map<string, { readonly authorId: number; readonly notedMs: number }>();

  constructor(database: Database, isKept: boolean) {
    this.#database = database;
    this.#isKept = isKept;
  }

  async idsOf(
    accountId: number,
    writes: readonly Attribution[],
    deadlineMs = performance.now() + this.#database.call_ms_max,
  ): Promise<AuthorIds> {
    const ids = new Map<Author, number>();
    for (const { by, atMs } of writes) {
      if (!ids.has(by)) ids.set(by, this.#isKept ? await this.#idOf(accountId, by, atMs, deadlineMs) : NO_AUTHOR);
    }
    return ids;
  }

  async #idOf(accountId: number, by: Author, atMs: number, deadlineMs: number): Promise<number> {
    const key = `${accountId} ${by}`;
    const known = this.#remembered.get(key);
    if (known !== undefined && atMs - known.notedMs < DAY_MS) return known.authorId;
    const drawn = await drawBatchNumber(this.#database, deadlineMs);
    const [row] = await this.#database.run(NOTE, [accountId, drawn, by, atMs], deadlineMs);
    if (row === undefined) throw new Error('The stored author has no id.');
    const [authorId] = row;
    if (this.#remembered.size >= REMEMBERED_MAX) this.#remembered.clear();
    this.#remembered.set(key, { authorId, notedMs: atMs });
    return authorId;
  }
}
