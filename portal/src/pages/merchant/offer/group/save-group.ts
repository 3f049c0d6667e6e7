/** Saves a variation group under its parent, and adds or removes children. */
import type { QueryClient } from '@tanstack/react-query';
import { api, ask, onlyIf } from '../../../../api/client.ts';
import { type Group, groupQuery, type OfferKey, pathOf } from '../../../../api/offer.ts';

type GroupData = Pick<Group, 'children_skus' | 'variation_refinements'> & { readonly group_title?: string };

export function saveGroup(key: OfferKey, group: GroupData, header: ReturnType<typeof onlyIf>): Promise<unknown> {
  const { children_skus, variation_refinements, group_title = '' } = group;
  return ask(
    api.PUT('/{environment}/merchant-skus/{user_defined_sku_id}/variation', {
      params: { path: pathOf(key), header },
      body: {
        relationship: 'Variation',
        children_skus,
        variation_refinements,
        ...(group_title === '' ? {} : { group_title }),
      },
    }),
  );
}

/** Returns false if the offer has no group. Changes the group only as it was read. */
export async function changeChildren(
  queryClient: QueryClient,
  key: OfferKey,
  change: (children: readonly string[]) => readonly string[],
): Promise<boolean> {
  const group = await queryClient.fetchQuery({ ...groupQuery(key), staleTime: 0 });
  if (group === null) return false;
  await saveGroup(key, { ...group, children_skus: [...change(group.children_skus)] }, onlyIf(group.etag));
  return true;
}
