/** Compares two taxonomies, matching nodes by id. */
import type { Int64 } from '../int64.ts';
import { memoized } from '../memoized.ts';
import { type AttributeEntry, entryText } from './entries.ts';
import { PATH_SEPARATOR } from './node-name.ts';
import type { TaxonomyNode, TaxonomyTree } from './tree.ts';

/** The fields of a node by the name of their change. */
const FIELDS = Object.freeze({
  name: 'name',
  parent: 'parentId',
  leaf: 'isLeaf',
  active: 'active',
  tax_code: 'suggestedTaxCode',
  needs_group: 'needsGroup',
  needs_code: 'needsCode',
  new_product_data: 'newProductData',
} as const satisfies Record<string, keyof TaxonomyNode>);
const FIELD_CHANGES = Object.keys(FIELDS) as (keyof typeof FIELDS)[];

/** What changed in a node. */
export type NodeChange = keyof typeof FIELDS | 'attributes';
export const NODE_CHANGES: readonly NodeChange[] = Object.freeze([...FIELD_CHANGES, 'attributes']);

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
  const attributesOf = attributeTexts();
  const added: TaxonomyNode[] = [];
  const changed: { readonly node: TaxonomyNode; readonly what: readonly NodeChange[] }[] = [];
  for (const node of after.nodes) {
    const known = before.node(node.id);
    if (known === undefined) {
      added.push(node);
      continue;
    }
    const what: NodeChange[] = FIELD_CHANGES.filter(
      (change) => String(known[FIELDS[change]]) !== String(node[FIELDS[change]]),
    );
    if (attributesOf(before, node.id) !== attributesOf(after, node.id)) what.push('attributes');
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

/**
 * Returns a function that gives equal sets of attributes the same short text, in any order. Equal attributes of both trees have the same
 * number, so that up to 1,000 values are compared only once.
 */
function attributeTexts() {
  let count = 0;
  const numberOfText = memoized((_text: string) => count++);
  // Attribute names are internal to one list.
  const numberOf = memoized((attribute: AttributeEntry) => numberOfText(entryText({ ...attribute, name: '' })));
  return (tree: TaxonomyTree, id: Int64): string => {
    const texts = tree.attributes(id).map(({ attribute, required }) => `${numberOf(attribute)}${required ? '!' : ''}`);
    return texts.sort().join(' ');
  };
}

function pathText(tree: TaxonomyTree, id: Int64): string {
  return tree.path(id).join(PATH_SEPARATOR);
}

function sampled<T, S>(all: readonly T[], samples_max: number, show: (one: T) => S): Sampled<S> {
  return { count: all.length, samples: all.slice(0, samples_max).map(show) };
}
