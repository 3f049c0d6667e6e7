/** Decodes the stock that offers hold as one JSON value, and encodes stock for statements that write many rows. */
import type { StoredInventory } from '../../port/offers.ts';
import { integers, jsonbs, texts } from '../engine/binary-arrays.ts';
import type { WriteOf } from './offer-commands.ts';

/** A node of the column `inventory`; `number` is that of the write that set it. */
type NodeEntry = [quantity: number, updatedMs: number, number: number];

/** `text` is the column `inventory`, with nodes in PostgreSQL's own order. */
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

/**
 * Returns four lists. Per write: its nodes as JSON, and the position of its set of node ids. Per set (most files have only a few):
 * JSON that a stock contains (`@>`) if it has all these nodes, and the history record of a write that found none of them (null for
 * the empty set).
 */
export function stockLists(
  writes: readonly WriteOf<'inventory'>[],
  number: number,
): readonly [nodes: Buffer, setPlaces: Buffer, sets: Buffer, firstRecords: Buffer] {
  const quotedIds = new Map<string, string>();
  const quoted = (nodeId: string): string => {
    const known = quotedIds.get(nodeId);
    if (known !== undefined) return known;
    const made = JSON.stringify(nodeId);
    quotedIds.set(nodeId, made);
    return made;
  };
  const placeOfSet = new Map<string, number>();
  const firstRecords: (string | null)[] = [];
  const nodeTexts: string[] = [];
  const setPlaces: number[] = [];
  for (const { nodes } of writes) {
    // Text, not an object: a node may be named `__proto__`.
    let entries = '';
    let set = '';
    for (const [nodeId, { quantity, updatedMs }] of nodes) {
      const comma = entries === '' ? '' : ',';
      entries += `${comma}${quoted(nodeId)}:[${quantity},${updatedMs},${number}]`;
      set += `${comma}${quoted(nodeId)}:[]`;
    }
    nodeTexts.push(`{${entries}}`);
    let place = placeOfSet.get(set);
    if (place === undefined) {
      // PostgreSQL arrays start at 1.
      place = placeOfSet.size + 1;
      placeOfSet.set(set, place);
      const record = Array.from(nodes.keys(), (nodeId) => `${quoted(nodeId)}:null`);
      firstRecords.push(record.length === 0 ? null : `{${record.join()}}`);
    }
    setPlaces.push(place);
  }
  const sets = Array.from(placeOfSet.keys(), (set) => `{${set}}`);
  return [jsonbs(nodeTexts), integers(setPlaces), jsonbs(sets), texts(firstRecords)];
}
