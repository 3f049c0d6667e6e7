/** Says of which group the offer is a child, and removes it from there. */
import { Alert, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { groupQuery, type OfferKey, offerQuery, refreshOffer } from '../../../../api/offer.ts';
import { ConfirmButton } from '../../../../ui/confirm.tsx';
import { inWords } from '../../../../ui/forms/page-words.ts';
import { TextLink } from '../../../../ui/links.tsx';
import { changeChildren } from './save-group.ts';

interface ChildOfProps {
  readonly offerKey: OfferKey;
  readonly parent: string;
  readonly mayChange: boolean;
}

export function ChildOf({ offerKey, parent, mayChange }: ChildOfProps) {
  const { environment, sku } = offerKey;
  const parentKey = { environment, sku: parent };
  const queryClient = useQueryClient();
  const title = useQuery(offerQuery(parentKey)).data?.product_title.trim() || parent;
  const children = useQuery({ ...groupQuery(parentKey), enabled: mayChange }).data?.children_skus;
  const isOnlyChild = children?.every((one) => one === sku);
  return (
    <Alert color="blue" title={`In the group of ${title}`}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          <TextLink to="/$environment/offers/$sku" params={parentKey} search={{ tab: 'group' }}>
            View group
          </TextLink>{' '}
          to edit it. If you save a group on this page, this offer leaves the group of {title}.
        </Text>
        {mayChange && isOnlyChild === true && (
          <Text size="sm">
            A group needs at least one offer besides its parent, and this is the only one. To remove it, first add
            another offer to the group.
          </Text>
        )}
        {mayChange && isOnlyChild === false && (
          <ConfirmButton
            title={`Remove from the group of ${title}?`}
            action="Remove from group"
            button={{ size: 'compact-sm' }}
            run={() => inWords(changeChildren(queryClient, parentKey, (before) => before.filter((one) => one !== sku)))}
            done={() => refreshOffer(queryClient, offerKey)}
          >
            The offer stays as it is. It can join the group again.
          </ConfirmButton>
        )}
      </Stack>
    </Alert>
  );
}
