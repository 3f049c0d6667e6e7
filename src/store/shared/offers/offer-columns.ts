/**
 * Reads parts of offers in one form on both engines. PostgreSQL stores them in columns of the offer. On SQLite, these SQL texts build such
 * columns from the tables of the SKU `s` and its group `g`.
 */
import { parseExactJson } from '../../../domain/int64.ts';
import type { GroupUpload, NodePrice, ShownOffer, StoredInventory } from '../../../domain/offers/part.ts';
import { type Evidence, NO_EVIDENCE } from '../../../domain/review/facts.ts';
import { byCodePoint } from '../../../domain/text/text-rules.ts';
import type { Status, SubStatus } from '../../../domain/vocabulary/statuses.ts';
import type { StoredReview } from '../../port/offers.ts';
import { clearableIn } from './clearable-parts.ts';

/** The children of the group `g` in order, as JSON text. */
export const SQLITE_CHILDREN = `(
    SELECT json_group_array(child.sku_id ORDER BY m.position)
    FROM variation_member m JOIN sku child ON child.id = m.sku
    WHERE m.parent = g.parent AND m.sku <> g.parent
  )`;

/** The group of the parent `s`, or nulls. */
export const SQLITE_GROUP_COLUMNS = `g.refinements, g.title, CASE WHEN g.parent IS NOT NULL THEN ${SQLITE_CHILDREN} END`;

/** Values: see `storedInventory`. */
export const SQLITE_STOCK = `(
    SELECT json_group_object(i.node_id, json_array(i.quantity, i.updated_ms, i.number))
    FROM inventory i WHERE i.sku = s.id
  )`;

/** The nodes of the SKU `s` in key order: ORDER BY would sort them, which takes 3 of the 14 us of a read. */
export const SQLITE_STOCK_NODES = '(SELECT json_group_array(i.node_id) FROM inventory i WHERE i.sku = s.id)';
export const SQLITE_IN_GROUP = 'EXISTS (SELECT 1 FROM variation_member m WHERE m.sku = s.id)';

/** Nulls unless the SKU is the parent of a group; `children` is JSON text, or null if PostgreSQL finds none. */
export type GroupColumns = readonly [refinements: string | null, title: string | null, children: string | null];

export function groupOf([refinements, title, children]: GroupColumns): GroupUpload | null {
  return refinements === null ? null : { refinements, title, childrenSkus: JSON.parse(children ?? '[]') };
}

export type Flag = boolean | 0 | 1;
export type ShownColumns = readonly [document: string, tag: string, archived: Flag, ...GroupColumns];

/** The texts of parts that can be cleared start at the given index. */
export function shownOf(row: readonly [...ShownColumns, ...unknown[]], clearableFrom: number): ShownOffer {
  const [document, documentTag, archived, refinements, title, children] = row;
  return {
    document,
    documentTag,
    archived: Boolean(archived),
    clearable: clearableIn(row, clearableFrom),
    group: groupOf([refinements, title, children]),
  };
}

const NONE: readonly never[] = Object.freeze([]);

/** Reads the evidence of the last review; null before the first. */
export function evidenceIn(text: string | null): Evidence {
  return text === null ? NO_EVIDENCE : (parseExactJson(text) as Evidence);
}

/** Returns the last verdict; null while the offer is due, and before the first review. Offers nearly always have no sub-status. */
export function verdictOf(
  isDue: boolean,
  status: Status | null,
  subStatuses: string | null,
  rules: string | null,
): StoredReview | null {
  if (isDue || status === null || subStatuses === null || rules === null) return null;
  return { status, subStatuses: subStatuses === '[]' ? NONE : (JSON.parse(subStatuses) as SubStatus[]), rules };
}

/** Offers nearly always have the same price at all nodes. */
export function nodePrices(text: string): readonly NodePrice[] {
  return text === '[]' ? NONE : JSON.parse(text);
}

/** A node of the stock; `number` is the sequence number of the write that set it. */
type NodeEntry = [quantity: number, updatedMs: number, number: number];

/** `text` has the nodes in any order. */
export function storedInventory(text: string, stampMs: number, zeroedNumber: number): StoredInventory {
  if (text === '{}') return { nodes: [], stampMs };
  const entries = Object.entries(JSON.parse(text) as Record<string, NodeEntry>);
  const nodes = entries.map(([fulfillment_node_id, [quantity, updatedMs, number]]) => {
    // Archiving changes no node: nodes with a lower number read as zero.
    return number < zeroedNumber
      ? { fulfillment_node_id, quantity: 0, updatedMs: stampMs }
      : { fulfillment_node_id, quantity, updatedMs };
  });
  if (nodes.length > 1) nodes.sort((a, b) => byCodePoint(a.fulfillment_node_id, b.fulfillment_node_id));
  return { nodes, stampMs };
}

/** Returns the number of each node; `zeroedNumber` for nodes that were written before it. */
export function nodeNumbers(text: string, zeroedNumber: number): ReadonlyMap<string, number> {
  const nodes = Object.entries(JSON.parse(text) as Record<string, NodeEntry>);
  return new Map(nodes.map(([nodeId, [, , number]]) => [nodeId, Math.max(number, zeroedNumber)]));
}

/** Returns ids in order. `text` is the stock on PostgreSQL, and SQLITE_STOCK_NODES on SQLite. */
export function stockNodeIds(text: string): readonly string[] {
  if (text === '{}' || text === '[]') return NONE;
  const stock = JSON.parse(text);
  return Array.isArray(stock) ? stock : Object.keys(stock).sort(byCodePoint);
}
