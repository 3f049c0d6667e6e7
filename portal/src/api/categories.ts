/** Queries for categories and their attributes, as a merchant's pages show them. */
import { queryOptions } from '@tanstack/react-query';
import { api, ask } from './client.ts';
import type { components } from './schema.d.ts';
import type { Environment } from './session.ts';
import { titleSearches } from './title-searches.ts';

export interface Category {
  readonly id: string;
  /** Names from the department down, as one text. */
  readonly path: string;
}

/** More results than the list shows, because categories in which no offers can be listed are filtered out. */
const RESULTS_MAX = 50;
const CACHE_MS = 5 * 60_000;

/** Finds only categories in which offers can be listed. */
export const categoriesQuery = (environment: Environment, words: string) =>
  queryOptions({
    queryKey: ['categories', words],
    queryFn: () => findCategories(environment, words),
    enabled: words !== '',
    staleTime: CACHE_MS,
  });

async function findCategories(environment: Environment, words: string): Promise<Category[]> {
  const params = { path: { environment }, query: { q: words, limit: RESULTS_MAX } };
  const { nodes } = await ask(api.GET('/{environment}/taxonomy/search', { params }));
  return nodes
    .filter((node) => node.is_leaf && node.active)
    .map((node) => ({ id: String(node.marketplace_node_id), path: node.marketplace_node_path }));
}

const SUGGESTIONS_MAX = 3;

/** Finds the likeliest categories for a title. */
export const suggestionsQuery = (environment: Environment, title: string) => {
  const searches = titleSearches(title);
  return queryOptions({
    queryKey: ['categories', 'suggested', ...searches],
    queryFn: async (): Promise<readonly Category[]> => {
      for (const words of searches) {
        const found = await findCategories(environment, words);
        if (found.length > 0) return found.slice(0, SUGGESTIONS_MAX);
      }
      return [];
    },
    enabled: searches.length > 0,
    staleTime: CACHE_MS,
  });
};

export const categoryQuery = (environment: Environment, id: string) =>
  queryOptions({
    queryKey: ['category', id],
    queryFn: async (): Promise<Category> => {
      const params = { path: { environment, node_id: id } };
      const node = await ask(api.GET('/{environment}/taxonomy/nodes/{node_id}', { params }));
      return { id, path: node.marketplace_node_path };
    },
    staleTime: CACHE_MS,
    retry: false,
  });

export type Attribute = components['schemas']['ListTaxonomyAttributesAnswer']['attributes'][number];

/** Attributes of the category; empty if the category does not exist. */
export const attributesQuery = (environment: Environment, id: string) =>
  queryOptions({
    queryKey: ['attributes', id],
    queryFn: async (): Promise<readonly Attribute[]> => {
      const params = { path: { environment, node_id: id } };
      const { attributes } = await ask(api.GET('/{environment}/taxonomy/nodes/{node_id}/attributes', { params }));
      return attributes;
    },
    staleTime: CACHE_MS,
    retry: false,
  });
