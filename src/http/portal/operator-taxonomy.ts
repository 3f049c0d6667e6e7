/** GET /taxonomy/tree, for all people; GET /taxonomy/search, POST /taxonomy/preview, POST /taxonomy/import: for operators. */
import { Id, OneOf, Text, Whole } from '../../domain/check/schema.ts';
import { type Static, Type } from '../../domain/check/type.ts';
import { stringifyExactJson } from '../../domain/int64.ts';
import { LIMITS } from '../../domain/limits.ts';
import { requestProblem } from '../../domain/problem.ts';
import { NODE_CHANGES } from '../../domain/taxonomy/compare.ts';
import { attributeFields } from '../../domain/taxonomy/node-fields.ts';
import { PATH_SEPARATOR } from '../../domain/taxonomy/node-name.ts';
import type { TaxonomyNode, TaxonomyTree } from '../../domain/taxonomy/tree.ts';
import { hasAtMost, hasForbiddenCharacter, isBlank } from '../../domain/text/text-rules.ts';
import { PORTAL_ROLE_NAMES } from '../../domain/vocabulary/portal-roles.ts';
import { PRODUCT_DATA } from '../../domain/vocabulary/product-data.ts';
import type { ChangeGate } from '../../operations/review/rule-change.ts';
import { resetTaxonomy } from '../../operations/taxonomy/import-taxonomy.ts';
import type { TaxonomyPreview } from '../../operations/taxonomy/preview-taxonomy.ts';
import { type Branch, readBranch, type TaxonomySummary } from '../../operations/taxonomy/read-branch.ts';
import { TAXONOMY_FORMATS } from '../../operations/taxonomy/read-taxonomy-file.ts';
import { foundAnswer } from '../answers/answers.ts';
import { endpointsOf } from '../endpoint.ts';
import { AttributesAnswer, readTaxonomySearch, SEARCH_LIMIT } from '../endpoints/taxonomy.ts';
import { limitParameter, parameterShown, readQuery, textParameter } from '../query.ts';
import { Count, isoTimeOrNull, OrNull, Time } from './answer-schemas.ts';
import { DATED_CHANGE, DatedFields, gateOf, impactJson, NoImpact, ruleChangeAnswer } from './rule-change-call.ts';

const PathText = Type.String({ description: 'The names from the department down, with ` > ` between them.' });

const nodeFields = {
  id: Id({ description: 'Id of the node.' }),
  name: Type.String({ description: 'Name of the node.' }),
  path: PathText,
  is_leaf: Type.Boolean({ description: 'Only offers in leaves can be live.' }),
  active: Type.Boolean({ description: 'Only offers in active nodes can be live.' }),
};

/** The current taxonomy, shared with the health of the system. */
export const TaxonomyHeadAnswer = Type.Object({
  tag: Type.String({ description: 'Tag that identifies the taxonomy.' }),
  source: Type.String({ description: 'Source of the taxonomy; `starter` for the built-in one.' }),
  imported: OrNull(Time('Time of the import.'), 'Null for the starter taxonomy. ISO 8601, UTC.'),
  nodes: Count('Number of nodes.'),
});

export function taxonomyHeadJson({
  tag,
  source,
  importedMs,
  nodes,
}: Omit<TaxonomySummary, 'leaves'>): Static<typeof TaxonomyHeadAnswer> {
  return { tag, source, imported: isoTimeOrNull(importedMs), nodes };
}

const TreeAnswer = Type.Object(
  {
    taxonomy: Type.Object(
      { ...TaxonomyHeadAnswer.properties, leaves: Count('Nodes without children.') },
      { description: 'The active taxonomy.' },
    ),
    node: OrNull(
      Type.Object({
        ...nodeFields,
        parent: OrNull(Id(), 'Null for a department.'),
        suggested_tax_code: OrNull(Type.String(), 'Null if there is none.'),
        needs_group: Type.Boolean({ description: 'Its offers need a variation group.' }),
        new_product_data: OrNull(
          Type.Array(OneOf(PRODUCT_DATA)),
          'Fields that a product needs if the catalog does not know it. Null: those of `NEW_PRODUCT_DATA`.',
        ),
        needs_code: Type.Boolean({
          description: 'Products that the catalog does not know need another code than an ASIN.',
        }),
        ...AttributesAnswer.properties,
      }),
      'The requested node; null for the departments.',
    ),
    children: Type.Array(
      Type.Object({
        ...nodeFields,
        children: Count('Direct children.'),
        below: Count('All descendants.'),
      }),
      { description: 'The children of the node, or the departments.' },
    ),
  },
  { title: 'TaxonomyBranch' },
);

