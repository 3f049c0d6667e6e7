/** Writes stored JSON to responses: unchanged if possible, otherwise with the configured names. */
import type { NodeExceptions } from '../bodies/shipping-exception.ts';
import { parseExactJson, stringifyExactJson } from '../int64.ts';
import type { Names } from '../names.ts';

/** A stored SKU document with the configured names. */
export function documentJson(document: string, names: Names): string {
  if (names.areNeutral) return document;
  const fields = Object.entries(parseExactJson(document) as Record<string, unknown>);
  return stringifyExactJson(Object.fromEntries(fields.map(([name, value]) => [names.field(name), value])));
}

/** Stored shipping exceptions, as a JSON list of nodes, with the configured names. */
export function exceptionsJson(exceptions: string, names: Names): string {
  if (names.areNeutral) return exceptions;
  const nodes = JSON.parse(exceptions) as NodeExceptions[];
  return JSON.stringify(
    nodes.map((node) => ({
      ...node,
      shipping_exceptions: node.shipping_exceptions.map(({ shipping_method: method, ...rest }) => ({
        ...rest,
        ...(method === undefined ? {} : { shipping_method: names.method(method) }),
      })),
    })),
  );
}

/** Adds members, given as JSON text by name, to the JSON text of an object. Members without text are left out. */
export function spliceJson(object: string, members: Readonly<Record<string, string | null>>): string {
  let added = '';
  for (const name in members) {
    const json = members[name] as string | null;
    if (json !== null) added += `,"${name}":${json}`;
  }
  const isEmpty = object === '{}';
  return `${object.slice(0, -1)}${isEmpty ? added.slice(1) : added}}`;
}
