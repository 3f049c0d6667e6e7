/** Compares two taxonomies, matching nodes by id. */
import type { Int64 } from '../int64.ts';
import type { TaxonomyNode } from '../taxonomy.ts';
import { type AttributeEntry, entryText } from './entries.ts';
import { PATH_SEPARATOR } from './node-name.ts';
import type { TaxonomyTree } from './tree.ts';

export const NODE_CHANGES = Object.freeze([
  'name',
  'parent',
  'leaf',
  'active',
  'tax_code',
  'needs_group',
  'attributes',
] as const);

/** The changed fields of a node. */
export type NodeChange = (typeof NODE_CHANGES)[number];

/** The number of nodes, and the first of them in the order of the taxonomy. */
export interface Sampled<T> {
  readonly count: number;
  readonly samples: readonly T[];
}

export interface ShownNode {
  readonly id: Int64;
  /** Names from the department down. */
  readonly path: string;
}

export interface ChangedNode extends ShownNode {
  readonly pathBefore: string;
  readonly what: readonly NodeChange[];
}

export interface TaxonomyChanges {
  readonly added: Sampled<ShownNode>;
  readonly removed: Sampled<ShownNode>;
  readonly changed: Sampled<ChangedNode>;
}

export function compareTaxonomies(before: TaxonomyTree, after: TaxonomyTree, samples_max: number): TaxonomyChanges {
  const numbers = new AttributeNumbers();
  const added: TaxonomyNode[] = [];
  const changed: { readonly node: TaxonomyNode; readonly what: readonly NodeChange[] }[] = [];
  for (const node of after.nodes) {
    const known = before.node(node.id);
    if (known === undefined) {
      added.push(node);
      continue;
    }
    const what = changesOf(known, node);
    if (numbers.of(before, node.id) !== numbers.of(after, node.id)) what.push('attributes');
    if (what.length > 0) changed.push({ node, what });
  }
  const removed = before.nodes.filter(({ id }) => after.node(id) === undefined);
  const shown = (tree: TaxonomyTree) => (node: TaxonomyNode) => ({ id: node.id, path: pathText(tree, node.id) });
  return {
    added: sampled(added, samples_max, shown(after)),
    removed: sampled(removed, samples_max, shown(before)),
    changed: sampled(changed, samples_max, ({ node, what }) => {
      return { ...shown(after)(node), pathBefore: pathText(before, node.id), what };
    }),
  };
}

function changesOf(before: TaxonomyNode, after: TaxonomyNode): NodeChange[] {
  return [
    ...(before.name === after.name ? [] : ['name' as const]),
    ...(before.parentId === after.parentId ? [] : ['parent' as const]),
    ...(before.isLeaf === after.isLeaf ? [] : ['leaf' as const]),
    ...(before.active === after.active ? [] : ['active' as const]),
    ...(before.suggestedTaxCode === after.suggestedTaxCode ? [] : ['tax_code' as const]),
    ...(before.needsGroup === after.needsGroup ? [] : ['needs_group' as const]),
  ];
}

/** Gives equal attributes of both trees the same number, so that up to 1,000 values are compared only once. */
class AttributeNumbers {
  readonly #numbers = new Map<string, number>();
  readonly #known = new Map<AttributeEntry, number>();

  /** A short text that is equal for equal sets of attributes, in any order. */
  of(tree: TaxonomyTree, id: Int64): string {
    return tree
      .attributes(id)
      .map(({ attribute, required }) => `${this.#numberOf(attribute)}${required ? '!' : ''}`)
      .sort()
      .join(' ');
  }

  #numberOf(attribute: AttributeEntry): number {
    const known = this.#known.get(attribute);
    if (known !== undefined) return known;
    // Attribute names are internal to one list.
    const text = entryText({ ...attribute, name: '' });
    const number = this.#numbers.get(text) ?? this.#numbers.size;
    this.#numbers.set(text, number);
    this.#known.set(attribute, number);
    return number;
  }
}

function pathText(tree: TaxonomyTree, id: Int64): string {
  return tree.path(id).join(PATH_SEPARATOR);
}

function sampled<T, S>(all: readonly T[], samples_max: number, show: (one: T) => S): Sampled<S> {
  return { count: all.length, samples: all.slice(0, samples_max).map(show) };
}
