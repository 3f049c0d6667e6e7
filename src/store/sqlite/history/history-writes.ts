/**
 * Records changes of offers, and drops old records. A change is recorded in the transaction of its write: what the part was
 * before, which the write has looked at. Runs in the writer thread, inside a transaction that is not its own.
 *
 * A record is one plain insert. To have it select what was before by itself took four times as long, since SQLite gathers
 * rows for a table that the same statement reads: rows of files come by the million.
 */
import type { Author } from '../../../domain/author.ts';
import type { HistoryPart } from '../../../domain/vocabulary/history-parts.ts';
import { PART_CODES, TOLD_AMONG_MAX } from '../../shared/history-rows.ts';
import { type Connection, query } from '../engine/engine.ts';
import type { WriteNumbers } from '../engine/write-numbers.ts';

const DAY_MS = 86_400_000;
/** A use may have been noted a day before a record, or not at all for a day more where its transaction was undone. */
const AUTHOR_KEPT_LONGER_MS = 3 * DAY_MS;
/** Each upload of a file brings one more. */
const REMEMBERED_MAX = 10_000;

interface Remembered {
  readonly authorId: number;
  readonly notedMs: number;
}

/**
 * The authors that records name, each once, by a number. `noted_ms` is when one was last used, to the day, so that those whom
 * no record names any more can go.
 */
function authorIds(connection: Connection, numbers: WriteNumbers) {
  const remembered = new Map<string, Remembered>();
  /** The last transaction in which one was added: until it is over, what it added may still be undone. */
  let addedIn = 0;
  const find = query<[authorId: number, notedMs: number]>(
    connection,
    'SELECT author_id, noted_ms FROM author WHERE account_id = ? AND name = ?',
  );
  const add = query(connection, 'INSERT INTO author (account_id, name, noted_ms) VALUES (?, ?, ?)');
  const note = query(connection, 'UPDATE author SET noted_ms = ?2 WHERE author_id = ?1');

  function idOf(accountId: number, by: Author, nowMs: number): number {
    const key = `${accountId} ${by}`;
    const known = remembered.get(key);
    if (known !== undefined && nowMs - known.notedMs < DAY_MS) return known.authorId;
    const [authorId, notedMs] = find.get(accountId, by) ?? added(accountId, by, nowMs);
    if (nowMs - notedMs >= DAY_MS) note.run(authorId, nowMs);
    if (addedIn !== numbers.transaction) {
      if (remembered.size >= REMEMBERED_MAX) remembered.clear();
      remembered.set(key, { authorId, notedMs: Math.max(notedMs, nowMs) });
    }
    return authorId;
  }

  function added(accountId: number, by: Author, nowMs: number): readonly [authorId: number, notedMs: number] {
    addedIn = numbers.transaction;
    return [add.run(accountId, by, nowMs).lastInsertRowid as number, nowMs];
  }

  return { idOf };
}

/** Of the row `g` of `variation_group`: a JSON list of refinements, title and children, in their order. */
export const GROUP_TEXT = `json_array(json(g.refinements), g.title, json((
  SELECT json_group_array(child.sku_id ORDER BY m.position)
  FROM variation_member m JOIN sku child ON child.id = m.sku
  WHERE m.parent = g.parent AND m.sku <> g.parent)))`;

/** What the writes of one command, or of one slice of rows, have in common. */
export interface Change {
  /** That the parts get. */
  readonly number: number;
  readonly nowMs: number;
  /** Null where no history is kept. */
  readonly authorId: number | null;
  /** Its rows are one change of a part, however often they write it. */
  readonly isOfFile: boolean;
}

/** A group, as it was before, with the number of that. */
interface GroupBefore {
  readonly parent: number;
  readonly text: string | null;
  readonly number: number;
}

/**
 * The quantities of nodes that one write changes, as they were before it. Members of a JSON text and not a map of nodes,
 * which would take as long as writing a quantity does.
 */
export class NodesBefore {
  #members = '';
  #mayBeTold = false;

  get isEmpty(): boolean {
    return this.#members === '';
  }

  /** The file may have changed some of them before. */
  get mayBeTold(): boolean {
    return this.#mayBeTold;
  }

  get text(): string {
    return `{${this.#members}}`;
  }

  /** The quantity is null for a node that had none. */
  add(nodeId: string, quantity: number | null, numberBefore: number, { isOfFile, number }: Change): void {
    this.#members += (this.#members === '' ? '' : ',') + memberName(nodeId) + quantity;
    this.#mayBeTold ||= isOfFile && numberBefore === number;
  }
}

/** Few nodes come again and again. */
const NAMES_MAX = 10_000;
const names = new Map<string, string>();

function memberName(nodeId: string): string {
  const known = names.get(nodeId);
  if (known !== undefined) return known;
  if (names.size >= NAMES_MAX) names.clear();
  const name = `${JSON.stringify(nodeId)}:`;
  names.set(nodeId, name);
  return name;
}

