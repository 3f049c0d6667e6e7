/** In charge of the stock of an offer as its row holds it: what each node has, seen through the last zeroing of all. */
import type { StoredInventory } from '../../port/offers.ts';

/** A node of the column `inventory`; the number is that of the write which set it. */
type NodeEntry = [quantity: number, updatedMs: number, number: number];

/** `text` is the column `inventory`, whose nodes come in the order in which PostgreSQL keeps them. */
export function storedInventory(text: string, stampMs: number, zeroedNumber: number): StoredInventory {
  if (text === '{}') return { nodes: [], stampMs };
  const nodes = Object.entries(JSON.parse(text) as Record<string, NodeEntry>).map(([nodeId, entry]) => {
    const [quantity, updatedMs, number] = entry;
    // Archiving touches no node: those that were written before it count as written by it.
    const isZeroed = number < zeroedNumber;
    return {
      fulfillment_node_id: nodeId,
      quantity: isZeroed ? 0 : quantity,
      updatedMs: isZeroed ? stampMs : updatedMs,
    };
  });
  if (nodes.length > 1) nodes.sort((a, b) => byCodePoint(a.fulfillment_node_id, b.fulfillment_node_id));
  return { nodes, stampMs };
}

/** Of each node; one that was written before the last zeroing has the number of that. */
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

/** As bytes of UTF-8, which sort by code point; the comparison of strings goes by halves of surrogate pairs. */
function byCodePoint(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
