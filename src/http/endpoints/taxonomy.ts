/** GET /taxonomy/links/{version}, /taxonomy/nodes/{node_id}, /taxonomy/nodes/{node_id}/attributes, /taxonomy/search */
import Type from 'typebox';
import { Id, OneOf, Text, Whole } from '../../domain/check/schema.ts';
import { readId, stringifyExactJson } from '../../domain/int64.ts';
import { LIMITS } from '../../domain/limits.ts';
import { requestProblem } from '../../domain/problem.ts';
import { DATA_TYPES } from '../../domain/taxonomy/entries.ts';
import { attributeFields, foundNodeFields, nodeFields } from '../../domain/taxonomy/node-fields.ts';
import { queryWords } from '../../domain/taxonomy/search.ts';
import type { TaxonomyTree } from '../../domain/taxonomy/tree.ts';
import type { TaxonomyNode } from '../../domain/taxonomy.ts';
import { hasAtMost } from '../../domain/text.ts';
import { PAGE_QUERY, readListPage } from '../answers/list-page.ts';
import { taggedAnswer } from '../answers/tagged-answer.ts';
import type { Answer, MerchantCall, MerchantEndpoint } from '../endpoint.ts';
import { QueryReading } from '../query.ts';

export const SEARCH_LIMIT = {
  min: 1,
  max: LIMITS.taxonomy_search_limit_max,
  fallback: LIMITS.taxonomy_search_limit_default,
};

function OrNull(type: 'integer' | 'number' | 'string', said: { format?: 'int64'; description: string }) {
  return Type.Unsafe<unknown>({ type: [type, 'null'], ...said });
}

const nodeSchemas = {
  marketplace_node_id: Id(),
  marketplace_node_name: Type.String(),
  marketplace_node_path: Type.String({ description: 'The names from the department down, with ` > ` between them.' }),
  parent_id: OrNull('integer', { format: 'int64', description: 'Null for a department.' }),
  marketplace_level: Whole(0, LIMITS.taxonomy_levels_max, { description: '0 for a department.' }),
  suggested_tax_code: OrNull('string', { description: 'A value for `product_tax_code`; null where there is none.' }),
  active: Type.Boolean({ description: 'Only an active node can carry offers.' }),
};

const NodeAnswer = Type.Object(nodeSchemas);

export const AttributesAnswer = Type.Object({
  attributes: Type.Array(
    Type.Object({
      attribute_id: Id(),
      attribute_description: Type.String(),
      free_text: Type.Boolean({ description: 'Any value is taken; else one of `values`.' }),
      variant: Type.Boolean({ description: 'The members of a variation group may differ in it.' }),
      required: Type.Boolean(),
      values: Type.Array(Type.String()),
      units: Type.Array(Type.String(), { description: 'One of which goes with every value; empty where none does.' }),
      validation: Type.Object({
        data_type: OneOf(DATA_TYPES),
        min_value: OrNull('number', { description: 'Null where there is no bound.' }),
        max_value: OrNull('number', { description: 'Null where there is no bound.' }),
      }),
    }),
  ),
});

const shared = { method: 'GET', access: 'merchant', tag: 'Taxonomy', tagged: true } as const;

