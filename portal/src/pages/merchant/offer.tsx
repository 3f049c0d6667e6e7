/** Page of one offer: review, forms for its parts, history. */
import { Alert, Anchor, Button, Card, Code, Group, Stack, Tabs, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams, useRouterState } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { api, ask } from '../../api/client.ts';
import { type Offer, type OfferKey, offerQuery, pathOf, refreshOffer, reviewQuery } from '../../api/offer.ts';
import { useMayChange } from '../../api/session.ts';
import { TextLink } from '../../ui/links.tsx';
import { OfferImage } from '../../ui/offer-image.tsx';
import { Page } from '../../ui/page.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Failed } from '../../ui/states.tsx';
import { OfferStatus } from '../../ui/status-badge.tsx';
import { DataForm } from './offer/data-form.tsx';
import { GroupCard } from './offer/group-card.tsx';
import { HistoryPanel } from './offer/history-list.tsx';
import { InventoryCard } from './offer/inventory-card.tsx';
import { PriceCard } from './offer/price-card.tsx';
import { ReturnsExceptionCard } from './offer/returns-exception-card.tsx';
import { ReviewPanel } from './offer/review-panel.tsx';
import { ShippingExceptionCard } from './offer/shipping-exception-card.tsx';

export function OfferPage() {
  const key = useParams({ from: '/$environment/offers/$sku' });
  const listed = useRouterState({ select: ({ location }) => location.state.listed }) ?? {};
  const offer = useQuery(offerQuery(key));
  return (
    <Page
      title={offer.data?.product_title || key.sku}
      about={
        <>
          <TextLink to="/$environment/offers" params={{ environment: key.environment }} search={listed}>
            All offers
          </TextLink>{' '}
          · <Code>{key.sku}</Code>
        </>
      }
      actions={offer.data && <ArchiveButton offerKey={key} offer={offer.data} />}
    >
      <QueryView query={offer} what="offer">
        {(found) => <OfferParts key={`${key.environment} ${key.sku}`} offerKey={key} offer={found} />}
      </QueryView>
    </Page>
  );
}

interface OfferPartsProps {
  readonly offerKey: OfferKey;
  readonly offer: Offer;
}

function OfferParts({ offerKey, offer }: OfferPartsProps) {
  // The review query polls, so its status is newer than the offer's own.
  const { status, sub_status: subStatus } = useQuery(reviewQuery(offerKey)).data ?? offer;
  return (
    <>
      <Card withBorder>
        <Group align="flex-start" wrap="nowrap" gap="lg">
          <OfferImage address={offer.main_image_url} size={120} alt={`Image of ${offer.product_title}`} />
          <Stack gap="xs" miw={0} className="anywhere">
            <OfferStatus status={status} />
            <Text>{offer.brand}</Text>
            {subStatus.length > 0 && <Text c="dimmed">{subStatus.join(', ')}</Text>}
            <Anchor href={offer.main_image_url} target="_blank" rel="noreferrer noopener" size="sm">
              Main image
            </Anchor>
          </Stack>
        </Group>
      </Card>
      <ReviewPanel offerKey={offerKey} />
      <PartTabs offerKey={offerKey} offer={offer} />
    </>
  );
}

const TABS = [
  { value: 'sale', label: 'Price and inventory' },
  { value: 'data', label: 'Product data' },
  { value: 'group', label: 'Variation group' },
  { value: 'exceptions', label: 'Exceptions' },
  { value: 'history', label: 'History' },
] as const;

/** A tab loads when it is first opened, and stays mounted to keep unsaved input. */
function PartTabs({ offerKey, offer }: OfferPartsProps) {
  const mayChange = useMayChange() && !offer.is_archived;
  const [opened, setOpened] = useState<ReadonlySet<string | null>>(new Set(['sale']));
  const shared = { offerKey, mayChange };
  const parts: Readonly<Record<(typeof TABS)[number]['value'], ReactNode>> = {
    sale: (
      <>
        <PriceCard {...shared} />
        <InventoryCard {...shared} />
      </>
    ),
    data: <DataForm {...shared} offer={offer} />,
    group: <GroupCard {...shared} offer={offer} />,
    exceptions: (
      <>
        <ShippingExceptionCard {...shared} />
        <ReturnsExceptionCard {...shared} />
      </>
    ),
    history: <HistoryPanel offerKey={offerKey} />,
  };
  return (
    <Tabs
      defaultValue="sale"
      keepMountedMode="display-none"
      onChange={(value) => setOpened((before) => new Set([...before, value]))}
    >
      <Tabs.List mb="md">
        {TABS.map(({ value, label }) => (
          <Tabs.Tab key={value} value={value}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {TABS.map(({ value }) => (
        <Tabs.Panel key={value} value={value}>
          <Stack>{opened.has(value) && parts[value]}</Stack>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

function ArchiveButton({ offerKey, offer }: OfferPartsProps) {
  const queryClient = useQueryClient();
  const mayChange = useMayChange();
  const archiving = useMutation({
    mutationFn: (is_archived: boolean) =>
      ask(
        api.PUT('/{environment}/merchant-skus/{user_defined_sku_id}/status/archive', {
          params: { path: pathOf(offerKey) },
          body: { is_archived },
        }),
      ),
    onSuccess: () => refreshOffer(queryClient, offerKey),
  });
  if (!mayChange) return null;
  return (
    <Stack gap="xs" align="flex-end">
      <Button variant="default" loading={archiving.isPending} onClick={() => archiving.mutate(!offer.is_archived)}>
        {offer.is_archived ? 'Unarchive' : 'Archive'}
      </Button>
      {archiving.isError && <Failed error={archiving.error} />}
      {offer.is_archived && <Alert color="gray">This offer is not for sale. Unarchive it to edit it.</Alert>}
    </Stack>
  );
}
