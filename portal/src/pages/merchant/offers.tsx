/** Offer list with search, filters, sorting and archiving of selected offers. */
import { Button, Card, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { OfferFilters } from '../../api/offer-filters.ts';
import { offersQuery } from '../../api/offers.ts';
import { overviewQuery } from '../../api/overview.ts';
import { useMayChange } from '../../api/session.ts';
import { useEnvironment } from '../../ui/environment.ts';
import { ButtonLink } from '../../ui/links.tsx';
import { countOf } from '../../ui/numbers.ts';
import { Page } from '../../ui/page.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { Empty, Failed, Loading } from '../../ui/states.tsx';
import { ArchiveBar } from './archive-bar.tsx';
import { FirstOffers } from './first-offers.tsx';
import { OfferFilterBar } from './offer-filter-bar.tsx';
import { OfferTable } from './offer-table.tsx';

export function OffersPage() {
  const environment = useEnvironment();
  const filters = useSearch({ from: '/$environment/offers' });
  const navigate = useNavigate();
  const mayChange = useMayChange();
  const change = (next: OfferFilters) =>
    navigate({ to: '/$environment/offers', params: { environment }, search: next, replace: true });
  return (
    <Page
      title="Offers"
      actions={
        mayChange && (
          <ButtonLink to="/$environment/add-offer" params={{ environment }}>
            Add offer
          </ButtonLink>
        )
      }
    >
      <OfferFilterBar filters={filters} change={change} />
      <OfferList key={`${environment} ${JSON.stringify(filters)}`} filters={filters} change={change} />
    </Page>
  );
}

interface OfferListProps {
  readonly filters: OfferFilters;
  readonly change: (next: OfferFilters) => void;
}

function OfferList({ filters, change }: OfferListProps) {
  const environment = useEnvironment();
  const mayChange = useMayChange();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const query = useInfiniteQuery(offersQuery(environment, filters));
  if (query.isPending) return <Loading what="offers" />;
  if (query.data === undefined) return <Failed error={query.error} retry={() => query.refetch()} />;
  const offers = query.data.pages.flatMap((page) => page.offers);
  if (offers.length === 0) return <NoOffers filters={filters} change={change} />;
  return (
    <Stack>
      {query.isError && <Failed error={query.error} retry={() => query.fetchNextPage()} />}
      {mayChange && <ArchiveBar selected={selected} setSelected={setSelected} />}
      <Card withBorder p={0}>
        <OfferTable
          offers={offers}
          filters={filters}
          sort={filters.sort ?? 'newest'}
          setSort={(sort) => change({ ...filters, sort })}
          selected={mayChange ? selected : undefined}
          setSelected={setSelected}
        />
      </Card>
      <ShowMore list={query} />
      {!query.hasNextPage && (
        <Text c="dimmed" size="sm" ta="center">
          {countOf(offers.length, 'offer')}
          {isByTitle(filters) && <NotSortedYet />}
        </Text>
      )}
    </Stack>
  );
}

function isByTitle({ sort }: OfferFilters): boolean {
  return sort === 'title' || sort === '-title';
}

/** Offers are sorted by title only after their first review. */
function NotSortedYet() {
  const { data } = useQuery(overviewQuery(useEnvironment()));
  if (data === undefined) return null;
  const { total, by_status } = data.offers;
  const waiting = total - by_status.reduce((sum, { offers }) => sum + offers, 0);
  if (waiting <= 0) return null;
  return <>; {countOf(waiting, 'offer')} more after review</>;
}

function NoOffers({ filters, change }: OfferListProps) {
  const { sort: _sort, ...active } = filters;
  if (Object.keys(active).length === 0 && !isByTitle(filters)) {
    return <FirstOffers />;
  }
  return (
    <Empty
      title="No matching offers"
      action={
        <Button variant="light" onClick={() => change({})}>
          Show all offers
        </Button>
      }
    >
      New offers are searchable after review.
    </Empty>
  );
}
