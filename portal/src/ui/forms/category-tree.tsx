/** The categories of the taxonomy, one level at a time. */
import { Anchor, Badge, Breadcrumbs, NavLink, SimpleGrid, Text } from '@mantine/core';
import { queryOptions } from '@tanstack/react-query';
import { api, ask } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { countOf } from '../numbers.ts';

export type Tree = components['schemas']['TaxonomyBranch'];
type TreeNode = Tree['children'][number];
export type NodeId = TreeNode['id'];

export const treeQuery = (parent: NodeId | undefined) =>
  queryOptions({
    queryKey: ['taxonomy', String(parent)],
    queryFn: () => ask(api.GET('/taxonomy/tree', { params: { query: parent === undefined ? {} : { parent } } })),
  });

interface CategoryTreeProps {
  readonly tree: Tree;
  /** Opens a category; undefined opens the departments. */
  readonly open: (id: NodeId | undefined) => void;
  /** What happens to a category without others below it. By default it is opened too. */
  readonly choose?: (id: NodeId) => void;
}

export function CategoryTree({ tree: { node, children }, open, choose = open }: CategoryTreeProps) {
  const shown = choose === open ? children : children.filter(({ active }) => active);
  return (
    <>
      <Path node={node} open={open} />
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing={0} verticalSpacing={0}>
        {shown.map(({ id, name, is_leaf, below, active }) => (
          <NavLink
            key={String(id)}
            component="button"
            type="button"
            label={name}
            description={is_leaf ? 'Offers can be listed here' : countOf(below, 'category', 'categories')}
            rightSection={active ? undefined : <Badge color="gray">Inactive</Badge>}
            onClick={() => (is_leaf ? choose : open)(id)}
          />
        ))}
      </SimpleGrid>
    </>
  );
}

function Path({ node, open }: { readonly node: Tree['node']; readonly open: CategoryTreeProps['open'] }) {
  return (
    <Breadcrumbs separator=">">
      <Anchor component="button" type="button" onClick={() => open(undefined)}>
        All departments
      </Anchor>
      {node && node.parent !== null && (
        <Anchor component="button" type="button" onClick={() => open(node.parent ?? undefined)}>
          {parentName(node.path)}
        </Anchor>
      )}
      {node && <Text>{node.name}</Text>}
    </Breadcrumbs>
  );
}

/** "Toys > Balls" gives "Toys". */
function parentName(path: string): string {
  return path.split(' > ').at(-2) ?? path;
}
