/** Page of one offer: review, forms for its parts, history. */
import { Code, Stack, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useRouterState, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { inventoryQuery, type Offer, type OfferKey, offerQuery } from '../../api/offer.ts';
import type { OfferTab } from '../../api/offer-tabs.ts';
import { useMayChange, useSession } from '../../api/session.ts';
import { lazyPart } from '../../ui/lazy.tsx';
import { ButtonLink, TextLink } from '../../ui/links.tsx';
import { Page } from '../../ui/page.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Loading } from '../../ui/states.tsx';
import { ArchiveButton } from './offer/archive-offer.tsx';
import { type FixTarget, useFocusField } from './offer/fix-target.ts';
import { ReviewPanel } from './offer/review-panel.tsx';

const PriceCard = lazyPart(() => import('./offer/price-card.tsx'), 'PriceCard', Loading);
const PositionCard = lazyPart(() => import('./offer/position-card.tsx'), 'PositionCard', Loading);
const InventoryCard = lazyPart(() => import('./offer/inventory-card.tsx'), 'InventoryCard', Loading);
const DataForm = lazyPart(() => import('./offer/data-form.tsx'), 'DataForm', Loading);
const GroupCard = lazyPart(() => import('./offer/group/group-card.tsx'), 'GroupCard', Loading);
const ShippingExceptionCard = lazyPart(
  () => import('./offer/shipping-exception-card.tsx'),
  'ShippingExceptionCard',
  Loading,
);
const ReturnsExceptionCard = lazyPart(
  () => import('./offer/returns-exception-card.tsx'),
  'ReturnsExceptionCard',
  Loading,
);
const UnarchiveNotice = lazyPart(() => import('./offer/unarchive-offer.tsx'), 'UnarchiveNotice');
const HistoryPanel = lazyPart(() => import('./offer/history/history-list.tsx'), 'HistoryPanel', Loading);

const ROUTE = '/$environment/offers/$sku';

export function OfferPage() {
  const key = useParams({ from: ROUTE });
  const mayChange = useMayChange();
  const listed = useRouterState({ select: ({ location }) => location.state.listed }) ?? {};
  const offer = useQuery(offerQuery(key));
  return (
    <Page
      title={offer.data?.product_title.trim() || key.sku}
      about={
        <>
          <TextLink to="/$environment/offers" params={{ environment: key.environment }} search={listed}>
            All offers
          </TextLink>{' '}
          · <Code>{key.sku}</Code>
        </>
      }
      actions={
        mayChange &&
        offer.data && (
          <>
            <ButtonLink
              variant="default"
              to="/$environment/add-offer"
              params={{ environment: key.environment }}
              search={{ from: key.sku }}
            >
              Duplicate
            </ButtonLink>
            {!offer.data.is_archived && <ArchiveButton offerKey={key} offer={offer.data} />}
          </>
        )
      }
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
  const stock = useQuery(inventoryQuery(offerKey)).data?.fulfillment_nodes;
  const quantity = stock?.reduce((sum, node) => sum + node.quantity, 0);
  const mayChange = useMayChange() && !offer.is_archived;
  const [tab, openTab] = useTab();
  const [fix, setFix] = useState<FixTarget>();
  const openField = (target: FixTarget) => {
    openTab(target.tab);
    // Sets a copy, so that the same link works again.
    setFix({ ...target });
  };
  return (
    <>
      {offer.is_archived && <UnarchiveNotice offerKey={offerKey} />}
      <ReviewPanel offerKey={offerKey} offer={offer} quantity={quantity} fix={mayChange ? openField : undefined} />
      <PartTabs offerKey={offerKey} offer={offer} mayChange={mayChange} tab={tab} openTab={openTab} fix={fix} />
    </>
  );
}

/** The open tab is in the URL, so that Back and a link return to it. */
function useTab(): readonly [OfferTab, (tab: OfferTab) => void] {
  const { tab = 'sale' } = useSearch({ from: ROUTE });
  const navigate = useNavigate({ from: ROUTE });
  // Changing tabs keeps unsaved input, so no confirmation is needed.
  const open = (next: OfferTab) =>
    navigate({
      search: next === 'sale' ? {} : { tab: next },
      state: true,
      replace: true,
      resetScroll: false,
      ignoreBlocker: true,
    });
  return [tab, open];
}

const TABS: readonly { readonly value: OfferTab; readonly label: string }[] = [
  { value: 'sale', label: 'Price and inventory' },
  { value: 'data', label: 'Product data' },
  { value: 'group', label: 'Variation group' },
  { value: 'exceptions', label: 'Exceptions' },
  { value: 'history', label: 'History' },
];

interface PartTabsProps extends OfferPartsProps {
  readonly mayChange: boolean;
  readonly tab: OfferTab;
  readonly openTab: (tab: OfferTab) => void;
  /** The field to focus. */
  readonly fix: FixTarget | undefined;
}

/** A tab loads when it is first opened, and stays mounted to keep unsaved input. */
function PartTabs({ offerKey, offer, mayChange, tab, openTab, fix }: PartTabsProps) {
  const [opened, setOpened] = useState<ReadonlySet<OfferTab>>(new Set([tab]));
  useEffect(() => setOpened((before) => new Set([...before, tab])), [tab]);
  const container = useRef<HTMLDivElement>(null);
  useFocusField(container, fix);
  const shared = { offerKey, mayChange };
  const hasStorefront = useSession().storefront;
  const parts: Readonly<Record<OfferTab, ReactNode>> = {
    sale: (
      <>
        <PriceCard {...shared} />
        <InventoryCard {...shared} />
        {hasStorefront && <PositionCard offerKey={offerKey} />}
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
    history: <HistoryPanel {...shared} offer={offer} />,
  };
  return (
    <Tabs
      ref={container}
      value={tab}
      keepMountedMode="display-none"
      onChange={(value) => value !== null && openTab(value as OfferTab)}
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
