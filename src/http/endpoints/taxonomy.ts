/** GET /taxonomy/links/{version}, /taxonomy/nodes/{node_id} with /attributes and /schema, /taxonomy/search */
import { hash } from 'node:crypto';
import { Id, OneOf, Text, Whole } from '../../domain/check/schema.ts';
import { Type } from '../../domain/check/type.ts';
import { readId, stringifyExactJson } from '../../domain/int64.ts';
import { LIMITS } from '../../domain/limits.ts';
import { requestProblem } from '../../domain/problem.ts';
import { categorySchema } from '../../domain/review/category-schema.ts';
import { SCOPE } from '../../domain/setup/key-scopes.ts';
import { DATA_TYPES } from '../../domain/taxonomy/entries.ts';
import { attributeFields, foundNodeFields, nodeFields } from '../../domain/taxonomy/node-fields.ts';
import { queryWords } from '../../domain/taxonomy/search.ts';
import type { TaxonomyNode, TaxonomyTree } from '../../domain/taxonomy/tree.ts';
import { hasAtMost } from '../../domain/text/text-rules.ts';
import { isoTime } from '../../domain/vocabulary/iso-time.ts';
import { taggedAnswer } from '../answers/tagged.ts';
import { type Answer, endpointsOf, type MerchantCall } from '../endpoint.ts';
import { PAGE_QUERY, type QueryReading, readListPage, readQuery } from '../query.ts';

export const SEARCH_LIMIT = {
  min: 1,
  max: LIMITS.taxonomy_search_limit_max,
  fallback: LIMITS.taxonomy_search_limit_default,
};

function OrNull(type: 'integer' | 'number' | 'string', said: { format?: 'int64'; description: string }) {
  return Type.Unsafe<unknown>({ type: [type, 'null'], ...said });
}

const nodeSchemas = {
  marketplace_node_id: Id({ description: 'Id of the node.' }),
  marketplace_node_name: Type.String({ description: 'Name of the category.' }),
  marketplace_node_path: Type.String({
    description: 'Names from the department down to the node, separated by ` > `.',
  }),
  parent_id: OrNull('integer', { format: 'int64', description: 'Id of the parent node. Null for a department.' }),
  marketplace_level: Whole(0, LIMITS.taxonomy_levels_max, { description: 'Depth of the node; 0 for a department.' }),
  suggested_tax_code: OrNull('string', { description: 'Suggested `product_tax_code`. Null when there is none.' }),
  active: Type.Boolean({ description: 'Offers can be listed only in active nodes.' }),
};

const NodeAnswer = Type.Object(nodeSchemas, { title: 'TaxonomyNode', description: 'A category of the taxonomy.' });

export const AttributesAnswer = Type.Object({
  attributes: Type.Array(
    Type.Object(
      {
        attribute_id: Id({ description: 'Id of the attribute.' }),
        attribute_description: Type.String({ description: 'Name of the attribute.' }),
        free_text: Type.Boolean({
          description: 'false: only one of `values` is accepted. true: any value that follows `validation`.',
        }),
        variant: Type.Boolean({
          description: 'Whether members of a variation group may have different values for this attribute.',
        }),
        required: Type.Boolean({ description: 'Whether offers in the category need this attribute to go live.' }),
        values: Type.Array(Type.String(), { description: 'Accepted values. Empty when `free_text` is true.' }),
        units: Type.Array(Type.String(), {
          description: 'Allowed units; every value needs one of them. Empty when values have no unit.',
        }),
        validation: Type.Object(
          {
            data_type: OneOf(DATA_TYPES, { description: 'Type of the value.' }),
            min_value: OrNull('number', { description: 'Minimum value. Null when there is no minimum.' }),
            max_value: OrNull('number', { description: 'Maximum value. Null when there is no maximum.' }),
          },
          { description: 'Rules for the value.' },
        ),
      },
      { title: 'TaxonomyAttribute', description: 'An attribute for offers in a category.' },
    ),
    { description: 'All attributes for the category, including those inherited from its ancestors.' },
  ),
});

const shared = {
  access: 'merchant',
  needs: SCOPE.read,
  concerns: 'no_offers',
  tag: 'Taxonomy',
  tagged: true,
} as const;

