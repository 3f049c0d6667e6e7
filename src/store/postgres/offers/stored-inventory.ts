/** Stock as rows of offers hold it, seen through the last zeroing of all, and as statements that write many take it. */
import type { StoredInventory } from '../../port/offers.ts';
import { integers, jsonbs, texts } from '../engine/binary-arrays.ts';
import type { RowWrite } from './offer-commands.ts';

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

type StockWrite = Extract<RowWrite, { readonly kind: 'inventory' }>;

/**
 * Four lists: JSON of the nodes of each write; the place of its set of nodes; and, of these sets, of which most files have one
 * or a few, two texts. One is JSON that the stock contains when all of its nodes have a record: every list contains the empty
 * one. The other is what the history has of a write that found none of them, null for a set of none.
 */
export function stockLists(
  writes: readonly StockWrite[],
  number: number,
): readonly [nodes: Buffer, setPlaces: Buffer, sets: Buffer, firsts: Buffer] {
  const quotedIds = new Map<string, string>();
  const quoted = (nodeId: string): string => {
    const known = quotedIds.get(nodeId);
    if (known !== undefined) return known;
    const made = JSON.stringify(nodeId);
    quotedIds.set(nodeId, made);
    return made;
  };
  const placeOfSet = new Map<string, number>();
  const firsts: (string | null)[] = [];
  const nodeTexts: string[] = [];
  const setPlaces: number[] = [];
  for (const { nodes } of writes) {
    // Text, not an object: a node may bear a name that objects have a meaning for.
    let entries = '';
    let set = '';
    for (const [nodeId, { quantity, updatedMs }] of nodes) {
      const comma = entries === '' ? '' : ',';
      entries += `${comma}${quoted(nodeId)}:[${quantity},${updatedMs},${number}]`;
      set += `${comma}${quoted(nodeId)}:[]`;
    }
    nodeTexts.push(`{${entries}}`);
    // Lists of PostgreSQL begin with place 1.
    const known = placeOfSet.get(set);
    const place = known ?? placeOfSet.size + 1;
    if (known === undefined) {
      placeOfSet.set(set, place);
      firsts.push(firstOf(nodes.keys().map(quoted)));
    }
    setPlaces.push(place);
  }
  const sets = Array.from(placeOfSet.keys(), (set) => `{${set}}`);
  return [jsonbs(nodeTexts), integers(setPlaces), jsonbs(sets), texts(firsts)];
}

function firstOf(quotedIds: Iterable<string>): string | null {
  const nodes = Array.from(quotedIds, (quoted) => `${quoted}:null`);
  return nodes.length === 0 ? null : `{${nodes.join()}}`;
}
