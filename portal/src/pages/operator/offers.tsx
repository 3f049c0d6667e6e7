/** Offers of all merchants: search, open as the merchant, and re-check. */
import { Anchor, Button, Group, Paper, Select, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { STATUSES } from '#domain/vocabulary/statuses.ts';
import {
  type FoundOffer,
  foundOffers,
  keyOf,
  merchantsQuery,
  recheckOffers,
  type SearchFilters,
  type SearchPage,
  searchQuery,
  viewAsMerchant,
} from '../../api/operator-offers.ts';
import { useSession } from '../../api/session.ts';
import { CardList, useIsPhone } from '../../ui/card-list.tsx';
import { ConfirmButton } from '../../ui/confirm.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { FilterDrawer } from '../../ui/forms/filter-drawer.tsx';
import { SearchField } from '../../ui/forms/search-field.tsx';
import { ISSUE_CHOICES, issueNames } from '../../ui/issues.ts';
import { countOf, countText } from '../../ui/numbers.ts';
import { OfferImage } from '../../ui/offer-image.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Failed, Loading, SomeUnavailable } from '../../ui/states.tsx';
import { EnvironmentBadge, OfferStatus, SuspendedBadge, statusName } from '../../ui/status-badge.tsx';

export function AllOffersPage() {
  const filters = useSearch({ from: '/operator/offers' });
  return (
    <Page
      title="Offers"
      about="Offers of all merchants. Open one to see it as the merchant does."
      actions={<RecheckAll filters={filters} />}
    >
      <Filters filters={filters} />
      <Results key={JSON.stringify(filters)} filters={filters} />
    </Page>
  );
}

const ENVIRONMENTS = [
  { value: 'live', label: 'Live' },
  { value: 'test', label: 'Test' },
];

function Filters({ filters }: { readonly filters: SearchFilters }) {
  const navigate = useNavigate();
  const { names } = useSession();
  const merchants = useQuery(merchantsQuery);
  const { q: _q, ...chosen } = filters;
  const statuses = Object.values({ ...STATUSES, review: names.review_status });
  const set = (name: keyof SearchFilters, value: string | null, replace = false) => {
    const { [name]: _before, ...others } = filters;
    const search = value === null || value === '' ? others : { ...others, [name]: value };
    void navigate({ to: '/operator/offers', search, replace });
  };
  const select = (name: keyof SearchFilters) => ({
    placeholder: 'All',
    clearable: true,
    value: filters[name] ?? null,
    onChange: (value: string | null) => set(name, value),
  });
  return (
    <Group align="flex-end" gap="xs" role="search" aria-label="Offer filters">
      <SearchField
        placeholder="Title, brand, SKU or product code"
        value={filters.q ?? ''}
        change={(q) => set('q', q, true)}
      />
      <FilterDrawer count={Object.keys(chosen).length}>
        {(width) => (
          <>
            <Select
              label="Merchant"
              searchable
              limit={50}
              w={width(180)}
              data={(merchants.data?.merchants ?? []).map(({ id, name }) => ({ value: id, label: name }))}
              {...select('merchant')}
            />
            <Select label="Environment" w={width(120)} data={ENVIRONMENTS} {...select('environment')} />
            <Select
              label="Status"
              w={width(180)}
              data={statuses.map((status) => ({ value: status, label: choiceName(status, filters.environment) }))}
              {...select('status')}
            />
            <Select label="Issue" searchable w={width(180)} data={ISSUE_CHOICES} {...select('sub_status')} />
          </>
        )}
      </FilterDrawer>
      {Object.keys(filters).length > 0 && (
        <Button variant="subtle" onClick={() => navigate({ to: '/operator/offers', search: {} })}>
          Clear
        </Button>
      )}
    </Group>
  );
}

/** Available offers have two badges, with and without stock, but this search cannot filter by stock. */
function choiceName(status: string, environment: string | undefined): string {
  const name = statusName(status, { environment, suspended: false });
  return status === STATUSES.available ? `${name} or out of stock` : name;
}

function Results({ filters }: { readonly filters: SearchFilters }) {
  const isPhone = useIsPhone();
  const list = useInfiniteQuery(searchQuery(filters));
  const { hasNextPage, isFetching, fetchNextPage } = list;
  const pages = list.data?.pages ?? [];
  const offers = foundOffers(pages);
  const last = pages.at(-1);
  const total = useTotal(filters);
  // A request searches for a limited time and may find nothing. The page sends more requests until one finds an offer.
  const goesOn = offers.length === 0 && hasNextPage && !isFetching && !list.isError;
  useEffect(() => {
    if (goesOn) void fetchNextPage();
  }, [goesOn, fetchNextPage]);
  if (last === undefined) {
    return list.isError ? <Failed error={list.error} retry={() => list.refetch()} /> : <Loading what="offers" />;
  }
  return (
    <Stack gap="sm">
      {list.isError && <Failed error={list.error} retry={() => fetchNextPage()} />}
      {pages.some((page) => page.accounts_missing > 0) && (
        <SomeUnavailable>Their offers can't be searched because a database node is not responding.</SomeUnavailable>
      )}
      <Text size="sm" c="dimmed" role="status">
        {total ?? progressText(last, offers.length)}
      </Text>
      {offers.length === 0 && last.next === null ? (
        <Empty title="No matching offers">New offers are searchable after review.</Empty>
      ) : isPhone ? (
        <Cards offers={offers} />
      ) : (
        offers.length > 0 && <OfferTable offers={offers} />
      )}
      {hasNextPage && (
        <Button variant="default" mx="auto" loading={isFetching} onClick={() => fetchNextPage()}>
          {total === undefined ? 'Continue search' : 'Show more'}
        </Button>
      )}
    </Stack>
  );
}

/** Returns the number of offers if only merchant and environment are filtered; undefined otherwise, or if it is unknown. */
function useTotal({ merchant, environment, ...others }: SearchFilters): string | undefined {
  const { data } = useQuery(merchantsQuery);
  if (data === undefined || Object.keys(others).length > 0) return undefined;
  const chosen = data.merchants.filter(({ id }) => merchant === undefined || id === merchant);
  const environments = environment === undefined ? (['live', 'test'] as const) : [environment];
  const counts = chosen.flatMap(({ offers }) => environments.map((one) => offers[one]));
  if (counts.includes(null)) return undefined;
  const total = counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  const owners = chosen.filter(({ offers }) => environments.some((one) => offers[one] !== 0));
  return `${countOf(total, 'offer')} of ${countOf(owners.length, 'merchant')}`;
}

function progressText({ merchants, merchants_searched: searched, next }: SearchPage, found: number): string {
  if (next === null) return `Search complete: ${countOf(found, 'offer')}`;
  return `${countOf(found, 'offer')} so far; ${countText(searched)} of ${countOf(merchants, 'merchant')} fully searched`;
}

function OfferTable({ offers }: { readonly offers: readonly FoundOffer[] }) {
  return (
    <Paper withBorder>
      <DataTable
        minWidth={900}
        highlightOnHover
        verticalSpacing={6}
        rows={offers}
        keyOf={keyOf}
        columns={[
          {
            head: 'Title',
            td: { miw: 240, w: '100%', className: 'anywhere' },
            cell: (offer) => (
              <Group gap="sm" wrap="nowrap">
                <OfferImage address={offer.image} size={40} />
                <Stack gap={0} miw={0} align="flex-start">
                  <OpenOffer offer={offer} lines={1} />
                  <Text size="xs" c="dimmed" lineClamp={1} title={offer.brand}>
                    {offer.brand}
                  </Text>
                </Stack>
              </Group>
            ),
          },
          {
            head: 'SKU',
            td: { ff: 'monospace', fz: 'sm', maw: 160 },
            cell: ({ sku }) => (
              <Text inherit truncate title={sku}>
                {sku}
              </Text>
            ),
          },
          {
            head: 'Merchant',
            td: { maw: 160 },
            cell: ({ merchant: { name, suspended } }) => (
              <>
                <Text size="sm" truncate title={name}>
                  {name}
                </Text>
                {suspended && <SuspendedBadge />}
              </>
            ),
          },
          { head: 'Environment', cell: ({ environment }) => <EnvironmentBadge environment={environment} /> },
          { head: 'Status', cell: (offer) => <Status offer={offer} />, td: { miw: 200 } },
        ]}
        actions={(offer) => <Recheck offer={offer} />}
      />
    </Paper>
  );
}

function Cards({ offers }: { readonly offers: readonly FoundOffer[] }) {
  return (
    <CardList rows={offers} keyOf={keyOf}>
      {(offer) => (
        <Group wrap="nowrap" align="flex-start" gap="sm">
          <OfferImage address={offer.image} size={48} />
          <Stack gap={4} miw={0} flex={1} align="stretch">
            <OpenOffer offer={offer} lines={2} />
            <Text size="xs" c="dimmed" className="anywhere">
              {offer.sku} · {offer.merchant.name}
            </Text>
            <Group gap="xs">
              <EnvironmentBadge environment={offer.environment} />
              {offer.merchant.suspended && <SuspendedBadge />}
            </Group>
            <Group justify="space-between" align="flex-end" gap="xs" wrap="nowrap">
              <Status offer={offer} />
              <Recheck offer={offer} />
            </Group>
          </Stack>
        </Group>
      )}
    </CardList>
  );
}

function Status({ offer: { status, quantity, environment, sub_status, merchant } }: { readonly offer: FoundOffer }) {
  const issues = issueNames(sub_status);
  return (
    <Stack gap={2} align="flex-start" miw={0}>
      <OfferStatus status={status} quantity={quantity} context={{ environment, suspended: merchant.suspended }} />
      {issues !== '' && (
        <Text size="xs" c="dimmed" lineClamp={2} title={issues}>
          {issues}
        </Text>
      )}
    </Stack>
  );
}

/** This is not a link, because viewing as a merchant is recorded, and opening a background tab must not trigger that. */
function OpenOffer({ offer, lines }: { readonly offer: FoundOffer; readonly lines: number }) {
  const { merchant, environment, sku } = offer;
  const opening = useMutation({
    mutationFn: () => viewAsMerchant(merchant.id, `${environment}/offers/${encodeURIComponent(sku)}`),
  });
  const title = offer.title || 'No title';
  return (
    <>
      <Anchor
        component="button"
        ta="left"
        fz="sm"
        lineClamp={lines}
        title={title}
        disabled={opening.isPending}
        onClick={() => opening.mutate()}
      >
        {title}
      </Anchor>
      {opening.isError && <Failed error={opening.error} />}
    </>
  );
}

function Recheck({ offer: { merchant, environment, sku } }: { readonly offer: FoundOffer }) {
  const checking = useMutation({ mutationFn: () => recheckOffers({ merchant: merchant.id, environment, sku }) });
  return (
    <>
      <Button
        size="compact-sm"
        variant="subtle"
        flex="none"
        aria-label={`Re-check ${sku}`}
        disabled={checking.isSuccess}
        loading={checking.isPending}
        onClick={() => checking.mutate()}
      >
        {checking.isSuccess ? 'Requested' : 'Re-check'}
      </Button>
      {checking.isError && <Failed error={checking.error} />}
    </>
  );
}

function RecheckAll({ filters }: { readonly filters: SearchFilters }) {
  const navigate = useNavigate();
  const isAll = Object.keys(filters).length === 0;
  const what = isAll ? 'All offers of all merchants' : 'All offers that match the filters';
  return (
    <ConfirmButton
      label={isAll ? 'Re-check all' : 'Re-check all that match'}
      title="Re-check offers"
      action="Re-check"
      isHarmless
      run={() => recheckOffers(filters)}
      done={() => navigate({ to: '/operator/review' })}
    >
      {what} are re-reviewed in the background, by the current rules. Their images are not fetched again; re-check a
      single offer for that.
    </ConfirmButton>
  );
}
