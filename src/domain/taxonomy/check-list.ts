/**
 * Checks whether a list of entries is a valid taxonomy. Returns every problem with its line, or the entries in the order in
 * which a tree is built. Parents may come before or after their children, attributes anywhere.
 */
import type { Int64 } from '../int64.ts';
import { LIMITS } from '../limits.ts';
import type { AttributeEntry, LineFault, NodeEntry, PlacedEntry, TaxonomyEntry } from './entries.ts';
import { treeOrder } from './tree-order.ts';

type PlacedNode = PlacedEntry<NodeEntry>;
type PlacedAttribute = PlacedEntry<AttributeEntry>;

export type CheckedList =
  | { readonly ok: true; readonly entries: readonly TaxonomyEntry[] }
  | { readonly ok: false; readonly faults: readonly LineFault[] };

/** `isWhole` is false when lines could not be read. Missing entries may be in those lines, so they are not reported. */
export function checkList(list: readonly PlacedEntry[], isWhole: boolean): CheckedList {
  const attributes = list.filter((placed): placed is PlacedAttribute => placed.entry.kind === 'attribute');
  const nodes = list.filter((placed): placed is PlacedNode => placed.entry.kind === 'node');
  const tree = treeOrder(nodes);
  const faults: LineFault[] = [
    ...sizeFaults(attributes.length, nodes.length),
    ...(isWhole && nodes.length === 0 ? [NO_NODES] : []),
    ...repeated(attributes, ({ name }) => name, 'attribute'),
    ...repeated(attributes, ({ id }) => id, 'attribute id'),
    ...attributes.flatMap(({ line, entry }) => attributeFaults(entry).map((text) => attributeFault(line, text))),
    ...repeated(nodes, ({ id }) => id, 'node'),
    ...repeated(
      nodes,
      ({ parentId, name }) => `${parentId} ${name}`,
      'name under the same parent',
      ({ name }) => name,
    ),
    ...nodes.flatMap(namedTwice),
    ...(isWhole ? unknownAttributes(nodes, new Set(attributes.map(({ entry }) => entry.name))) : []),
    ...tree.faults,
    ...(isWhole ? tree.orphans : []),
  ];
  if (faults.length > 0) return { ok: false, faults: faults.toSorted((one, other) => one.line - other.line) };
  return { ok: true, entries: [...attributes.map(({ entry }) => entry), ...tree.entries] };
}

const NO_NODES: LineFault = { code: 'taxonomy_empty', line: 0, text: 'has no nodes' };

function sizeFaults(attributes: number, nodes: number): LineFault[] {
  const tooMany = (what: string, count: number, max: number): LineFault[] =>
    count <= max
      ? []
      : [{ code: 'taxonomy_too_large', line: 0, text: `has ${count} ${what}; at most ${max} are allowed` }];
  return [
    ...tooMany('attributes', attributes, LIMITS.taxonomy_attributes_max),
    ...tooMany('nodes', nodes, LIMITS.taxonomy_nodes_max),
  ];
}

function repeated<T extends TaxonomyEntry>(
  list: readonly PlacedEntry<T>[],
  keyOf: (entry: T) => Int64 | string,
  what: string,
  shown: (entry: T) => Int64 | string = keyOf,
): LineFault[] {
  const lines = new Map<Int64 | string, number>();
  return list.flatMap(({ line, entry }) => {
    const first = lines.get(keyOf(entry));
    if (first === undefined) {
      lines.set(keyOf(entry), line);
      return [];
    }
    return [
      { code: 'taxonomy_repeated' as const, line, text: `the ${what} ${shown(entry)} is already on line ${first}` },
    ];
  });
}

function unknownAttributes(nodes: readonly PlacedNode[], known: ReadonlySet<string>): LineFault[] {
  return nodes.flatMap(({ line, entry: { required, optional } }) =>
    [...required, ...optional]
      .filter((name) => !known.has(name))
      .map((name) => attributeFault(line, `there is no attribute ${name}`)),
  );
}

function namedTwice({ line, entry: { required, optional } }: PlacedNode): LineFault[] {
  const names = [...required, ...optional];
  return names
    .filter((name, index) => names.indexOf(name) !== index)
    .map((name) => attributeFault(line, `the attribute ${name} occurs twice`));
}

function attributeFault(line: number, text: string): LineFault {
  return { code: 'taxonomy_attribute', line, text };
}

const NUMBER = /^-?\d{1,15}(?:\.\d{1,15})?$/;
const WHOLE_NUMBER = /^-?\d{1,15}$/;

/** Checks that the parts of one attribute fit together. Returns its problems, as text. */
function attributeFaults({ dataType, values, units, min, max }: AttributeEntry): string[] {
  const faults: string[] = [];
  if (dataType === 'text' && (min !== null || max !== null)) {
    faults.push('min_value and max_value need the data_type number or integer');
  }
  if (min !== null && max !== null && min > max) faults.push('min_value must not be above max_value');
  for (const [list, entries] of [['values', values] as const, ['units', units] as const]) {
    const twice = new Set(entries.filter((entry, index) => entries.indexOf(entry) !== index));
    faults.push(...Array.from(twice, (entry) => `${list}: ${JSON.stringify(entry)} occurs twice`));
  }
  if (dataType === 'text') return faults;
  const form = dataType === 'integer' ? WHOLE_NUMBER : NUMBER;
  for (const value of values) {
    if (!form.test(value))
      faults.push(`values: ${JSON.stringify(value)} is not ${dataType === 'integer' ? 'an integer' : 'a number'}`);
    else if (Number(value) < (min ?? -Infinity) || Number(value) > (max ?? Infinity)) {
      faults.push(`values: ${JSON.stringify(value)} is out of range`);
    }
  }
  return faults;
}
