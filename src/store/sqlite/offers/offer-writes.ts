/**
 * Writes single calls, and rows of files (file-rows.ts). A row changes one part of a SKU, unless the SKU is unknown or archived. Runs
 * inside a transaction of the writer thread. Marks offers whose verdict may change as due for review.
 */

import type { Author } from '../../../domain/author.ts';
import type { RowOutcome } from '../../../domain/bulk-files.ts';
import type { PartWrite } from '../../../domain/offers/part.ts';
import { outcomeFor, type SkuState, skuState } from '../../../domain/offers/write-state.ts';
import { isMet, NEW_TAG, type Precondition } from '../../../domain/precondition.ts';
import type { ClearablePart } from '../../../domain/vocabulary/offer-parts.ts';
import type { PartsOutcome, TagScope } from '../../port/offers.ts';
import { readTag } from '../../port/part-tags.ts';
import { ofEachClearable } from '../../shared/offers/clearable-parts.ts';
import type { Connection } from '../engine/connection.ts';
import type { WriteNumbers } from '../engine/write-numbers.ts';
import type { Change, HistoryWrites } from '../history/history-writes.ts';
import type { ReviewMarks } from '../review/review-marks.ts';
import type { GroupWrites } from './group-writes.ts';
import { offerReads } from './offer-reads.ts';
import { partWrites } from './part-writes.ts';

/**
 * A row as it travels to the thread: flat, because structured clone takes three times as long for nested arguments (3.6 us instead
 * of 1.2 us for a price).
 */
export type PackedRow =
  | readonly [part: 'sku', skuId: string, document: string]
  /** `nodes` is the JSON text of the node prices. */
  | readonly [part: 'price', skuId: string, price: number, nodes: string]
  /** The lists correspond by index. */
  | readonly [part: 'inventory', skuId: string, nodeIds: readonly string[], quantities: readonly number[]]
  /** JSON text; null clears. */
  | readonly [part: ClearablePart, skuId: string, text: string | null]
  | readonly [part: 'archive', skuId: string, archived: boolean]
  | readonly [
      part: 'variation',
      skuId: string,
      refinements: string,
      title: string | null,
      childrenSkus: readonly string[],
    ];

export function packed(row: PartWrite): PackedRow {
  const { skuId } = row;
  switch (row.part) {
    case 'sku':
      return ['sku', skuId, row.document];
    case 'price':
      return ['price', skuId, row.price, row.nodes.length === 0 ? '[]' : JSON.stringify(row.nodes)];
    case 'inventory': {
      const nodeIds = row.quantities.map((node) => node.fulfillment_node_id);
      return ['inventory', skuId, nodeIds, row.quantities.map((node) => node.quantity)];
    }
    case 'archive':
      return ['archive', skuId, row.archived];
    case 'variation':
      return ['variation', skuId, row.group.refinements, row.group.title, row.group.childrenSkus];
    default:
      return [row.part, skuId, row.text];
  }
}

/** `number` is the number of the row's part, if the table `sku` stores it. */
export type FoundSku =
  | readonly [id: number, archived: 0 | 1, number: number]
  | readonly [id: null, archived: null, number: null];

/** Data that all rows of one command share, and their results so far. */
export interface Slice {
  readonly accountId: number;
  /** Draws the number of a single call, so call it only when there is something to write. */
  readonly change: () => Change;
  /** Offers whose verdict may change. */
  readonly due: number[];
  /** Receives the tag of written stock. Set for single calls, which have the highest number and write whole rows. */
  readonly tags?: (string | null)[];
}

