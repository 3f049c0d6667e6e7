/** In charge of categories as a merchant's pages read them. */
import { queryOptions } from '@tanstack/react-query';
import { api, ask } from './client.ts';
import type { components } from './schema.d.ts';
import type { Environment } from './session.ts';

export interface Category {
  readonly id: string;
  /** The names from the department down. */
  readonly path: string;
}

/** More than are shown: those that cannot carry offers are left out. */
const FOUND_MAX = 50;
const KEPT_MS = 5 * 60_000;

/** Those that can carry offers. */
export const categoriesQuery = (environment: Environment, words: string) =>
  queryOptions({
    queryKey: ['categories', words],
    queryFn: async (): Promise<Category[]> => {
      const params = { path: { environment }, query: { q: words, limit: FOUND_MAX } };
      const { nodes } = await ask(api.GET('/{environment}/taxonomy/search', { params }));
      return nodes
        .filter((node) => node.is_leaf && node.active)
        .map((node) => ({ id: String(node.marketplace_node_id), path: node.marketplace_node_path }));
    },
    enabled: words !== '',
    staleTime: KEPT_MS,
  });

export const categoryQuery = (environment: Environment, id: string) =>
  queryOptions({
    queryKey: ['category', id],
    queryFn: async (): Promise<Category> => {
      const params = { path: { environment, node_id: id } };
      const node = await ask(api.GET('/{environment}/taxonomy/nodes/{node_id}', { params }));
      return { id, path: node.marketplace_node_path };
    },
    staleTime: KEPT_MS,
    retry: false,
  });

export type Attribute = components['schemas']['ListTaxonomyAttributesAnswer']['attributes'][number];

/** That offers of the category have; none where there is no such category. */
export const attributesQuery = (environment: Environment, id: string) =>
  queryOptions({
    queryKey: ['attributes', id],
    queryFn: async (): Promise<readonly Attribute[]> => {
      const params = { path: { environment, node_id: id } };
      const { attributes } = await ask(api.GET('/{environment}/taxonomy/nodes/{node_id}/attributes', { params }));
      return attributes;
    },
    staleTime: KEPT_MS,
    retry: false,
  });
