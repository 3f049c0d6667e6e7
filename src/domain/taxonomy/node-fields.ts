/** Formats nodes and their attributes, for the API and the command line alike. */
import type { Names } from '../names.ts';
import { PATH_SEPARATOR } from './node-name.ts';
import type { NodeAttribute, TaxonomyNode, TaxonomyTree } from './tree.ts';

export function nodeFields(node: TaxonomyNode, tree: TaxonomyTree, names: Names): Readonly<Record<string, unknown>> {
  return {
    [names.field('marketplace_node_id')]: node.id,
    [names.field('marketplace_node_name')]: node.name,
    [names.field('marketplace_node_path')]: tree.path(node.id).join(PATH_SEPARATOR),
    parent_id: node.parentId,
    [names.field('marketplace_level')]: node.level,
    suggested_tax_code: node.suggestedTaxCode,
    active: node.active,
  };
}

/** Search results show `is_leaf`, because only offers in leaves can be live. */
export function foundNodeFields(
  node: TaxonomyNode,
  tree: TaxonomyTree,
  names: Names,
): Readonly<Record<string, unknown>> {
  return { ...nodeFields(node, tree, names), is_leaf: node.isLeaf };
}

export function attributeFields({ attribute, required }: NodeAttribute) {
  return {
    attribute_id: attribute.id,
    attribute_description: attribute.description,
    free_text: attribute.values.length === 0,
    variant: attribute.variant,
    required,
    values: attribute.values,
    units: attribute.units,
    validation: { data_type: attribute.dataType, min_value: attribute.min, max_value: attribute.max },
  };
}
