/** Decodes the stock of an offer from one JSON value: a column on PostgreSQL, and an aggregate of rows on SQLite. */
import type { StoredInventory } from '../port/offers.ts';

/** A node of the stock; `number` is that of the write that set it. */
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

/** The number of each node; `zeroedNumber` for nodes that were written before it. */
export function nodeNumbers(text: string, zeroedNumber: number): ReadonlyMap<string, number> {
  const nodes = Object.entries(JSON.parse(text) as Record<string, NodeEntry>);
  return new Map(nodes.map(([nodeId, [, , number]]) => [nodeId, Math.max(number, zeroedNumber)]));
}

const NO_NODES: readonly string[] = Object.freeze([]);

/** In order of node id. */
export function stockNodeIds(text: string): readonly string[] {
  if (text === '{}') return NO_NODES;
  const nodeIds = Object.keys(JSON.parse(text));
  return nodeIds.length > 1 ? nodeIds.sort(byCodePoint) : nodeIds;
}

/** UTF-8 bytes sort by code point; JavaScript strings sort by halves of surrogate pairs. */
function byCodePoint(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
