/**
 * Holds the taxonomy in memory: nodes by id, their ancestors and children, and their attributes.
 *
 * It is built entry by entry, so that a server can read a large one in slices and serve requests in between.
 */
import type { Int64 } from '../int64.ts';
import type { Taxonomy, TaxonomyNode } from '../taxonomy.ts';
import type { AttributeEntry, NodeEntry, TaxonomyEntry } from './entries.ts';
import { NameIndex, queryWords } from './search.ts';

export interface NodeAttribute {
  readonly attribute: AttributeEntry;
  readonly required: boolean;
}

/** A taxonomy and its unique tag. */
export interface TaggedTaxonomy {
  readonly tree: TaxonomyTree;
  readonly tag: string;
}

interface Place {
  /** Index in the order of the nodes. */
  readonly place: number;
  readonly node: { -readonly [K in keyof TaxonomyNode]: TaxonomyNode[K] };
  readonly entry: NodeEntry;
  readonly parent: Place | undefined;
  readonly children: TaxonomyNode[];
}

export class TaxonomyTree implements Taxonomy {
  /** Parents before their children. */
  readonly nodes: readonly TaxonomyNode[];
  readonly departments: readonly TaxonomyNode[];
  readonly #places: ReadonlyMap<Int64, Place>;
  readonly #attributes: ReadonlyMap<string, AttributeEntry>;
  readonly #names: NameIndex;

  /** Only TaxonomyBuilder calls this. */
  constructor(places: ReadonlyMap<Int64, Place>, attributes: ReadonlyMap<string, AttributeEntry>, names: NameIndex) {
    this.#places = places;
    this.#names = names;
    this.#attributes = attributes;
    this.nodes = Array.from(places.values(), ({ node }) => node);
    this.departments = this.nodes.filter(({ parentId }) => parentId === null);
  }

  node(id: Int64): TaxonomyNode | undefined {
    return this.#places.get(id)?.node;
  }

  /** The children of a node, in the order of the list. */
  children(id: Int64): readonly TaxonomyNode[] {
    return this.#place(id).children;
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
    const places = this.#names.search(queryWords(text), limit, (place) => nodes[place]?.isLeaf ?? false);
    return places.flatMap((place) => nodes[place] ?? []);
  }

  #lineage(id: Int64): readonly Place[] {
    const lineage: Place[] = [];
    for (let place: Place | undefined = this.#place(id); place !== undefined; place = place.parent) lineage.push(place);
    return lineage.reverse();
  }

  #place(id: Int64): Place {
    const place = this.#places.get(id);
    if (place === undefined) throw new Error(`The taxonomy has no node ${id}.`);
    return place;
  }
}

/** Takes checked entries, parents before their children. */
export class TaxonomyBuilder {
  readonly #places = new Map<Int64, Place>();
  readonly #attributes = new Map<string, AttributeEntry>();
  readonly #names = new NameIndex();

  add(entry: TaxonomyEntry): void {
    if (entry.kind === 'attribute') this.#attributes.set(entry.name, entry);
    else this.#addNode(entry);
  }

  build(): TaxonomyTree {
    return new TaxonomyTree(this.#places, this.#attributes, this.#names);
  }

  #addNode(entry: NodeEntry): void {
    const { id, name, parentId, active, taxCode, needsGroup } = entry;
    const parent = parentId === null ? undefined : this.#places.get(parentId);
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
    };
    const place = this.#names.add(name, parent?.place);
    this.#places.set(id, { place, node, entry, parent, children: [] });
    if (parent !== undefined) {
      parent.node.isLeaf = false;
      parent.children.push(node);
    }
  }
}