export type HistoryWrites = ReturnType<typeof historyWrites>;

export function historyWrites(connection: Connection, numbers: WriteNumbers, isKept: boolean) {
  const authors = authorIds(connection, numbers);
  const insert = query(
    connection,
    'INSERT INTO offer_history (sku, part, author_id, at_ms, amount, text) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const newest = `(SELECT * FROM offer_history WHERE sku = ? ORDER BY seq DESC LIMIT ${TOLD_AMONG_MAX}) h`;
  const ofAuthor = 'h.part = ? AND h.author_id = ?';
  const isTold = query<[1]>(connection, `SELECT 1 FROM ${newest} WHERE ${ofAuthor}`);
  const toldNodes = query<[nodeId: string]>(
    connection,
    `SELECT n.key FROM ${newest}, json_each(h.text) n WHERE ${ofAuthor}`,
  );
  const groupsOf = query<[parent: number, text: string | null, number: number]>(
    connection,
    `SELECT s.id, (SELECT ${GROUP_TEXT} FROM variation_group g WHERE g.parent = s.id), s.group_number
     FROM sku s WHERE s.id IN (
       SELECT m.parent FROM json_each(?1) asked JOIN variation_member m ON m.sku = asked.value
       UNION SELECT ?1 ->> 0)`,
  );
  const groupText = query<[text: string]>(connection, `SELECT ${GROUP_TEXT} FROM variation_group g WHERE g.parent = ?`);

  /** `number` is that of the transaction, or of the file. */
  function begin(accountId: number, by: Author, isOfFile: boolean, number: number, nowMs: number): Change {
    const authorId = isKept ? authors.idOf(accountId, by, nowMs) : null;
    return { number, nowMs, authorId, isOfFile };
  }

  /** There was none of that part. */
  function noteFirst(sku: number, part: HistoryPart, { authorId, nowMs }: Change): void {
    if (authorId !== null) insert.run(sku, PART_CODES[part], authorId, nowMs, null, null);
  }

  /** What the part was, see history-rows.ts, and the number of that. */
  function note(
    sku: number,
    part: HistoryPart,
    { authorId, nowMs, number, isOfFile }: Change,
    numberBefore: number,
    amount: number | null,
    text: string | null,
  ): void {
    if (authorId === null) return;
    const code = PART_CODES[part];
    // A part that the file has written before has its number, and was told then, unless it was as the file asked for.
    if (isOfFile && numberBefore === number && isTold.get(sku, code, authorId) !== undefined) return;
    insert.run(sku, code, authorId, nowMs, amount, text);
  }

  function noteStock(sku: number, nodes: NodesBefore, { authorId, nowMs }: Change): void {
    if (authorId === null || nodes.isEmpty) return;
    const code = PART_CODES.inventory;
    const text = nodes.mayBeTold ? without(nodes.text, toldNodes.all(sku, code, authorId)) : nodes.text;
    if (text !== null) insert.run(sku, code, authorId, nowMs, null, text);
  }

  /** Of all groups that a new one of these members, the parent first, can change. */
  function groupsBefore(members: readonly number[], { authorId }: Change): readonly GroupBefore[] {
    if (authorId === null) return [];
    return groupsOf.all(JSON.stringify(members)).map(([parent, text, number]) => ({ parent, text, number }));
  }

  /** Of those groups, the ones that are not as they were. */
  function noteGroups(groups: readonly GroupBefore[], change: Change): void {
    for (const { parent, text, number } of groups) {
      if (text === (groupText.get(parent)?.[0] ?? null)) continue;
      note(parent, 'variation', change, number, null, text);
    }
  }

  return { begin, noteFirst, note, noteStock, groupsBefore, noteGroups };
}

/** The JSON object without those members; null where none is left. */
function without(text: string, names: readonly (readonly [name: string])[]): string | null {
  const left = new Map(Object.entries(JSON.parse(text)));
  for (const [name] of names) left.delete(name);
  return left.size === 0 ? null : JSON.stringify(Object.fromEntries(left));
}

/** Takes some 5 ms, as a slice of rows does: single calls wait for it. */
const SLICE_RECORDS = 1000;

/** Records lie in the order in which they were written, the oldest in front: no index by time is needed. */
export type HistoryRetention = ReturnType<typeof historyRetention>;

export function historyRetention(connection: Connection) {
  const drop = query(
    connection,
    `DELETE FROM offer_history WHERE at_ms < ? AND seq IN (SELECT seq FROM offer_history ORDER BY seq LIMIT ${SLICE_RECORDS})`,
  );
  const dropAuthors = query(connection, 'DELETE FROM author WHERE noted_ms < ?');

  function dropHistory(beforeMs: number): 'more' | 'done' {
    // The clocks of those who write differ a little: a younger one in front is no reason to leave those behind it.
    if (drop.run(beforeMs).changes > 0) return 'more';
    dropAuthors.run(beforeMs - AUTHOR_KEPT_LONGER_MS);
    return 'done';
  }

  return { dropHistory };
}
