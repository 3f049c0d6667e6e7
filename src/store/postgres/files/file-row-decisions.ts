/**
 * Locks the offers that a file's rows name, and decides the outcome of each row from their state.
 *
 * All rows are of one kind, and everything they write gets the file's number. So a row never supersedes a later row of the same slice, and
 * all rows are decided from the state before the slice, except for the archive flag.
 */

import type { RowOutcome } from '../../../domain/bulk-files.ts';
import type { NodeQuantity, OfferRow, PartWrite } from '../../../domain/offers/part.ts';
import { firstPartOf, partsOfRows } from '../../../domain/offers/parts.ts';
import { refusalOf } from '../../../domain/offers/variation-group.ts';
import { outcomeFor, skuState } from '../../../domain/offers/write-state.ts';
import { ofEachClearable } from '../../shared/offers/clearable-parts.ts';
import { nodeNumbers } from '../../shared/offers/offer-columns.ts';
import type { Statement } from '../../shared/sql.ts';
import type { Command, Rows } from '../engine/connection.ts';
import { membersOf } from '../offers/group-writes.ts';
import {
  type Attribution,
  type GroupWrite,
  type PartRow,
  type RowWrite,
  rowWriteOf,
  type WriteOf,
} from '../offers/offer-commands.ts';
import { lockStatement, NAMED, WITH_THEIR_GROUPS } from '../offers/row-statements.ts';

/** Data that all rows of a slice share. */
export interface SliceContext {
  readonly accountId: number;
  /** The number of the file. */
  readonly number: number;
  readonly attribution: Attribution;
}

export type LockedPart = readonly [
  skuId: string,
  archived: boolean,
  /** Number of the part that a row changes; null: never written. */
  number: number | null,
  /** JSON text of all nodes, or null (see NEWER_STOCK). */
  newerStock: string | null,
];

function lock(part: PartWrite['part'], number: string, { newerStock = 'NULL::jsonb', named = NAMED } = {}) {
  return lockStatement<LockedPart>(`lock for rows of ${part}`, { columns: `, offer.${number}, ${newerStock}`, named });
}

/** The stock, if one of its nodes is newer than the file. */
const NEWER_STOCK = 'CASE WHEN offer.inventory_number > $3::bigint THEN offer.inventory END';

const LOCKS: Readonly<Record<PartWrite['part'], Statement<LockedPart>>> = {
  sku: lock('sku', 'document_number'),
  price: lock('price', 'price_number'),
  inventory: lock('inventory', 'inventory_zeroed_number', { newerStock: NEWER_STOCK }),
  archive: lock('archive', 'archive_number'),
  variation: lock('variation', 'variation_number', { named: WITH_THEIR_GROUPS }),
  ...ofEachClearable(({ part, number }) => lock(part, number)),
};

export function lockCommand(part: PartWrite['part'], skuIds: readonly string[], slice: SliceContext): Command {
  const values = [slice.accountId, skuIds];
  return { statement: LOCKS[part], values: part === 'inventory' ? [...values, slice.number] : values };
}

/** The rows to write, in the order of the file. */
export interface Decisions {
  readonly outcomes: readonly RowOutcome[];
  readonly writes: readonly RowWrite[];
  readonly groups: readonly GroupWrite[];
}

