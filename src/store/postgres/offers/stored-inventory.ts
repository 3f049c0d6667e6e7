/** Encodes stock for statements that write many rows. Offers hold it as one JSON value (see shared/offers/offer-columns.ts). */
import { memoized } from '../../../domain/memoized.ts';
import { integers, jsonbs, texts } from '../engine/binary-arrays.ts';
import type { WriteOf } from './offer-commands.ts';

/**
 * Returns four lists. Per write: its nodes as JSON, and the position of its set of node ids. Per set (most files have only a few):
 * JSON that a stock contains (`@>`) if it has all these nodes, and the history record of a write that found none of them (null for
 * the empty set).
 */
export function stockLists(writes: readonly WriteOf<'inventory'>[], number: number): readonly Buffer[] {
  const quoted = memoized((nodeId: string) => JSON.stringify(nodeId));
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
    let index = placeOfSet.get(set);
    if (index === undefined) {
      // PostgreSQL arrays start at 1.
      index = placeOfSet.size + 1;
      placeOfSet.set(set, index);
      const record = Array.from(nodes.keys(), (nodeId) => `${quoted(nodeId)}:null`);
      firstRecords.push(record.length === 0 ? null : `{${record.join()}}`);
    }
    setPlaces.push(index);
  }
  const sets = Array.from(placeOfSet.keys(), (set) => `{${set}}`);
  return [jsonbs(nodeTexts), integers(setPlaces), jsonbs(sets), texts(firstRecords)];
}
