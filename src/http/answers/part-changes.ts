/** Formats changes to the parts of an offer for responses: the values of each part, and where they differ. */
import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../domain/check/compile.ts';
import { parseExactJson } from '../../domain/int64.ts';
import type { Names } from '../../domain/names.ts';
import type { NodeChange, PartChange } from '../../domain/offers/history.ts';
import { groupMembersJson } from '../endpoints/get-variation.ts';
import { documentJson, exceptionsJson, spliceJson } from './stored-json.ts';

export interface Values<T> {
  readonly before: T;
  readonly after: T;
}

/** Returns the values of a part in the format of its own call. Stored JSON is not parsed, so that integers beyond 2^53 stay exact. */
export function valuesJson(change: PartChange, names: Names): Values<string | null> {
  switch (change.part) {
    case 'sku':
      return eachOf(change, (document) => documentJson(document, names));
    case 'price':
      return eachOf(change, ({ price, nodes }) => JSON.stringify({ price, fulfillment_nodes: nodes }));
    case 'inventory':
      return { before: quantitiesJson(change.nodes, 'before'), after: quantitiesJson(change.nodes, 'after') };
    case 'archive':
      return eachOf(change, (archived) => JSON.stringify({ is_archived: archived }));
    case 'variation':
      return eachOf(change, (group) => spliceJson('{}', groupMembersJson(group)));
    case 'shipping_exception':
      return eachOf(change, (exceptions) => `{"fulfillment_nodes":${exceptionsJson(exceptions, names)}}`);
    case 'returns_exception':
      return eachOf(change, (locationIds) => JSON.stringify({ return_location_ids: locationIds }));
  }
}

function eachOf<T>({ before, after }: Values<T | null>, toJson: (value: T) => string): Values<string | null> {
  return { before: before === null ? null : toJson(before), after: after === null ? null : toJson(after) };
}

/** Leaves out nodes without a quantity. Returns null when no node has one. */
function quantitiesJson(nodes: readonly NodeChange[], side: 'before' | 'after'): string | null {
  const known = nodes.filter((node) => node[side] !== null).map((node) => [node.nodeId, node[side]]);
  return known.length === 0 ? null : JSON.stringify(Object.fromEntries(known));
}

export interface Difference extends Values<unknown> {
  /** A JSON pointer that starts with the part: `/price/fulfillment_nodes`. */
  readonly pointer: string;
}

/** Returns the fields of the part that differ. */
export function differencesOf(change: PartChange, names: Names): readonly Difference[] {
  const json = valuesJson(change, names);
  // Only changed nodes are listed, so null does not mean that there is no stock.
  const none = change.part === 'inventory' ? '{}' : 'null';
  return differences(`/${change.part}`, parseExactJson(json.before ?? none), parseExactJson(json.after ?? none));
}

/** Lists are compared as a whole, because the index of an element has no meaning across two lists. */
function differences(pointer: string, before: unknown, after: unknown): readonly Difference[] {
  if (!isObject(before) || !isObject(after)) {
    return isDeepStrictEqual(before, after) ? [] : [{ pointer, before, after }];
  }
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) => {
    const token = name.replaceAll('~', '~0').replaceAll('/', '~1');
    return differences(`${pointer}/${token}`, memberOf(before, name), memberOf(after, name));
  });
}

/** Reads own properties only, because a node may be named `constructor`. */
function memberOf(value: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : null;
}
