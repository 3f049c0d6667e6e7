/**
 * In charge of recording changes of offers, each in the transaction of its write: what the part was before, which the write
 * has looked at. Runs in the writer thread, inside a transaction that is not its own.
 *
 * A record is one plain insert. To have it select what was before by itself took four times as long, since SQLite gathers
 * rows for a table that the same statement reads: rows of files come by the million.
 */
import type { Author } from '../../../domain/author.ts';
import type { HistoryPart } from '../../../domain/vocabulary/history-parts.ts';
import { PART_CODES, TOLD_AMONG_MAX } from '../../shared/history-rows.ts';
import type { Connection } from '../engine/engine.ts';
import { query } from '../engine/engine.ts';
import type { WriteNumbers } from '../engine/write-numbers.ts';
import { GROUP_TEXT } from '../offers/group-text.ts';
import { Authors } from './authors.ts';

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

export class HistoryWrites {
  readonly #authors: Authors;
  readonly #isKept: boolean;
  readonly #insert;
  readonly #isTold;
  readonly #toldNodes;
  readonly #groupsOf;
  readonly #groupText;

  constructor(connection: Connection, numbers: WriteNumbers, isKept: boolean) {
    this.#authors = new Authors(connection, numbers);
    this.#isKept = isKept;
    this.#insert = query(
      connection,
      'INSERT INTO offer_history (sku, part, author_id, at_ms, amount, text) VALUES (?, ?, ?, ?, ?, ?)',
    );
    const newest = `(SELECT * FROM offer_history WHERE sku = ? ORDER BY seq DESC LIMIT ${TOLD_AMONG_MAX}) h`;
    const ofAuthor = 'h.part = ? AND h.author_id = ?';
    this.#isTold = query<[1]>(connection, `SELECT 1 FROM ${newest} WHERE ${ofAuthor}`);
    this.#toldNodes = query<[nodeId: string]>(
      connection,
      `SELECT n.key FROM ${newest}, json_each(h.text) n WHERE ${ofAuthor}`,
    );
    this.#groupsOf = query<[parent: number, text: string | null, number: number]>(
      connection,
      `SELECT s.id, (SELECT ${GROUP_TEXT} FROM variation_group g WHERE g.parent = s.id), s.group_number
       FROM sku s WHERE s.id IN (
         SELECT m.parent FROM json_each(?1) asked JOIN variation_member m ON m.sku = asked.value
         UNION SELECT ?1 ->> 0)`,
    );
    this.#groupText = query<[text: string]>(
      connection,
      `SELECT ${GROUP_TEXT} FROM variation_group g WHERE g.parent = ?`,
    );
  }

  /** `number` is that of the transaction, or of the file. */
  begin(accountId: number, by: Author, isOfFile: boolean, number: number, nowMs: number): Change {
    const authorId = this.#isKept ? this.#authors.idOf(accountId, by, nowMs) : null;
    return { number, nowMs, authorId, isOfFile };
  }

  /** There was none of that part. */
  noteFirst(sku: number, part: HistoryPart, { authorId, nowMs }: Change): void {
    if (authorId !== null) this.#insert.run(sku, PART_CODES[part], authorId, nowMs, null, null);
  }

  /** What the part was, see history-rows.ts, and the number of that. */
  note(
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
    if (isOfFile && numberBefore === number && this.#isTold.get(sku, code, authorId) !== undefined) return;
    this.#insert.run(sku, code, authorId, nowMs, amount, text);
  }

  noteStock(sku: number, nodes: NodesBefore, { authorId, nowMs }: Change): void {
    if (authorId === null || nodes.isEmpty) return;
    const code = PART_CODES.inventory;
    const text = nodes.mayBeTold ? without(nodes.text, this.#toldNodes.all(sku, code, authorId)) : nodes.text;
    if (text !== null) this.#insert.run(sku, code, authorId, nowMs, null, text);
  }

  /** Of all groups that a new one of these members, the parent first, can change. */
  groupsBefore(members: readonly number[], { authorId }: Change): readonly GroupBefore[] {
    if (authorId === null) return [];
    return this.#groupsOf.all(JSON.stringify(members)).map(([parent, text, number]) => ({ parent, text, number }));
  }

  /** Of those groups, the ones that are not as they were. */
  noteGroups(groups: readonly GroupBefore[], change: Change): void {
    for (const { parent, text, number } of groups) {
      if (text === (this.#groupText.get(parent)?.[0] ?? null)) continue;
      this.note(parent, 'variation', change, number, null, text);
    }
  }
}

/** The JSON object without those members; null where none is left. */
function without(text: string, names: readonly (readonly [name: string])[]): string | null {
  const left = new Map(Object.entries(JSON.parse(text)));
  for (const [name] of names) left.delete(name);
  return left.size === 0 ? null : JSON.stringify(Object.fromEntries(left));
}
