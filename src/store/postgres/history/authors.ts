/**
 * In charge of the authors that records of the history name, each once in an account, by a number. They are stored ahead of
 * the first write that names them; a process asks for each once a day.
 *
 * `noted_ms` is when one was last used, to the day, so that those whom no record names any more can go.
 */
import type { Author } from '../../../domain/author.ts';
import { type Database, statement } from '../engine/engine.ts';
import { drawBatchNumber } from '../engine/write-numbers.ts';
import type { Attribution } from '../offers/offer-commands.ts';

/** The numbers of all who are asked for. */
export type AuthorIds = ReadonlyMap<Author, number>;

const DAY_MS = 86_400_000;
/** A use may have been noted a day before a record. */
export const AUTHOR_KEPT_LONGER_MS = 2 * DAY_MS;
/** Each upload of a file brings one more. */
const REMEMBERED_MAX = 10_000;
/** Where no history is kept. */
export const NOBODY = 0;

const NOTE = statement<[authorId: number]>(
  'note author',
  `INSERT INTO author (account_id, author_id, name, noted_ms) VALUES ($1, $2, $3, $4)
   ON CONFLICT (account_id, name) DO UPDATE SET noted_ms = excluded.noted_ms
   RETURNING author_id`,
);

interface Remembered {
  readonly authorId: number;
  readonly notedMs: number;
}

export class Authors {
  readonly #database: Database;
  readonly #isKept: boolean;
  readonly #remembered = new Map<string, Remembered>();

  constructor(database: Database, isKept: boolean) {
    this.#database = database;
    this.#isKept = isKept;
  }

  /** Of those who are named for the writes. */
  async idsOf(
    accountId: number,
    writes: readonly Attribution[],
    deadlineMs = performance.now() + this.#database.call_ms_max,
  ): Promise<AuthorIds> {
    const ids = new Map<Author, number>();
    for (const { by, atMs } of writes) {
      if (!ids.has(by)) ids.set(by, this.#isKept ? await this.#idOf(accountId, by, atMs, deadlineMs) : NOBODY);
    }
    return ids;
  }

  async #idOf(accountId: number, by: Author, atMs: number, deadlineMs: number): Promise<number> {
    const key = `${accountId} ${by}`;
    const known = this.#remembered.get(key);
    if (known !== undefined && atMs - known.notedMs < DAY_MS) return known.authorId;
    const drawn = await drawBatchNumber(this.#database, deadlineMs);
    const noting = this.#database.runTogether([{ statement: NOTE, values: [accountId, drawn, by, atMs] }], deadlineMs);
    const [[row] = []] = await noting;
    if (row === undefined) throw new Error('An author that is noted has a number.');
    const authorId = row[0] as number;
    if (this.#remembered.size >= REMEMBERED_MAX) this.#remembered.clear();
    this.#remembered.set(key, { authorId, notedMs: atMs });
    return authorId;
  }
}
