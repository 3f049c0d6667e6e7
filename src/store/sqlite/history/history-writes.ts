/**
 * Records changes to offers, each with its old value, in the transaction of the write, on the writer thread.
 *
 * A record is one plain insert. Selecting the old value in the same statement took four times as long, because SQLite buffers rows for a
 * table that the statement reads.
 */
import type { Author } from '../../../domain/author.ts';
import { updatedDetail } from '../../../domain/events.ts';
import { PART_CODES } from '../../../domain/offers/history.ts';
import { DAY_MS } from '../../../domain/vocabulary/iso-time.ts';
import type { OfferPart } from '../../../domain/vocabulary/offer-parts.ts';
import { SQLITE_GROUP_TEXT as GROUP_TEXT, TOLD_AMONG_MAX } from '../../shared/history/history-rows.ts';
import type { Connection } from '../engine/connection.ts';
import type { WriteNumbers } from '../engine/write-numbers.ts';
import type { EventWrites } from './event-writes.ts';

/** Maximum number of cached authors. Each uploaded file is an author. */
const REMEMBERED_MAX = 10_000;

/** Stores each author once, by id. `noted_ms` is the last use, to the day, so that unused authors can be dropped. */
function authorIds(connection: Connection, numbers: WriteNumbers) {
  const remembered = new Map<string, { readonly authorId: number; readonly notedMs: number }>();
  /** The last transaction that added an author. It may still be rolled back. */
  let addedIn = 0;
  const find = connection.query<[authorId: number, notedMs: number]>(`
    SELECT author_id, noted_ms FROM author WHERE account_id = ? AND name = ?`);
  const add = connection.query('INSERT INTO author (account_id, name, noted_ms) VALUES (?, ?, ?)');
  const note = connection.query('UPDATE author SET noted_ms = ?2 WHERE author_id = ?1');

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

/** The data shared by all writes of one command, or of one slice of rows. */
export interface Change {
  readonly accountId: number;
  /** Sequence number for the changed parts. */
  readonly number: number;
  readonly nowMs: number;
  /** Null if no history is kept. */
  readonly authorId: number | null;
  /** Whether a file makes the change. All its rows together are one change to a part. */
  readonly isOfFile: boolean;
}

/** A group before the write. */
type GroupBefore = readonly [parent: number, text: string | null, number: number];

/** The number of a part without a value. */
export const NEVER = 0;

/** Collects the old quantities of the nodes that one write changes, as JSON text: a map would take as long as writing a quantity. */
export class NodesBefore {
  readonly change: Change;
  /** Members of a JSON object. */
  members = '';
  /** Whether the file may already have recorded some of these nodes. */
  mayBeTold = false;

  constructor(change: Change) {
    this.change = change;
  }

  /** `quantity` is null for a new node. */
  add(nodeId: string, quantity: number | null, numberBefore: number): void {
    this.members += (this.members === '' ? '' : ',') + memberName(nodeId) + quantity;
    this.mayBeTold ||= this.change.isOfFile && numberBefore === this.change.number;
  }
}

/** Maximum number of node names that are cached as JSON. The same few nodes recur. */
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

export function historyWrites(
  connection: Connection,
  numbers: WriteNumbers,
  events: Pick<EventWrites, 'add'>,
  isKept: boolean,
) {
  const authors = authorIds(connection, numbers);
  const insert = connection.query(`
    INSERT INTO offer_history (sku, part, author_id, at_ms, amount, text) VALUES (?, ?, ?, ?, ?, ?)`);
  const newest = `(SELECT * FROM offer_history WHERE sku = ? ORDER BY seq DESC LIMIT ${TOLD_AMONG_MAX}) h`;
  const ofAuthor = 'h.part = ? AND h.author_id = ?';
  const isTold = connection.query<[1]>(`SELECT 1 FROM ${newest} WHERE ${ofAuthor}`);
  const toldNodes = connection.query<[nodeId: string]>(`
    SELECT n.key FROM ${newest}, json_each(h.text) n WHERE ${ofAuthor}`);
  const groupsOf = connection.query<GroupBefore>(`
    SELECT s.id, (SELECT ${GROUP_TEXT} FROM variation_group g WHERE g.parent = s.id), s.variation_number
    FROM sku s WHERE s.id IN (
      SELECT m.parent FROM json_each(?1) asked JOIN variation_member m ON m.sku = asked.value
      UNION SELECT ?1 ->> 0)`);
  const groupText = connection.query<[text: string]>(`SELECT ${GROUP_TEXT} FROM variation_group g WHERE g.parent = ?`);

  /** `number` is the transaction's or the file's. */
  function begin(accountId: number, by: Author, isOfFile: boolean, number: number, nowMs: number): Change {
    const authorId = isKept ? authors.idOf(accountId, by, nowMs) : null;
    return { accountId, number, nowMs, authorId, isOfFile };
  }

  /** The detail of the last event, which rows of a file share: making the text takes longer than adding the event. */
  let last: { readonly part: OfferPart; readonly authorId: number | null; readonly detail: string } | undefined;

  function addEvent(sku: number, part: OfferPart, { accountId, authorId, nowMs }: Change): void {
    if (last?.part !== part || last.authorId !== authorId) {
      last = { part, authorId, detail: updatedDetail(part, authorId ?? 0) };
    }
    events.add(accountId, 'offer.updated', last.detail, nowMs, sku);
  }

  /** Records the old value (see domain/offers/history.ts), which had the number `numberBefore`. Without one, the part had no value. */
  function note(
    sku: number,
    part: OfferPart,
    change: Change,
    numberBefore = NEVER,
    amount: number | null = null,
    text: string | null = null,
  ): void {
    const { authorId, nowMs, number, isOfFile } = change;
    // Adds an event even if the file has changed the part before: a reader may have seen that change.
    addEvent(sku, part, change);
    if (authorId === null) return;
    const code = PART_CODES[part];
    // A part with the file's number was written by the file, and recorded then unless it did not change.
    if (isOfFile && numberBefore === number && isTold.get(sku, code, authorId) !== undefined) return;
    insert.run(sku, code, authorId, nowMs, amount, text);
  }

  /** Records a change to the stock. `isZeroed`: the archive flag zeroed the stock, and the event for the flag reports that. */
  function noteStock(sku: number, nodes: NodesBefore, { isZeroed = false } = {}): void {
    const { authorId, nowMs } = nodes.change;
    if (nodes.members === '') return;
    if (!isZeroed) addEvent(sku, 'inventory', nodes.change);
    if (authorId === null) return;
    const code = PART_CODES.inventory;
    const all = `{${nodes.members}}`;
    const text = nodes.mayBeTold ? without(all, toldNodes.all(sku, code, authorId)) : all;
    if (text !== null) insert.run(sku, code, authorId, nowMs, null, text);
  }

  /** Returns all groups that a new group of these members, parent first, can change. */
  function groupsBefore(members: readonly number[]): readonly GroupBefore[] {
    return groupsOf.all(JSON.stringify(members));
  }

  /** Records the groups that have changed. */
  function noteGroups(groups: readonly GroupBefore[], change: Change): void {
    for (const [parent, text, number] of groups) {
      if (text === (groupText.get(parent)?.[0] ?? null)) continue;
      note(parent, 'variation', change, number, null, text);
    }
  }

  return { begin, note, noteStock, groupsBefore, noteGroups };
}

/** Removes members from a JSON object; null if none is left. */
function without(text: string, names: readonly (readonly [name: string])[]): string | null {
  const left = new Map(Object.entries(JSON.parse(text)));
  for (const [name] of names) left.delete(name);
  return left.size === 0 ? null : JSON.stringify(Object.fromEntries(left));
}
