/**
 * Holds the taxonomy in memory: nodes by id, their ancestors and children, and their attributes.
 *
 * It is built entry by entry, so that a server can read a large one in slices and serve requests in between.
 */
import type { Int64 } from '../int64.ts';
import type { ProductDataField } from '../vocabulary/product-data.ts';
import type { ProductTaxCode } from '../vocabulary/tax-codes.ts';
import type { AttributeEntry, NodeEntry, TaxonomyEntry } from './entries.ts';
import { NameIndex, queryWords } from './search.ts';

/** A category. */
export interface TaxonomyNode {
  readonly id: Int64;
  readonly name: string;
  readonly parentId: Int64 | null;
  /** 0 for a department. */
  readonly level: number;
  readonly isLeaf: boolean;
  /** False if the node or one of its ancestors is inactive. */
  readonly active: boolean;
  readonly suggestedTaxCode: ProductTaxCode | null;
  /** Whether its offers need a variation group, as clothing does. */
  readonly needsGroup: boolean;
  /** Whether a product that the catalog does not know needs another code than an ASIN. True unless the taxonomy says otherwise. */
  readonly needsCode: boolean;
  /** The data that a product needs if the catalog does not know it. Null: the default of the marketplace. */
  readonly newProductData: readonly ProductDataField[] | null;
}

/** The current taxonomy, in memory, by id. */
export interface Taxonomy {
  node(id: Int64): TaxonomyNode | undefined;
}

export interface NodeAttribute {
  readonly attribute: AttributeEntry;
  readonly required: boolean;
}

/** A taxonomy and its unique tag. */
export interface TaggedTaxonomy {
  readonly tree: TaxonomyTree;
  readonly tag: string;
}

/** A node with its parent and children. */
interface TreeNode {
  /** Index in the order of the nodes. */
  readonly index: number;
  readonly node: { -readonly [K in keyof TaxonomyNode]: TaxonomyNode[K] };
  readonly entry: NodeEntry;
  readonly parent: TreeNode | undefined;
  readonly children: TaxonomyNode[];
}

export class TaxonomyTree implements Taxonomy {
  /** Parents before their children. */
  readonly nodes: readonly TaxonomyNode[];
  readonly departments: readonly TaxonomyNode[];
  readonly #byId: ReadonlyMap<Int64, TreeNode>;
  readonly #attributes: ReadonlyMap<string, AttributeEntry>;
  readonly #names: NameIndex;

  /** Only TaxonomyBuilder calls this. */
  constructor(byId: ReadonlyMap<Int64, TreeNode>, attributes: ReadonlyMap<string, AttributeEntry>, names: NameIndex) {
    this.#byId = byId;
    this.#names = names;
    this.#attributes = attributes;
    this.nodes = Array.from(byId.values(), ({ node }) => node);
    this.departments = this.nodes.filter(({ parentId }) => parentId === null);
  }

  node(id: Int64): TaxonomyNode | undefined {
    return this.#byId.get(id)?.node;
  }

  /** The children of a node, in the order of the list. */
  children(id: Int64): readonly TaxonomyNode[] {
    return this.#found(id).children;
  }

  /** Names from the department down to the node itself. */
  path(id: Int64): readonly string[] {
    return this.#lineage(id).map(({ node }) => node.name);
  }

  /** Returns own and inherited attributes. The deepest node decides whether one is required. */
  attributes(id: Int64): readonly NodeAttribute[] {
    const required = new Map<string, boolean>();
    for (const { entry } of this.#lineage(id)) {
      for (const name of entry.required) required.set(name, true);
      for (const name of entry.optional) required.set(name, false);
    }
    return Array.from(required, ([name, isRequired]) => {
      const attribute = this.#attributes.get(name);
      if (attribute === undefined) throw new Error(`The taxonomy has no attribute ${name}.`);
      return { attribute, required: isRequired };
    });
  }

  /** Nodes whose path matches all words, best first. */
  search(text: string, limit: number): readonly TaxonomyNode[] {
    const { nodes } = this;
    const found = this.#names.search(queryWords(text), limit, (index) => nodes[index]?.isLeaf ?? false);
    return found.flatMap((index) => nodes[index] ?? []);
  }

  #lineage(id: Int64): readonly TreeNode[] {
    const lineage: TreeNode[] = [];
    for (let next: TreeNode | undefined = this.#found(id); next !== undefined; next = next.parent) lineage.push(next);
    return lineage.reverse();
  }

  #found(id: Int64): TreeNode {
    const found = this.#byId.get(id);
    if (found === undefined) throw new Error(`The taxonomy has no node ${id}.`);
    return found;
  }
}

/** Takes checked entries, parents before their children. */
export class TaxonomyBuilder {
  readonly #byId = new Map<Int64, TreeNode>();
  readonly #attributes = new Map<string, AttributeEntry>();
  readonly #names = new NameIndex();

  add(entry: TaxonomyEntry): void {
    if (entry.kind === 'attribute') this.#attributes.set(entry.name, entry);
    else this.#addNode(entry);
  }

  build(): TaxonomyTree {
    return new TaxonomyTree(this.#byId, this.#attributes, this.#names);
  }

  #addNode(entry: NodeEntry): void {
    const { id, name, words, parentId, active, taxCode, needsGroup, needsCode, newProductData } = entry;
    const parent = parentId === null ? undefined : this.#byId.get(parentId);
    if (parentId !== null && parent === undefined) throw new Error(`Node ${id} came before its parent ${parentId}.`);
    const node = {
      id,
      name,
      parentId,
      level: parent === undefined ? 0 : parent.node.level + 1,
      isLeaf: true,
      active: active && (parent?.node.active ?? true),
      suggestedTaxCode: taxCode ?? parent?.node.suggestedTaxCode ?? null,
      needsGroup: needsGroup ?? parent?.node.needsGroup ?? false,
      needsCode: needsCode ?? parent?.node.needsCode ?? true,
      newProductData: newProductData ?? parent?.node.newProductData ?? null,
    };
    const index = this.#names.add(name, words, parent?.index);
    this.#byId.set(id, { index, node, entry, parent, children: [] });
    if (parent !== undefined) {
      parent.node.isLeaf = false;
      parent.children.push(node);
    }
  }
}