export const taxonomyEndpoints: readonly MerchantEndpoint[] = [
  {
    ...shared,
    id: 'listTaxonomyNodes',
    path: '/taxonomy/links/{version}',
    summary: 'List the nodes of the taxonomy, each parent before its children',
    description: 'The version is `v1`; any other answers the same. Follow `Link: rel="next"` to page on.',
    query: PAGE_QUERY,
    answer: Type.Object({
      node_urls: Type.Array(Type.String({ description: '`/taxonomy/nodes/` and the id of the node' })),
    }),
    failures: [400],
    handle: listAnswer,
  },
  {
    ...shared,
    id: 'getTaxonomyNode',
    path: '/taxonomy/nodes/{node_id}',
    summary: 'Read a node of the taxonomy',
    answer: NodeAnswer,
    failures: [404],
    handle: (call) => nodeAnswer(call, (node, tree) => nodeFields(node, tree, call.services.context.names)),
  },
  {
    ...shared,
    id: 'listTaxonomyAttributes',
    path: '/taxonomy/nodes/{node_id}/attributes',
    summary: 'Read the attributes that offers of a node have',
    description: 'Those of the nodes above are among them.',
    answer: AttributesAnswer,
    failures: [404],
    handle: (call) => nodeAnswer(call, ({ id }, tree) => ({ attributes: tree.attributes(id).map(attributeFields) })),
  },
  {
    ...shared,
    id: 'searchTaxonomy',
    path: '/taxonomy/search',
    summary: 'Find nodes of the taxonomy by words, best first',
    description: 'Every word must begin a word of the path; letter case and accents make no difference.',
    query: {
      q: {
        description: `Up to ${LIMITS.taxonomy_search_words_max} words.`,
        required: true,
        schema: Text(LIMITS.taxonomy_search_characters_max, { min: 1 }),
      },
      limit: {
        description: `How many to list; ${SEARCH_LIMIT.fallback} when absent.`,
        schema: Whole(SEARCH_LIMIT.min, SEARCH_LIMIT.max),
      },
    },
    answer: Type.Object({
      nodes: Type.Array(
        Type.Object({ ...nodeSchemas, is_leaf: Type.Boolean({ description: 'Only a leaf can carry offers.' }) }),
      ),
    }),
    failures: [400],
    handle: searchAnswer,
  },
];

function listAnswer(call: MerchantCall): Answer {
  const { services, query } = call;
  const { tree, tag } = services.taxonomy.current;
  const reading = new QueryReading(query);
  const { offset, limit } = readListPage(reading);
  if (reading.problems.length > 0) return { problems: reading.problems };
  const end = offset + limit;
  const next = `${services.publicUrl()}/taxonomy/links/v1?offset=${end}&limit=${limit}`;
  return taggedAnswer(call, tag, () => {
    const urls = tree.nodes.slice(offset, end).map(({ id }) => `/taxonomy/nodes/${id}`);
    return {
      status: 200,
      json: JSON.stringify({ node_urls: urls }),
      headers: end < tree.nodes.length ? { link: `<${next}>; rel="next"` } : {},
    };
  });
}

function nodeAnswer(call: MerchantCall, shape: (node: TaxonomyNode, tree: TaxonomyTree) => unknown): Answer {
  const { tree, tag } = call.services.taxonomy.current;
  const id = readId(call.value);
  const node = id === undefined ? undefined : tree.node(id);
  if (node === undefined) {
    return { problems: [requestProblem('taxonomy_node_not_found', 'The taxonomy has no node with this id.')] };
  }
  return taggedAnswer(call, tag, () => ({ status: 200, json: stringifyExactJson(shape(node, tree)) }));
}

function searchAnswer(call: MerchantCall): Answer {
  const { services, query } = call;
  const { tree, tag } = services.taxonomy.current;
  const reading = new QueryReading(query);
  const { q, limit } = readTaxonomySearch(reading);
  if (reading.problems.length > 0) return { problems: reading.problems };
  return taggedAnswer(call, tag, () => {
    const found = tree.search(q, limit);
    const nodes = found.map((node) => foundNodeFields(node, tree, services.context.names));
    return { status: 200, json: stringifyExactJson({ nodes }) };
  });
}

/** The words of `q`, and the maximum number of results. */
export function readTaxonomySearch(reading: QueryReading): { readonly q: string; readonly limit: number } {
  return { q: reading.required('q', searchFault), limit: reading.wholeNumber('limit', SEARCH_LIMIT) };
}

function searchFault(text: string): string | undefined {
  const words = queryWords(text).length;
  const words_max = LIMITS.taxonomy_search_words_max;
  if (words > 0 && words <= words_max && hasAtMost(text, LIMITS.taxonomy_search_characters_max)) return undefined;
  return `must have 1 to ${words_max} words in at most ${LIMITS.taxonomy_search_characters_max} characters`;
}
