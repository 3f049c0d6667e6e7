/** Use case: an operator reads a node of the taxonomy and its children, or the departments. */
import { readId } from '../../domain/int64.ts';
import { accept, type Outcome, refuseRequest } from '../../domain/outcome.ts';
import type { TaggedTaxonomy, TaxonomyNode, TaxonomyTree } from '../../domain/taxonomy/tree.ts';
import type { TaxonomyHead, TaxonomyStore } from '../../store/port/settings.ts';

export interface TaxonomySummary extends Omit<TaxonomyHead, 'importedMs'> {
  /** Time of the import; null for the starter taxonomy. */
  readonly importedMs: number | null;
  readonly leaves: number;
}

export interface Branch {
  readonly summary: TaxonomySummary;
  /** The requested node; null for the departments. */
  readonly node: TaxonomyNode | null;
  readonly children: readonly {
    readonly node: TaxonomyNode;
    readonly children: number;
    /** Number of all descendants, including the children. */
    readonly below: number;
  }[];
}

/** `id` is the text that a person typed; undefined for the departments. */
export async function readBranch(
  store: Pick<TaxonomyStore, 'readTaxonomyHead'>,
  taxonomy: TaggedTaxonomy,
  id: string | undefined,
): Promise<Outcome<Branch>> {
  const { tree } = taxonomy;
  const node = id === undefined ? null : findNode(tree, id);
  if (node === undefined) return refuseRequest('taxonomy_node_not_found', `The taxonomy has no node ${id}.`);
  const summary = summaryOf(taxonomy, await store.readTaxonomyHead());
  const children = (node === null ? tree.departments : tree.children(node.id)).map((child) => ({
    node: child,
    children: tree.children(child.id).length,
    below: countBelow(tree, child),
  }));
  return accept({ summary, node, children });
}

/** `head`: the store's record of the imported taxonomy. */
export function summaryOf({ tree, tag }: TaggedTaxonomy, head: TaxonomyHead | undefined): TaxonomySummary {
  return {
    tag,
    source: head?.source ?? 'starter',
    importedMs: head?.importedMs ?? null,
    nodes: tree.nodes.length,
    leaves: tree.nodes.filter(({ isLeaf }) => isLeaf).length,
  };
}

function findNode(tree: TaxonomyTree, id: string): TaxonomyNode | undefined {
  const nodeId = readId(id);
  return nodeId === undefined ? undefined : tree.node(nodeId);
}

function countBelow(tree: TaxonomyTree, node: TaxonomyNode): number {
  return tree.children(node.id).reduce((sum, child) => sum + 1 + countBelow(tree, child), 0);
}