const SearchAnswer = Type.Object({ nodes: Type.Array(Type.Object(nodeFields), { description: 'Best first.' }) });

const Sample = Type.Object({ id: nodeFields.id, path: PathText });

const PreviewAnswer = Type.Object({
  problems: Type.Array(
    Type.Object({
      line: OrNull(Whole(1, LIMITS.count_max), 'Line of the problem; null if it is not on a particular line.'),
      message: Type.String({ description: 'What is wrong.' }),
    }),
    {
      description: `Problems of the file, in line order, the first ${LIMITS.taxonomy_problems_shown_max}.`,
    },
  ),
  problems_total: Count('Number of all problems, including problems that are not listed.'),
  format: OneOf(TAXONOMY_FORMATS, { description: 'Format of the file.' }),
  nodes: Count('Nodes in the file; this and the following counts are 0 if it has problems.'),
  added: Count('New nodes.'),
  removed: Count('Removed nodes; their offers get the issue "Invalid category".'),
  changed: Count('Changed nodes with the same id.'),
  samples: Type.Object(
    {
      added: Type.Array(Sample, { description: 'New nodes.' }),
      removed: Type.Array(Sample, { description: 'Removed nodes.' }),
      changed: Type.Array(
        Type.Object({
          ...Sample.properties,
          path_before: PathText,
          what: Type.Array(OneOf(NODE_CHANGES), { description: 'What changes.' }),
        }),
        { description: 'Changed nodes with the same id.' },
      ),
    },
    { description: `The first ${LIMITS.taxonomy_samples_max} of each.` },
  ),
  impact: NoImpact,
});

const shared = { access: 'person', roles: ['operator'], tag: 'Taxonomy' } as const;

const transfer = {
  direction: 'in',
  description:
    'Lines of JSON (docs/reference/taxonomy-format.md), or the text file of the Google product taxonomy with ids; at ' +
    `most ${LIMITS.taxonomy_file_bytes_max} bytes.`,
  types: ['application/x-ndjson', 'text/plain', 'application/octet-stream'],
} as const;

