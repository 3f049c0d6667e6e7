/**
 * In charge of the authors that records of the history name, each once, by a number. Runs in the writer thread, inside a
 * transaction that is not its own.
 *
 * `noted_ms` is when one was last used, to the day, so that those whom no record names any more can go.
 */
import type { Author } from '../../../domain/author.ts';
import type { Connection } from '../engine/engine.ts';
import { query } from '../engine/engine.ts';
import type { WriteNumbers } from '../engine/write-numbers.ts';

const DAY_MS = 86_400_000;
/** A use may have been noted a day before a record, or not at all for a day more where its transaction was undone. */
export const AUTHOR_KEPT_LONGER_MS = 3 * DAY_MS;
/** Each upload of a file brings one more. */
const REMEMBERED_MAX = 10_000;

interface Remembered {
  readonly authorId: number;
  readonly notedMs: number;
}

export class Authors {
  readonly #numbers: WriteNumbers;
  readonly #find;
  readonly #add;
  readonly #note;
  readonly #remembered = new Map<string, Remembered>();
  /** The last transaction in which one was added: until it is over, what it added may still be undone. */
  #addedIn = 0;

  constructor(connection: Connection, numbers: WriteNumbers) {
    this.#numbers = numbers;
    this.#find = query<[authorId: number, notedMs: number]>(
      connection,
      'SELECT author_id, noted_ms FROM author WHERE account_id = ? AND name = ?',
    );
    this.#add = query(connection, 'INSERT INTO author (account_id, name, noted_ms) VALUES (?, ?, ?)');
    this.#note = query(connection, 'UPDATE author SET noted_ms = ?2 WHERE author_id = ?1');
  }

  idOf(accountId: number, by: Author, nowMs: number): number {
    const key = `${accountId} ${by}`;
    const known = this.#remembered.get(key);
    if (known !== undefined && nowMs - known.notedMs < DAY_MS) return known.authorId;
    const [authorId, notedMs] = this.#find.get(accountId, by) ?? this.#added(accountId, by, nowMs);
    if (nowMs - notedMs >= DAY_MS) this.#note.run(authorId, nowMs);
    if (this.#addedIn !== this.#numbers.transaction) {
      if (this.#remembered.size >= REMEMBERED_MAX) this.#remembered.clear();
      this.#remembered.set(key, { authorId, notedMs: Math.max(notedMs, nowMs) });
    }
    return authorId;
  }

  #added(accountId: number, by: Author, nowMs: number): readonly [authorId: number, notedMs: number] {
    this.#addedIn = this.#numbers.transaction;
    return [this.#add.run(accountId, by, nowMs).lastInsertRowid as number, nowMs];
  }
}
