/**
 * Runs the write commands of single calls, each "do this unless the SKU is unknown or archived", inside a transaction of the
 * writer thread. Each write gives the changed part the sequence number of the transaction, and marks the offer as due for
 * review if its verdict may change.
 *
 * Arguments are flat, because cloning a nested object between threads costs more than the write itself.
 */
import type { Author } from '../../../domain/author.ts';
import type { GroupOutcome, PartsOutcome, PartWrite, Precondition, WriteOutcome } from '../../port/offers.ts';
import { isMet, readTag } from '../../port/part-tags.ts';
import type { Connection } from '../engine/engine.ts';
import type { WriteNumbers } from '../engine/write-numbers.ts';
import type { Change, HistoryWrites } from '../history/history-writes.ts';
import type { ReviewMarks } from '../review/review-marks.ts';
import type { GroupWrites } from './group-writes.ts';
import { offerReads } from './offer-reads.ts';
import { partWrites } from './part-writes.ts';
import { skuLookup } from './sku-lookup.ts';

export function offerWrites(
  connection: Connection,
  numbers: WriteNumbers,
  marks: ReviewMarks,
  groups: GroupWrites,
  history: HistoryWrites,
) {
  const skus = skuLookup(connection);
  const parts = partWrites(connection, history);
  /** These reads see what the transaction has written. */
  const reads = offerReads(connection);

  function putSku(
    accountId: number,
    skuId: string,
    document: string,
    nowMs: number,
    by: Author,
  ): 'stored' | 'archived' {
    const id = skus.findOpen(accountId, skuId);
    if (id === 'archived') return id;
    const change = changeBy(accountId, by, nowMs);
    if (id === 'unknown') {
      const newId = parts.addSku(accountId, skuId, document, change) as number;
      marks.mark(accountId, newId);
    } else {
      parts.writeDocument(id, document, change);
      marks.mark(accountId, id);
    }
    return 'stored';
  }

  /** `nodes` is the JSON text of the node prices. */
  function putPrice(
    accountId: number,
    skuId: string,
    price: number,
    nodes: string,
    nowMs: number,
    by: Author,
  ): WriteOutcome {
    const id = skus.findOpen(accountId, skuId);
    if (typeof id === 'string') return id;
    const written = parts.writePrice(id, price, nodes, changeBy(accountId, by, nowMs));
    if (written === 'first') marks.mark(accountId, id);
    return 'stored';
  }

  /** `nodeIds` and `quantities` correspond by index. */
  function patchInventory(
    accountId: number,
    skuId: string,
    nodeIds: readonly string[],
    quantities: readonly number[],
    nowMs: number,
    by: Author,
  ): WriteOutcome {
    const id = skus.findOpen(accountId, skuId);
    if (typeof id === 'string') return id;
    // Nothing is written, so no number is drawn.
    if (nodeIds.length === 0) return 'stored';
    const change = changeBy(accountId, by, nowMs);
    const { newNodes } = parts.writeQuantities(id, nodeIds, quantities, 0, nodeIds.length, change);
    if (newNodes > 0) marks.mark(accountId, id);
    return 'stored';
  }

  function putGroup(
    accountId: number,
    skuId: string,
    refinements: string,
    title: string | null,
    childrenSkus: readonly string[],
    nowMs: number,
    by: Author,
  ): GroupOutcome {
    const found = groups.findMembers(accountId, skuId, childrenSkus);
    if (typeof found === 'string' || 'refused' in found) return found;
    groups.put(accountId, found, refinements, title, changeBy(accountId, by, nowMs));
    return 'stored';
  }

  /** Returns a write of JSON text; null clears. */
  function textWrite(put: (id: number, text: string | null, change: Change) => void) {
    return (accountId: number, skuId: string, text: string | null, nowMs: number, by: Author): WriteOutcome => {
      const id = skus.findOpen(accountId, skuId);
      if (typeof id === 'string') return id;
      put(id, text, changeBy(accountId, by, nowMs));
      return 'stored';
    };
  }

  function setArchived(
    accountId: number,
    skuId: string,
    archived: boolean,
    nowMs: number,
    by: Author,
  ): 'stored' | 'unknown' {
    const sku = skus.find(accountId, skuId);
    if (sku === undefined) return 'unknown';
    const [id, wasArchived] = sku;
    const change = changeBy(accountId, by, nowMs);
    if (archived === (wasArchived === 1)) {
      // The number supersedes rows of older files that ask for the opposite.
      parts.numberFlag(id, change);
    } else {
      parts.changeFlag(id, archived, change);
      marks.mark(accountId, id);
    }
    return 'stored';
  }

  function drawNumber(): number {
    return numbers.drawApart();
  }

  function changeBy(accountId: number, by: Author, nowMs: number): Change {
    return history.begin(accountId, by, false, numbers.current(), nowMs);
  }

  const single = {
    putSku,
    putPrice,
    patchInventory,
    putGroup,
    putShippingExceptions: textWrite(parts.putShipping),
    putReturnLocations: textWrite(parts.putReturns),
    setArchived,
  };

  /** `writes` are calls of the methods above; the first is of this kind. */
  function writeParts(
    accountId: number,
    skuId: string,
    kind: PartWrite['kind'],
    writes: readonly PackedWrite[],
    precondition: Precondition | null,
  ): PartsOutcome {
    const state = skus.findOpen(accountId, skuId);
    if (state === 'unknown' && kind !== 'sku') return state;
    if (state === 'archived' && kind !== 'archive') return state;
    if (precondition !== null) {
      const currentTag = readTag(reads, { accountId, skuId }, kind) as string | null;
      if (!isMet(precondition, currentTag)) return { currentTag };
    }
    for (const [place, [name, args]] of writes.entries()) {
      const outcome = (single[name] as (...args: readonly unknown[]) => GroupOutcome)(...args);
      if (outcome === 'stored') continue;
      if (place === 0) return outcome;
      throw new Error('A part of an offer was refused after an earlier one was written.');
    }
    return 'stored';
  }

  return { ...single, writeParts, drawNumber };
}

/** A write of one part, and its flat arguments. */
export type PackedWrite = readonly [
  name:
    | 'putSku'
    | 'putPrice'
    | 'patchInventory'
    | 'putGroup'
    | 'putShippingExceptions'
    | 'putReturnLocations'
    | 'setArchived',
  args: readonly unknown[],
];