export function rowWrites(connection: Connection, groups: GroupWrites, history: HistoryWrites) {
  /** Whether the last uploaded SKU was new. If so, the next one probably is too, so it is inserted without a lookup first. */
  let wasNew = false;
  const parts = partWrites(connection, history);
  const findWith = (number: string) =>
    connection.query<FoundSku>(`SELECT id, archived, ${number} FROM sku WHERE account_id = ? AND sku_id = ?`);
  const find = {
    sku: findWith('0'),
    price: findWith('0'),
    // Every node, also without a record, has at least the number of the last zeroing.
    inventory: findWith('inventory_zeroed_number'),
    archive: findWith('archive_number'),
    ...ofEachClearable(({ number }) => findWith(number)),
  };

  function apply(slice: Slice, row: PackedRow): RowOutcome {
    const [part, skuId] = row;
    if (part === 'sku') return putDocument(slice, skuId, row[2]);
    if (part === 'variation') return putGroup(slice, row);
    return applyTo(slice, find[part].get(slice.accountId, skuId), row);
  }

  /** Changes a SKU that was looked up. For stock, writes the nodes from `start` to `end`. */
  function applyTo(
    { change: begin, due, tags }: Slice,
    sku: FoundSku | undefined,
    row: Exclude<PackedRow, readonly ['sku' | 'variation', ...unknown[]]>,
    start = 0,
    end?: number,
  ): RowOutcome {
    if (sku === undefined || sku[0] === null) return 'unknown';
    const [id, archived, number] = sku;
    const outcome = outcomeFor(row[0], skuState(archived === 1));
    if (outcome !== 'stored') return outcome;
    if (row[0] === 'inventory' && start === (end ?? row[2].length)) return 'stored';
    const change = begin();
    // The price has its own table, which also stores its number.
    if (row[0] !== 'price' && number > change.number) return 'superseded';
    switch (row[0]) {
      case 'price': {
        const written = parts.writePrice(id, row[2], row[3], change);
        if (written === 'first') due.push(id);
        return written === 'superseded' ? written : 'stored';
      }
      case 'inventory': {
        if (tags !== undefined) {
          const stored = parts.writeStock(id, row[2], row[3], change);
          if (stored.newNodes > 0) due.push(id);
          tags.push(stored.tag);
          return 'stored';
        }
        const written = parts.writeQuantities(id, row[2], row[3], start, end ?? row[2].length, change);
        if (written.newNodes > 0) due.push(id);
        return written.writtenNodes > 0 ? 'stored' : 'superseded';
      }
      case 'archive':
        // The flag does not change, but gets the new number, which supersedes rows of older files that would change it.
        if (row[2] === (archived === 1)) parts.numberFlag(id, change);
        else {
          parts.changeFlag(id, row[2], number, change);
          due.push(id);
        }
        return 'stored';
      default:
        parts.putClearable[row[0]](id, row[2], number, change);
        return 'stored';
    }
  }

  function putDocument({ accountId, change, due }: Slice, skuId: string, document: string): RowOutcome {
    let id = wasNew ? parts.addSku(accountId, skuId, document, change()) : undefined;
    if (id === undefined) {
      const sku = find.sku.get(accountId, skuId);
      wasNew = sku === undefined;
      const outcome = outcomeFor('sku', skuState(sku && sku[1] === 1));
      if (outcome !== 'stored') return outcome;
      id = sku?.[0] ?? (parts.addSku(accountId, skuId, document, change()) as number);
      if (!wasNew && parts.writeDocument(id, document, change()) === 'superseded') return 'superseded';
    }
    due.push(id);
    return 'stored';
  }

  /** Group writes mark their members themselves. */
  function putGroup(
    { accountId, change }: Slice,
    row: Extract<PackedRow, readonly ['variation', ...unknown[]]>,
  ): RowOutcome {
    const [, skuId, refinements, title, childrenSkus] = row;
    const found = groups.findMembers(accountId, [skuId, ...childrenSkus]);
    if (typeof found === 'string' || 'refused' in found) return found;
    const begun = change();
    if (found.number > begun.number) return 'superseded';
    groups.put(found.members, refinements, title, begun);
    return 'stored';
  }

  /** Writes all parts of one SKU, or none of them. `superseded`: no part was changed. */
  function applyParts(slice: Slice, [first, ...others]: readonly PackedRow[]): RowOutcome {
    const outcome = apply(slice, first as PackedRow);
    if (!isWritten(outcome)) return outcome;
    const outcomes = [outcome, ...others.map((row) => apply(slice, row))];
    if (!outcomes.every(isWritten)) throw new Error('A part of an offer was refused after an earlier one was written.');
    return outcomes.find((one) => one !== 'superseded') ?? outcome;
  }

  return { apply, applyTo, applyParts };
}

