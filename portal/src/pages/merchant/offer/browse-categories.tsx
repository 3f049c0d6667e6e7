/** Dialog in which a merchant goes down the taxonomy to a category. */
import { Stack } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../../../ui/dialog.tsx';
import { CategoryTree, type NodeId, treeQuery } from '../../../ui/forms/category-tree.tsx';
import { QueryView } from '../../../ui/query-view.tsx';

interface BrowseCategoriesProps {
  readonly choose: (id: string) => void;
  readonly close: () => void;
}

export function BrowseCategories({ choose, close }: BrowseCategoriesProps) {
  const [parent, open] = useState<NodeId>();
  const tree = useQuery({ ...treeQuery(parent), placeholderData: keepPreviousData });
  const take = (id: NodeId) => {
    choose(String(id));
    close();
  };
  return (
    <Dialog isOpen close={close} title="Choose a category" size="xl">
      <QueryView query={tree} what="categories">
        {(found) => (
          <Stack>
            <CategoryTree tree={found} open={open} choose={take} />
          </Stack>
        )}
      </QueryView>
    </Dialog>
  );
}
