/** In charge of the stock of many offers as a statement takes it: what each gets, and which nodes that names. */
import { integers, jsonbs, texts } from '../engine/binary-arrays.ts';
import type { RowWrite } from './offer-commands.ts';

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