export function offerWrites(
  connection: Connection,
  numbers: WriteNumbers,
  marks: ReviewMarks,
  groups: GroupWrites,
  history: HistoryWrites,
) {
  const rows = rowWrites(connection, groups, history);
  const isKeyTaken = connection.query<[1]>('SELECT 1 FROM idempotency_key WHERE account_id = ? AND key = ?');
  const insertKey = connection.query(`
    INSERT INTO idempotency_key (account_id, key, fingerprint, number, claimed_ms, lease_ends_ms, answer)
    VALUES (?, ?, ?, ?, ?, 0, ?)`);
  /** These reads see what the transaction has written. */
  const reads = offerReads(connection);

  function applyAll(slice: Slice, parts: readonly PackedRow[]): RowOutcome {
    const outcome = rows.applyParts(slice, parts);
    marks.mark(slice.accountId, slice.due);
    return outcome;
  }

  /** Applies a single call. It has the highest number, so nothing supersedes it. */
  function applyNow(
    accountId: number,
    nowMs: number,
    by: Author,
    parts: readonly PackedRow[],
    scope: TagScope = 'part',
  ): PartsOutcome {
    const change = () => history.begin(accountId, by, false, numbers.current(), nowMs);
    const tags: (string | null)[] = [];
    const outcome = applyAll({ accountId, change, due: [], tags }, parts) as PartsOutcome;
    const [part, skuId] = parts[0] as PackedRow;
    // The other writes replace their part, so the caller knows its tag.
    const needsTag = scope === 'offer' || part === 'inventory' || part === 'archive';
    if (outcome !== 'stored' || !needsTag) return outcome;
    if (scope === 'part' && tags[0] !== undefined) return { newTag: tags[0] };
    return { newTag: readTag(reads, { accountId, skuId }, part, scope) as string | null };
  }

  return {
    write: (accountId: number, nowMs: number, by: Author, ...row: PackedRow) => applyNow(accountId, nowMs, by, [row]),
    writeParts(
      accountId: number,
      nowMs: number,
      by: Author,
      parts: readonly PackedRow[],
      precondition: Precondition | null,
      scope: TagScope,
    ): PartsOutcome {
      const [[part, skuId]] = parts as readonly [PackedRow];
      if (precondition !== null) {
        const key = { accountId, skuId };
        const outcome = outcomeFor(part, reads.readSkuState(key) as SkuState);
        if (outcome !== 'stored') return outcome;
        const currentTag = readTag(reads, key, part, scope) as string | null;
        if (!isMet(precondition, currentTag)) return { currentTag };
      }
      return applyNow(accountId, nowMs, by, parts, scope);
    },
    /** Stores the key and the response of an accepted write. Writes nothing if the key is taken. */
    writeWithKey(
      accountId: number,
      nowMs: number,
      by: Author,
      key: string,
      fingerprint: string,
      answer: string,
      ...row: PackedRow
    ): PartsOutcome | 'not_keyed' {
      if (isKeyTaken.get(accountId, key) !== undefined) return 'not_keyed';
      const outcome = applyNow(accountId, nowMs, by, [row]);
      const newTag = typeof outcome === 'object' && 'newTag' in outcome ? outcome.newTag : null;
      // Without a tag, nothing was written: the list of nodes is empty, and so is the stock.
      if (outcome !== 'stored' && newTag === null) return 'not_keyed';
      const stored = newTag === null ? answer : answer.replace(NEW_TAG, newTag);
      insertKey.run(accountId, key, fingerprint, numbers.current(), nowMs, stored);
      return outcome;
    },
    /** Repeats a request with the number of its first run. */
    writeAgain(
      accountId: number,
      nowMs: number,
      by: Author,
      parts: readonly PackedRow[],
      number: number,
    ): PartsOutcome {
      const change = history.begin(accountId, by, false, number, nowMs);
      const outcome = applyAll({ accountId, change: () => change, due: [] }, parts);
      return outcome === 'superseded' ? 'stored' : outcome;
    },
  };
}

function isWritten(outcome: RowOutcome): boolean {
  return outcome === 'stored' || outcome === 'superseded';
}
