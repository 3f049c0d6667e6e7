/** Reads the taxonomy: the categories of the marketplace and their attributes. */
import { lastOf, PAGE, pathTo, type Session } from './session.ts';
import type { FoundTaxonomyNode, TaxonomyAttribute, TaxonomyNode } from './types.ts';

/** Ids beyond 2^53 are read as bigint. */
export type NodeId = number | bigint | string;

export class Taxonomy {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Yields the ids of all nodes, each parent before its children. */
  async *nodes(): AsyncGenerator<string> {
    for (let offset = 0; ; offset += PAGE) {
      const query = { offset, limit: PAGE };
      const { node_urls } = await this.#session.value<{ node_urls: string[] }>('GET', '/taxonomy/links/v1', { query });
      yield* node_urls.map(lastOf);
      if (node_urls.length < PAGE) return;
    }
  }

  /** Returns undefined if the node does not exist. */
  async node(nodeId: NodeId): Promise<TaxonomyNode | undefined> {
    return (await this.#session.found<TaxonomyNode>(pathTo`/taxonomy/nodes/${nodeId}`))?.value;
  }

  /** Returns the attributes of a node, including inherited ones; undefined if the node does not exist. */
  async attributes(nodeId: NodeId): Promise<TaxonomyAttribute[] | undefined> {
    const path = pathTo`/taxonomy/nodes/${nodeId}/attributes`;
    return (await this.#session.found<{ attributes: TaxonomyAttribute[] }>(path))?.value.attributes;
  }

  /** Returns the JSON Schema of a SKU in this category; undefined if the node does not exist. */
  async schema(nodeId: NodeId): Promise<Readonly<Record<string, unknown>> | undefined> {
    return (await this.#session.found<Record<string, unknown>>(pathTo`/taxonomy/nodes/${nodeId}/schema`))?.value;
  }

  /** Finds nodes whose path has all words, best match first. */
  async search(q: string, limit?: number): Promise<FoundTaxonomyNode[]> {
    const query = { q, limit };
    return (await this.#session.value<{ nodes: FoundTaxonomyNode[] }>('GET', '/taxonomy/search', { query })).nodes;
  }
}
