/** Formats changes to the parts of an offer for responses: the values of each part, and where they differ. */
import { isObject } from '../check/compile.ts';
import { parseExactJson } from '../int64.ts';
import type { Names } from '../names.ts';
import { valueOn } from './history.ts';
import type { Part, PartChange } from './part.ts';
import { PART } from './parts.ts';

export interface Values<T> {
  readonly before: T;
  readonly after: T;
}

/** Returns the values of a part in the format of its own call. Stored JSON is not parsed, so that integers beyond 2^53 stay exact. */
export function valuesJson(change: PartChange, names: Names): Values<string | null> {
  const part: Part = PART[change.part];
  const [before, after] = [valueOn('before', change), valueOn('after', change)];
  return {
    before: before === null ? null : part.json(before, names),
    after: after === null ? null : part.json(after, names),
  };
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

/** Returns the members that differ. Lists are compared as a whole, because the index of an element has no meaning across two lists. */
export function differences(pointer: string, before: unknown, after: unknown): readonly Difference[] {
  if (!isObject(before) || !isObject(after)) {
    return isSame(before, after) ? [] : [{ pointer, before, after }];
  }
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) => {
    const token = name.replaceAll('~', '~0').replaceAll('/', '~1');
    return differences(`${pointer}/${token}`, memberOf(before, name), memberOf(after, name));
  });
}

/** Compares JSON values. */
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other;
  const members = Object.entries(one);
  return (
    Array.isArray(one) === Array.isArray(other) &&
    members.length === Object.keys(other).length &&
    members.every(([name, value]) => isSame(value, memberOf(other as Readonly<Record<string, unknown>>, name)))
  );
}

/** Reads own properties only, because a node may be named `constructor`. */
function memberOf(value: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : null;
}
