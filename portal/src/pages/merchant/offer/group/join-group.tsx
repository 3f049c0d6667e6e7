/** Lets an offer join a group, by choosing an offer of it. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { LIMITS } from '#domain/limits.ts';
import { groupOfQuery, type Offer, type OfferKey, refreshOffer } from '../../../../api/offer.ts';
import { offersQuery } from '../../../../api/offers.ts';
import { inPageWords } from '../../../../ui/forms/page-words.ts';
import { SearchSelect, useSearchWords } from '../../../../ui/forms/search-select.tsx';
import { TextLink } from '../../../../ui/links.tsx';
import { Failed } from '../../../../ui/states.tsx';
import { OfferOption, siblingWords } from './child-skus-input.tsx';
import { changeChildren } from './save-group.ts';

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