export const taxonomyEndpoints = endpointsOf(shared, {
  'GET /taxonomy/links/{version}': {
    id: 'listTaxonomyNodes',
    summary: 'List the nodes of the taxonomy, each parent before its children',
    description: 'Follow the `Link` header with `rel="next"` to get the next page.',
    query: PAGE_QUERY,
    answer: Type.Object({
      node_urls: Type.Array(Type.String(), { description: 'Path of each node: `/taxonomy/nodes/` and its id.' }),
    }),
    handle(call) {
      const { services, query } = call;
      const { tree, tag } = services.taxonomy.current;
      const page = readQuery(query, readListPage);
      if ('problems' in page) return page;
      const { offset, limit } = page;
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
    },
  },
  'GET /taxonomy/nodes/{node_id}': {
    id: 'getTaxonomyNode',
    summary: 'Read a node of the taxonomy',
    description: 'Returns its name, path and parent. Offers can be listed only in active nodes.',
    answer: NodeAnswer,
    failures: [404],
    handle: (call) => nodeAnswer(call, (node, tree) => nodeFields(node, tree, call.services.context.names)),
  },
  'GET /taxonomy/nodes/{node_id}/attributes': {
    id: 'listTaxonomyAttributes',
    summary: 'List the attributes of a node',
    description: 'Includes attributes inherited from the ancestors of the node.',
    answer: AttributesAnswer,
    failures: [404],
    handle: (call) => nodeAnswer(call, ({ id }, tree) => ({ attributes: tree.attributes(id).map(attributeFields) })),
  },
  'GET /taxonomy/nodes/{node_id}/schema': {
    id: 'getCategorySchema',
    summary: 'Read the JSON Schema of a SKU in a category',
    description:
      'Describes the whole body of a SKU upload in this category: fields, attributes with their values and units, and what is required. ' +
      'A body that is valid has no issue that the body alone decides. `x-required-when-new` lists fields that a product needs if the ' +
      'catalog does not know it. `x-upcoming` has the category part of the schema after each announced change, with its date.',
    answer: Type.Unsafe<Readonly<Record<string, unknown>>>({
      type: 'object',
      description: 'A schema in the format JSON Schema 2020-12.',
    }),
    failures: [404],
    handle: (call) => foundNode(call, (node, tree) => schemaAnswer(call, node, tree)),
  },
  'GET /taxonomy/search': {
    id: 'searchTaxonomy',
    summary: 'Search the taxonomy, best match first',
    description: 'A node matches when every search word starts a word of its path. Case and accents are ignored.',
    query: {
      q: {
        description: `Up to ${LIMITS.taxonomy_search_words_max} search words.`,
        required: true,
        schema: Text(LIMITS.taxonomy_search_characters_max, { min: 1 }),
      },
      limit: {
        description: `Maximum number of nodes to return. The default is ${SEARCH_LIMIT.fallback}.`,
        schema: Whole(SEARCH_LIMIT.min, SEARCH_LIMIT.max),
      },
    },
    answer: Type.Object({
      nodes: Type.Array(
        Type.Object({
          ...nodeSchemas,
          is_leaf: Type.Boolean({ description: 'Offers can be listed only in leaf nodes.' }),
        }),
        { description: 'Matching nodes.' },
      ),
    }),
    handle(call) {
      const { tree, tag } = call.services.taxonomy.current;
      const asked = readQuery(call.query, readTaxonomySearch);
      if ('problems' in asked) return asked;
      return taggedAnswer(call, tag, () => {
        const found = tree.search(asked.q, asked.limit);
        const nodes = found.map((node) => foundNodeFields(node, tree, call.services.context.names));
        return { status: 200, json: stringifyExactJson({ nodes }) };
      });
    },
  },
});

function nodeAnswer(call: MerchantCall, shape: (node: TaxonomyNode, tree: TaxonomyTree) => unknown): Answer {
  const { tag } = call.services.taxonomy.current;
  return foundNode(call, (node, tree) =>
    taggedAnswer(call, tag, () => ({ status: 200, json: stringifyExactJson(shape(node, tree)) })),
  );
}

function foundNode(call: MerchantCall, answer: (node: TaxonomyNode, tree: TaxonomyTree) => Answer): Answer {
  const { tree } = call.services.taxonomy.current;
  const id = readId(call.targetId);
  const node = id === undefined ? undefined : tree.node(id);
  return node === undefined ? { problems: [requestProblem('taxonomy_node_not_found')] } : answer(node, tree);
}

/** The schema also depends on announced changes and on settings, so its tag is a hash of it. */
function schemaAnswer(call: MerchantCall, node: TaxonomyNode, taxonomy: TaxonomyTree): Answer {
  const { rules, names } = call.services.context;
  const upcoming = (rules.policies.announced ?? []).flatMap(({ change, taxonomy: after }) => {
    const { announcedId: id, rule, enforcedFromMs } = change;
    return after === undefined ? [] : [{ id, rule, enforced_from: isoTime(enforcedFromMs), taxonomy: after }];
  });
  const { newProductData } = rules;
  const json = stringifyExactJson(categorySchema(node, { taxonomy, newProductData }, upcoming, names));
  return taggedAnswer(call, hash('sha256', json, 'base64url').slice(0, 22), () => ({ status: 200, json }));
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