export const operatorTaxonomyEndpoints = endpointsOf(shared, {
  'GET /taxonomy/tree': {
    id: 'getTaxonomyTree',
    summary: 'Read a node of the taxonomy and its children, or the departments',
    description: 'Reads one level at a time. For merchants too, who browse it for the category of an offer.',
    roles: PORTAL_ROLE_NAMES,
    query: { parent: { description: 'Id of the node. If absent, the departments are listed.', schema: Id() } },
    answer: TreeAnswer,
    failures: [404],
    async handle({ services, query }) {
      const parent = textParameter(query, 'parent');
      if ('problem' in parent) return { problems: [parent.problem] };
      const { current } = services.taxonomy;
      const branch = await readBranch(services.setup.store.taxonomy, current, parent.value);
      return foundAnswer(branch, (found) => stringifyExactJson(branchJson(found, current.tree)));
    },
  },
  'GET /taxonomy/search': {
    id: 'searchTaxonomyTree',
    summary: 'Find nodes of the taxonomy by words, best first',
    description: 'Searches as `GET /taxonomy/search` does for merchants.',
    query: {
      q: {
        description: `Up to ${LIMITS.taxonomy_search_words_max} words.`,
        required: true,
        schema: Text(LIMITS.taxonomy_search_characters_max, { min: 1 }),
      },
      limit: limitParameter(SEARCH_LIMIT),
    },
    answer: SearchAnswer,
    handle({ services, query }) {
      const { tree } = services.taxonomy.current;
      const asked = readQuery(query, readTaxonomySearch);
      if ('problems' in asked) return asked;
      const nodes = tree.search(asked.q, asked.limit).map((node) => nodeJson(node, tree));
      return { status: 200, json: stringifyExactJson({ nodes } satisfies Static<typeof SearchAnswer>) };
    },
  },
  'POST /taxonomy/preview': {
    id: 'previewTaxonomy',
    summary: 'Preview a taxonomy file: its problems, and what its import would change',
    description: 'Stores nothing.',
    transfer,
    unhurried: true,
    answer: PreviewAnswer,
    act: 'none',
    async handle(call) {
      const gate = gateOf(call, 'preview');
      const preview = await call.services.taxonomyFiles.preview(call.sent, gate);
      return foundAnswer(preview, (found) => stringifyExactJson(previewJson(found, gate)));
    },
  },
  'POST /taxonomy/import': {
    id: 'importTaxonomy',
    needsFreshSignIn: true,
    summary: 'Replace the taxonomy with a file',
    description: 'Nothing changes unless the whole file is valid. All offers are re-reviewed.',
    ...DATED_CHANGE,
    query: {
      ...DATED_CHANGE.query,
      source: {
        description: 'File name to show to operators. The default is `an upload`.',
        schema: Text(LIMITS.file_name_characters_max, { min: 1 }),
      },
    },
    transfer,
    answer: Type.Object({ ...TaxonomyHeadAnswer.properties, ...DatedFields }),
    act: ({ query }) => ({ subject: parameterShown(query, 'source'), detail: '' }),
    async handle(call) {
      const { services, query, sent } = call;
      const source = textParameter(query, 'source');
      if ('problem' in source) return { problems: [source.problem] };
      const { value = 'an upload' } = source;
      const characters_max = LIMITS.file_name_characters_max;
      if (isBlank(value) || !hasAtMost(value, characters_max)) {
        const rule = `source: must have 1 to ${characters_max} characters and must not be blank.`;
        return { problems: [requestProblem('query_invalid', rule)] };
      }
      if (hasForbiddenCharacter(value)) {
        return { problems: [requestProblem('query_invalid', 'source: must not contain NUL characters.')] };
      }
      const change = (gate: ChangeGate) => services.taxonomyFiles.import(sent, value, gate);
      return ruleChangeAnswer(call, change, taxonomyHeadJson, 'dated');
    },
  },
  'POST /taxonomy/reset': {
    id: 'resetTaxonomy',
    needsFreshSignIn: true,
    summary: 'Return to the starter taxonomy',
    description: 'All offers are re-reviewed.',
    ...DATED_CHANGE,
    answer: Type.Object({
      changed: Type.Boolean({ description: 'False: the starter taxonomy is already active.' }),
      ...DatedFields,
    }),
    handle: (call) => {
      const { taxonomy: store } = call.services.setup.store;
      const reset = (gate: ChangeGate) => resetTaxonomy({ store, gate });
      return ruleChangeAnswer(call, reset, (dropped) => ({ changed: dropped === 'stored' }), 'dated');
    },
  },
});

function branchJson(
  { summary, node, children }: Branch,
  tree: TaxonomyTree,
): Record<keyof Static<typeof TreeAnswer>, unknown> {
  return {
    taxonomy: { ...taxonomyHeadJson(summary), leaves: summary.leaves },
    node:
      node === null
        ? null
        : {
            ...nodeJson(node, tree),
            parent: node.parentId,
            suggested_tax_code: node.suggestedTaxCode,
            needs_group: node.needsGroup,
            needs_code: node.needsCode,
            new_product_data: node.newProductData,
            attributes: tree.attributes(node.id).map(attributeFields),
          },
    children: children.map((child) => ({
      ...nodeJson(child.node, tree),
      children: child.children,
      below: child.below,
    })),
  };
}

function nodeJson({ id, name, isLeaf, active }: TaxonomyNode, tree: TaxonomyTree) {
  return { id, name, path: tree.path(id).join(PATH_SEPARATOR), is_leaf: isLeaf, active };
}

function previewJson(
  { faults, faultsTotal, format, nodes, added, removed, changed }: TaxonomyPreview,
  { impact }: ChangeGate,
) {
  const answer: Static<typeof PreviewAnswer> = {
    problems: faults.map(({ line, text }) => ({ line: line === 0 ? null : line, message: text })),
    problems_total: faultsTotal,
    format,
    nodes,
    added: added.count,
    removed: removed.count,
    changed: changed.count,
    samples: {
      added: [...added.samples],
      removed: [...removed.samples],
      changed: changed.samples.map(({ id, path, pathBefore, what }) => ({
        id,
        path,
        path_before: pathBefore,
        what: [...what],
      })),
    },
    impact: impact && impactJson(impact),
  };
  return answer;
}
