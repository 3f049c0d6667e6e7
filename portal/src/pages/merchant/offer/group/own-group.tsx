/** The group of which the offer is a child: it can be removed from it, or join one. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { LIMITS } from '#domain/limits.ts';
import { api, ask, onlyIf } from '../../../../api/client.ts';
import {
  groupOfQuery,
  groupQuery,
  type Offer,
  type OfferKey,
  offerQuery,
  pathOf,
  refreshOffer,
  type Group as VariationGroup,
} from '../../../../api/offer.ts';
import { offersQuery } from '../../../../api/offers.ts';
import { ConfirmButton } from '../../../../ui/confirm.tsx';
import { inPageWords } from '../../../../ui/forms/page-words.ts';
import { SearchSelect, useSearchWords } from '../../../../ui/forms/search-select.tsx';
import { TextLink } from '../../../../ui/links.tsx';
import { Failed } from '../../../../ui/states.tsx';
import { OfferOption, siblingWords } from './child-skus-input.tsx';

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
  return (
    <Alert color="blue" title={`In the group of ${title}`}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          <TextLink to="/$environment/offers/$sku" params={parentKey} search={{ tab: 'group' }}>
            View group
          </TextLink>{' '}
          to edit it. If you save a group on this page, this offer leaves the group of {title}.
        </Text>
        {mayChange && (
          <ConfirmButton
            title={`Remove from the group of ${title}?`}
            action="Remove from group"
            button={{ size: 'compact-sm' }}
            run={() => changeChildren(queryClient, parentKey, (children) => children.filter((one) => one !== sku))}
            done={() => refreshOffer(queryClient, offerKey)}
          >
            The offer stays as it is. It can join the group again.
          </ConfirmButton>
        )}
      </Stack>
    </Alert>
  );
}

interface JoinGroupProps {
  readonly offerKey: OfferKey;
  readonly offer: Offer;
}

export function JoinGroup({ offerKey, offer }: JoinGroupProps) {
  const { environment, sku } = offerKey;
  const queryClient = useQueryClient();
  const search = useSearchWords();
  const [chosen, setChosen] = useState<string | null>(null);
  const q = (search.words || siblingWords(offer)).slice(0, LIMITS.offer_search_characters_max);
  const found = useQuery({ ...offersQuery(environment, { q }), enabled: q !== '' });
  const offers = (found.data?.offers ?? []).filter((one) => one.sku !== sku && !one.archived);
  const bySku = new Map(offers.map((one) => [one.sku, one]));
  const joining = useMutation({
    mutationFn: async (member: string) => {
      const { parent } = await queryClient.fetchQuery(groupOfQuery({ environment, sku: member }));
      const parentKey = { environment, sku: parent ?? member };
      return changeChildren(queryClient, parentKey, (children) => [...children, sku]);
    },
    onSuccess: (isChanged) => isChanged && refreshOffer(queryClient, offerKey),
  });
  return (
    <Stack gap="xs">
      <Group align="flex-end" gap="sm">
        <SearchSelect
          label="Join a group"
          description="Search for an offer of the group by title, brand or SKU."
          placeholder="Search offers"
          w={420}
          search={search}
          value={chosen}
          onChange={(next) => {
            setChosen(next);
            joining.reset();
          }}
          choices={new Map([...(chosen === null ? [] : [[chosen, chosen] as const]), ...labels(bySku)])}
          nothingFound="No offers found"
          renderOption={({ option }) => <OfferOption sku={option.value} offer={bySku.get(option.value)} />}
        />
        <Button
          variant="default"
          disabled={chosen === null}
          loading={joining.isPending}
          onClick={() => chosen !== null && joining.mutate(chosen)}
        >
          Join
        </Button>
      </Group>
      {joining.isError && <Failed error={inPageWords(joining.error) ?? joining.error} />}
      {joining.data === false && chosen !== null && (
        <Text size="sm" role="alert">
          This offer has no group yet.{' '}
          <TextLink to="/$environment/offers/$sku" params={{ environment, sku: chosen }} search={{ tab: 'group' }}>
            Create one
          </TextLink>{' '}
          there, or below.
        </Text>
      )}
    </Stack>
  );
}

function labels(bySku: ReadonlyMap<string, { readonly title: string }>): [string, string][] {
  return Array.from(bySku, ([sku, { title }]) => [sku, title.trim() || sku]);
}

/** Returns false if the offer has no group. Changes the group only as it was read. */
async function changeChildren(
  queryClient: ReturnType<typeof useQueryClient>,
  key: OfferKey,
  change: (children: readonly string[]) => readonly string[],
): Promise<boolean> {
  const group = await queryClient.fetchQuery({ ...groupQuery(key), staleTime: 0 });
  if (group === null) return false;
  await saveGroup(key, { ...group, children_skus: [...change(group.children_skus)] }, onlyIf(group.etag));
  return true;
}

type GroupData = Pick<VariationGroup, 'children_skus' | 'variation_refinements'> & { readonly group_title?: string };

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
