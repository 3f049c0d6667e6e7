/** In charge of answering the Taxonomy port from the built-in nodes. */
import type { Taxonomy, TaxonomyNode } from '../domain/taxonomy.ts';
import { BUILTIN_DEPARTMENTS, type BuiltinNode } from './builtin-nodes.ts';

/** Every node, parents before their children. */
export function builtinNodes(): TaxonomyNode[] {
  const flatten = (node: BuiltinNode, parentId: number | null, level: number): TaxonomyNode[] => {
    const { id, name, suggestedTaxCode = null, children = [] } = node;
    const self = { id, name, parentId, level, isLeaf: children.length === 0, active: true, suggestedTaxCode };
    return [self, ...children.flatMap((child) => flatten(child, id, level + 1))];
  };
  return BUILTIN_DEPARTMENTS.flatMap((department) => flatten(department, null, 0));
}

export function createBuiltinTaxonomy(): Taxonomy {
  const nodes = new Map(builtinNodes().map((node) => [node.id, node]));
  return { node: (id) => (typeof id === 'number' ? nodes.get(id) : undefined) };
}
