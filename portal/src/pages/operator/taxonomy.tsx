/** Taxonomy page: category tree, search, and import. */
import { Badge, Button, Group, NavLink, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api, ask } from '../../api/client.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { CategoryTree, type NodeId, type Tree, treeQuery } from '../../ui/forms/category-tree.tsx';
import { LABELS } from '../../ui/forms/offer-fields.ts';
import { SearchField } from '../../ui/forms/search-field.tsx';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Empty } from '../../ui/states.tsx';
import { AnnouncedMark } from './announced-mark.tsx';
import { ImpactDialog, type RuleChange } from './impact-dialog.tsx';
import { ImportTaxonomy } from './import-taxonomy.tsx';
import { RecentChanges } from './recent-changes.tsx';

const RESET: RuleChange = {
  title: 'Reset taxonomy',
  action: 'Reset',
  isDated: true,
  about: 'The starter taxonomy replaces the imported one.',
  send: (query) => ask(api.POST('/taxonomy/reset', { params: { query } })),
};

export function TaxonomyPage() {
  const { node, q = '' } = useSearch({ from: '/operator/taxonomy' });
  const navigate = useNavigate({ from: '/operator/taxonomy' });
  // Ids may be beyond 2^53.
  const parent = node === undefined ? undefined : (BigInt(node) as unknown as NodeId);
  const openNode = (id: NodeId | undefined) => navigate({ search: id === undefined ? {} : { node: String(id) } });
  /** Keeps the open node, so that clearing the search returns to it. */
  const search = (words: string) =>
    navigate({ search: ({ q: _q, ...place }) => (words === '' ? place : { ...place, q: words }), replace: true });
  const [isImporting, { open, close }] = useDisclosure();
  const [reset, setReset] = useState<RuleChange>();
  const isImported = useQuery(treeQuery(undefined)).data?.taxonomy.imported != null;
  return (
    <Page
      title="Taxonomy"
      actions={
        <>
          {isImported && (
            <Button variant="default" onClick={() => setReset(RESET)}>
              Reset
            </Button>
          )}
          <Button onClick={open}>Import taxonomy</Button>
        </>
      }
    >
      <AnnouncedMark rule="Taxonomy" />
      <ImportTaxonomy isOpen={isImporting} close={close} />
      <ImpactDialog change={reset} close={() => setReset(undefined)} />
      <SearchField placeholder="Search categories" value={q} change={search} />
      {q === '' ? <TreePanel parent={parent} open={openNode} /> : <ResultsPanel words={q} open={openNode} />}
      <RecentChanges />
    </Page>
  );
}

interface TreePanelProps {
  readonly parent: NodeId | undefined;
  /** Opens a node; undefined opens the departments. */
  readonly open: (parent: NodeId | undefined) => void;
}

function TreePanel({ parent, open }: TreePanelProps) {
  const tree = useQuery({ ...treeQuery(parent), placeholderData: keepPreviousData });
  return (
    <Panel title="Categories">
      <QueryView query={tree} what="categories">
        {(found) => (
          <Stack>
            <CategoryTree tree={found} open={open} />
            {found.node && <Rules node={found.node} />}
            {found.node && <Attributes node={found.node} />}
          </Stack>
        )}
      </QueryView>
    </Panel>
  );
}

/** Shows the rules of the node other than its attributes. They apply to the nodes below it too. */
function Rules({ node }: { readonly node: NonNullable<Tree['node']> }) {
  const data = node.new_product_data?.map((field) => LABELS.get(field) ?? field).join(', ');
  const rules = [
    ...(node.needs_group ? ['Offers need a variation group.'] : []),
    ...(node.needs_code ? [] : ['An ASIN is enough to identify a product.']),
    ...(data ? [`Products that the catalog does not know need: ${data}.`] : []),
  ];
  return rules.length === 0 ? null : <Text size="sm">{rules.join(' ')}</Text>;
}

function Attributes({ node: { attributes } }: { readonly node: NonNullable<Tree['node']> }) {
  if (attributes.length === 0) return null;
  return (
    <DataTable
      minWidth={520}
      rows={attributes}
      keyOf={({ attribute_id: id }) => String(id)}
      columns={[
        {
          head: 'Attribute',
          cell: (attribute) => (
            <Group gap={4}>
              {attribute.attribute_description}
              {attribute.required && (
                <Badge size="sm" variant="light" color="orange" tt="none">
                  Required
                </Badge>
              )}
              {attribute.variant && (
                <Badge size="sm" variant="default" tt="none">
                  Variation
                </Badge>
              )}
            </Group>
          ),
        },
        { head: 'Values', cell: (attribute) => (attribute.free_text ? 'Any' : attribute.values.join(', ')) },
        { head: 'Units', cell: ({ units }) => units.join(', ') },
      ]}
    />
  );
}

function ResultsPanel({ words, open }: { readonly words: string; readonly open: (id: NodeId) => void }) {
  const found = useQuery({
    queryKey: ['taxonomy-search', words],
    queryFn: () => ask(api.GET('/taxonomy/search', { params: { query: { q: words } } })),
    placeholderData: keepPreviousData,
  });
  return (
    <Panel title="Results">
      <QueryView query={found} what="results">
        {({ nodes }) =>
          nodes.length === 0 ? (
            <Empty title="No matching categories" />
          ) : (
            nodes.map((node) => (
              <NavLink
                key={String(node.id)}
                component="button"
                type="button"
                label={node.path}
                onClick={() => open(node.id)}
              />
            ))
          )
        }
      </QueryView>
    </Panel>
  );
}