/** Decides the outcome of each row. `locked` contains all existing offers that the rows name, and possibly others. */
export function decide(rows: readonly PartWrite[], locked: readonly LockedPart[], slice: SliceContext): Decisions {
  const { number: fileNumber, attribution } = slice;
  const found = new Map(locked.map((part) => [part[0], part]));
  const isNewer = ([, , partNumber]: LockedPart) => (partNumber ?? 0) > fileNumber;

  function outcomeOf(row: PartWrite): RowOutcome {
    if (row.part === 'variation') return groupOutcome(membersOf(row));
    const part = found.get(row.skuId);
    const outcome = outcomeFor(row.part, skuState(part?.[1]));
    if (part === undefined || outcome !== 'stored') return outcome;
    if (row.part !== 'inventory') return isNewer(part) ? 'superseded' : 'stored';
    const { quantities } = row;
    return quantities.length > 0 && olderNodes(quantities, part).length === 0 ? 'superseded' : 'stored';
  }

  function groupOutcome(members: readonly string[]): RowOutcome {
    const parts = members.map((skuId) => found.get(skuId)).filter((part) => part !== undefined);
    const refusal = refusalOf(members, new Map(parts.map(([skuId, archived]) => [skuId, archived])));
    return refusal ?? (parts.some(isNewer) ? 'superseded' : 'stored');
  }

  /** Returns the nodes that were neither written nor zeroed after the file was submitted. */
  function olderNodes(quantities: readonly NodeQuantity[], part: LockedPart): readonly NodeQuantity[] {
    const [, , zeroedNumber, newerStock] = part;
    if (isNewer(part)) return [];
    if (newerStock === null) return quantities;
    const zeroed = zeroedNumber ?? 0;
    const numbers = nodeNumbers(newerStock, zeroed);
    return quantities.filter(({ fulfillment_node_id }) => (numbers.get(fulfillment_node_id) ?? zeroed) <= fileNumber);
  }

  function withoutNewer(row: PartRow): PartRow {
    const part = found.get(row.skuId);
    if (row.part !== 'inventory' || part === undefined) return row;
    return { ...row, quantities: olderNodes(row.quantities, part) };
  }

  const flags = new Map<string, WriteOf<'archive'>>();
  const outcomes = rows.map(outcomeOf);
  const writes: RowWrite[] = [];
  const groups: GroupWrite[] = [];
  for (const row of rows.filter((_, index) => outcomes[index] === 'stored')) {
    if (row.part === 'variation') groups.push({ ...row, ...attribution });
    else if (row.part === 'archive') {
      const before = flags.get(row.skuId);
      const wasArchived = before?.archived ?? found.get(row.skuId)?.[1];
      const isChanged = before?.isChanged === true || wasArchived !== row.archived;
      flags.set(row.skuId, { ...row, ...attribution, isChanged });
    } else writes.push(rowWriteOf(withoutNewer(row), attribution));
  }
  return { outcomes, writes: [...writes, ...flags.values()], groups };
}

/** The rows of the locked offers, by part. `sku` has all of them. */
type LockedByPart = ReadonlyMap<PartWrite['part'], readonly LockedPart[]>;

export interface OfferLocks {
  /** The first statement locks all offers in key order; the others read the numbers of further parts. */
  readonly commands: readonly Command[];
  byPart(results: readonly Rows[]): LockedByPart;
}

export function lockOffers(rows: readonly OfferRow[], slice: SliceContext): OfferLocks {
  const idsOf = (named: readonly { readonly skuId: string }[]) => [...new Set(named.map(({ skuId }) => skuId))];
  const named = new Map(Map.groupBy(partsOfRows(rows), ({ part }) => part)).set('sku', []);
  const parts = [...named.keys()].sort((one) => (one === 'sku' ? -1 : 1));
  return {
    commands: parts.map((part) => lockCommand(part, idsOf(part === 'sku' ? rows : (named.get(part) ?? [])), slice)),
    byPart: (results) => new Map(parts.map((part, index) => [part, (results[index] ?? []) as readonly LockedPart[]])),
  };
}

export interface OfferDecisions {
  readonly outcomes: readonly RowOutcome[];
  /** The parts to write, in the order of the file for each SKU and part. */
  readonly writes: readonly RowWrite[];
  /** SKUs that the rows add. */
  readonly added: ReadonlySet<string>;
}

/** Decides the outcome of each row, from the state before the slice and the SKUs that earlier rows add. */
export function decideOffers(rows: readonly OfferRow[], locked: LockedByPart, slice: SliceContext): OfferDecisions {
  const flags = new Map(locked.get('sku')?.map(([skuId, archived]) => [skuId, archived]));
  const added = new Set<string>();
  const accepted = rows.map((row) => {
    const part = firstPartOf(row);
    if (part === 'sku' && !flags.has(row.skuId)) added.add(row.skuId);
    return outcomeFor(part, skuState(added.has(row.skuId) ? false : flags.get(row.skuId)));
  });
  const all = partsOfRows(rows.filter((_, index) => accepted[index] === 'stored'));
  const newParts = all.filter(({ skuId }) => added.has(skuId));
  const writes = newParts.map((part) => rowWriteOf(part as PartRow, slice.attribution));
  const stored = new Set(newParts);
  const others = all.filter(({ skuId }) => !added.has(skuId));
  for (const [part, writesOfPart] of Map.groupBy(others, (write) => write.part)) {
    const decided = decide(writesOfPart, locked.get(part) ?? [], slice);
    writes.push(...decided.writes);
    writesOfPart.forEach((write, index) => {
      if (decided.outcomes[index] === 'stored') stored.add(write);
    });
  }
  const outcomes = rows.map(({ parts }, index) => {
    const outcome = accepted[index] as RowOutcome;
    return outcome === 'stored' && !parts.some((part) => stored.has(part)) ? 'superseded' : outcome;
  });
  return { outcomes, writes, added };
}
