/** Offer list with search, filters, sorting, pages, and changes to many offers. */
import { Anchor, Box, Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useRouterState, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { filtersOf, type OfferFilters, type OfferListSearch } from '../../api/offer-filters.ts';
import { type OfferPage, type OfferTotal, offersQuery, offerTotalQuery, suggestionQuery } from '../../api/offers.ts';
import { overviewQuery } from '../../api/overview.ts';
import { ApiError } from '../../api/problem.ts';
import { useMayChange } from '../../api/session.ts';
import { useIsPhone } from '../../ui/card-list.tsx';
import { useEnvironment } from '../../ui/environment.ts';
import { hasFixes } from '../../ui/issues.ts';
import { lazyPart } from '../../ui/lazy.tsx';
import { ButtonLink } from '../../ui/links.tsx';
import { countOf, countText } from '../../ui/numbers.ts';
import { Page } from '../../ui/page.tsx';
import { Empty, Failed, Loading } from '../../ui/states.tsx';
import { Time, useRefresh } from '../../ui/time.tsx';
import { FirstOffers } from './first-offers.tsx';
import { BulkBar, type Selection } from './offer-list/bulk-bar.tsx';
import { useEdits } from './offer-list/editable-cell.tsx';
import { ExportMenu } from './offer-list/export-menu.tsx';
import { OfferCards } from './offer-list/offer-cards.tsx';
import { OfferColumns, useOfferColumns } from './offer-list/offer-columns.tsx';
import { OfferFilterBar } from './offer-list/offer-filter-bar.tsx';
import classes from './offer-list/offer-list.module.css';
import { OfferTable } from './offer-list/offer-table.tsx';
import { OfferViews } from './offer-list/offer-views.tsx';
import { StatusChips } from './offer-list/status-chips.tsx';
import { UpcomingOffers } from './upcoming-change.tsx';

export function OffersPage() {
  const environment = useEnvironment();
  const search = useSearch({ from: '/$environment/offers' });
  const filters = filtersOf(search);
  const navigate = useNavigate();
  const mayChange = useMayChange();
  const change = (next: OfferFilters, replace = false) =>
    navigate({ to: '/$environment/offers', params: { environment }, search: next, replace });
  // A change from the command palette opens on the list that is already shown too.
  const asked = useRouterState({ select: ({ location: { state } }) => state.change && `${state.change} ${state.key}` });
  const list = <OfferList key={[environment, asked].join(' ')} search={search} filters={filters} change={change} />;
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
      <StatusChips filters={filters} change={change} />
      <OfferFilterBar filters={filters} change={change} />
      {filters.upcoming === undefined ? list : <UpcomingOffers upcoming={filters.upcoming}>{list}</UpcomingOffers>}
    </Page>
  );
}

interface OfferListProps {
  readonly search: OfferListSearch;
  readonly filters: OfferFilters;
  readonly change: (next: OfferFilters) => void;
}

const NOTHING: Selection = new Set();
const FixOffers = lazyPart(() => import('./offer-list/fix-offers.tsx'), 'FixOffers');

function OfferList({ search, filters, change }: OfferListProps) {
  const environment = useEnvironment();
  const mayChange = useMayChange();
  const isPhone = useIsPhone();
  const [columns, setColumns] = useOfferColumns();
  const asked = useRouterState({ select: ({ location }) => location.state.change });
  const [isFixing, setFixing] = useState(false);
  const list = JSON.stringify(filters);
  const [selection, setSelection] = useState<{ of: string; selected: Selection }>({
    of: list,
    selected: asked === undefined ? NOTHING : 'matching',
  });
  // The offers that were selected may not be among those of other filters.
  const selected = selection.of === list ? selection.selected : NOTHING;
  const setSelected = (next: Selection) => !query.isPlaceholderData && setSelection({ of: list, selected: next });
  const [shownSearch, setShownSearch] = useState(search);
  const [isEditing, edits] = useEdits(shownSearch);
  // A row that is being edited must not move or disappear, until another search replaces it.
  const isHeld = isEditing && shownSearch === search;
  const query = useQuery({ ...offersQuery(environment, search), enabled: !isHeld });
  if (shownSearch !== search && query.data !== undefined && !query.isPlaceholderData) setShownSearch(search);
  const whole =
    search.page === undefined && query.data?.next === null && !query.isPlaceholderData ? query.data : undefined;
  const counted = useQuery({
    ...offerTotalQuery(environment, filters),
    // Rows come first.
    enabled: !isHeld && query.data !== undefined && !query.isPlaceholderData && whole === undefined,
  });
  const total = whole ? { offers: whole.offers.length, is_more: false } : counted.data;
  const queryClient = useQueryClient();
  // The empty list of the search before says nothing about this one.
  if (query.isPending || (query.isPlaceholderData && query.data.offers.length === 0)) return <Loading what="offers" />;
  if (query.data === undefined) {
    if (query.error instanceof ApiError && query.error.has('sort_too_many')) {
      return <TooManyToSort error={query.error} filters={filters} change={change} />;
    }
    return <Failed error={query.error} retry={() => query.refetch()} />;
  }
  const { offers, next, sorted } = query.data;
  const sortAgain = () => {
    if (search.page !== undefined) change(filters);
    void queryClient.invalidateQueries({ queryKey: ['offers', environment, 'list'] });
  };
  const isEmpty = offers.length === 0 && search.page === undefined;
  const shown = {
    offers,
    search: shownSearch,
    selected: mayChange ? selected : undefined,
    setSelected,
    edits: mayChange ? edits : undefined,
    isPrevious: query.isPlaceholderData,
  };
  return (
    <Stack gap="sm">
      {query.isError && <Failed error={query.error} retry={() => query.refetch()} />}
      {isEmpty ? (
        <NoOffers filters={filters} change={change} />
      ) : (
        <>
          <Group justify="space-between" gap="xs">
            <Text size="sm" c="dimmed" role="status">
              {totalText(total)}
              {isByReview(filters) && <NotSortedYet />}
            </Text>
            {sorted && <Sorted sorted={sorted} again={sortAgain} />}
            <Group gap="xs">
              {mayChange && filters.sub_status !== undefined && hasFixes(filters.sub_status) && (
                <Button size="xs" variant="light" onClick={() => setFixing(true)}>
                  Fix all{total === undefined || total.is_more ? '' : ` ${countText(total.offers)}`} like this
                </Button>
              )}
              <OfferViews filters={filters} change={change} />
              {!isPhone && <OfferColumns columns={columns} setColumns={setColumns} />}
              <ExportMenu filters={filters} />
            </Group>
          </Group>
          <Box aria-busy={query.isPlaceholderData} {...(query.isPlaceholderData && { className: classes.previous })}>
            {isPhone ? (
              <OfferCards {...shown} />
            ) : (
              <Paper withBorder>
                <OfferTable
                  {...shown}
                  columns={columns}
                  sort={filters.sort ?? 'newest'}
                  setSort={(sort) => change({ ...filters, sort })}
                />
              </Paper>
            )}
          </Box>
          <Pager search={search} next={next} shown={offers.length} total={total} isLoading={query.isPlaceholderData} />
        </>
      )}
      {/* The dialogs stay open even if the change leaves no offer in the list. */}
      {isFixing && <FixOffers filters={filters} close={() => setFixing(false)} />}
      {mayChange && (
        <BulkBar
          key={list}
          selected={selected}
          setSelected={setSelected}
          shown={offers.map(({ sku }) => sku)}
          filters={filters}
          total={total}
          asked={asked}
        />
      )}
    </Stack>
  );
}

/** The server stops counting at 10,000 offers or after a limited time. */
function totalText(total: OfferTotal | undefined): string {
  if (total === undefined) return 'Counting offers…';
  if (!total.is_more) return countOf(total.offers, 'offer');
  return `${total.offers >= 10_000 ? 'More than' : 'At least'} ${countOf(total.offers, 'offer')}`;
}

interface PagerProps {
  readonly search: OfferListSearch;
  readonly next: string | null;
  /** Number of offers on the page. */
  readonly shown: number;
  readonly total: OfferTotal | undefined;
  readonly isLoading: boolean;
}

/** Uses positions instead of page numbers, so that every page is as fast as the first and new offers do not shift it. */
function Pager({ search, next, shown, total, isLoading }: PagerProps) {
  const environment = useEnvironment();
  const navigate = useNavigate();
  const { pagesBefore: before = [], offersBefore } = useRouterState({ select: ({ location }) => location.state });
  const { after = '', page = 1 } = search;
  if (page === 1 && next === null) return null;
  const start = page === 1 ? 0 : offersBefore?.at(-1);
  const open = (
    position: string,
    number: number,
    pagesBefore: readonly string[],
    offersBefore: readonly number[] | undefined,
  ) => {
    const filters = filtersOf(search);
    navigate({
      to: '/$environment/offers',
      params: { environment },
      search: position === '' ? filters : { ...filters, after: position, page: number },
      state: { pagesBefore, ...(offersBefore && { offersBefore }) },
    });
  };
  return (
    <Group justify="center" component="nav" aria-label="Pages of offers">
      <Button
        variant="default"
        size="xs"
        disabled={page === 1}
        onClick={() => open(before.at(-1) ?? '', page - 1, before.slice(0, -1), offersBefore?.slice(0, -1))}
      >
        {page > 1 && before.length === 0 ? 'First page' : 'Previous'}
      </Button>
      <Text size="sm">{start === undefined ? `Page ${page}` : rangeText(start, shown, total)}</Text>
      <Button
        variant="default"
        size="xs"
        disabled={next === null}
        loading={isLoading}
        onClick={() =>
          open(
            next ?? '',
            page + 1,
            [...before, after],
            start === undefined ? undefined : [...(offersBefore ?? []), start + shown],
          )
        }
      >
        Next
      </Button>
    </Group>
  );
}

/** "1–50 of 58". */
function rangeText(start: number, shown: number, total: OfferTotal | undefined): string {
  const range = `${countText(start + 1)}–${countText(start + shown)}`;
  if (total === undefined) return range;
  // Offers may have been added since they were counted.
  const all = Math.max(total.offers, start + shown);
  return `${range} of ${total.is_more ? 'more than ' : ''}${countText(all)}`;
}

/** Returns whether the sort order includes offers only after their first review. */
function isByReview({ sort = 'newest' }: OfferFilters): boolean {
  return sort.endsWith('title') || sort.endsWith('status');
}

/** Offers that wait for their first review. */
function useUnreviewed(): number {
  const { data } = useQuery(overviewQuery(useEnvironment()));
  if (data === undefined) return 0;
  const { total, by_status } = data.offers;
  return Math.max(0, total - by_status.reduce((sum, { offers }) => sum + offers, 0));
}

function NotSortedYet() {
  const waiting = useUnreviewed();
  return waiting === 0 ? null : <>; {countOf(waiting, 'offer')} in review not listed yet</>;
}

interface SortedProps {
  readonly sorted: NonNullable<OfferPage['sorted']>;
  readonly again: () => void;
}

/** Until `again_from`, the server would return the same order. */
function Sorted({ sorted: { at, again_from }, again }: SortedProps) {
  useRefresh();
  return (
    <Text size="sm" c="dimmed" mr="auto">
      Sorted <Time at={at} relative />
      {Date.now() >= Date.parse(again_from) && (
        <>
          {' · '}
          <Anchor component="button" inherit onClick={again}>
            Sort again
          </Anchor>
        </>
      )}
    </Text>
  );
}

interface TooManyToSortProps {
  readonly error: ApiError;
  readonly filters: OfferFilters;
  readonly change: (next: OfferFilters) => void;
}

function TooManyToSort({ error, filters: { sort: _sort, ...filters }, change }: TooManyToSortProps) {
  return (
    <Empty
      title="Too many offers to sort"
      action={
        <Anchor component="button" onClick={() => change(filters)}>
          Sort by newest
        </Anchor>
      }
    >
      {error.message}
    </Empty>
  );
}

function NoOffers({ filters, change }: Pick<OfferListProps, 'filters' | 'change'>) {
  const { sort: _sort, ...active } = filters;
  const waiting = useUnreviewed();
  const { data: suggestion } = useQuery(suggestionQuery(useEnvironment(), filters.q ?? ''));
  if (Object.keys(active).length === 0 && !isByReview(filters)) {
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
      {suggestion && (
        <>
          Did you mean{' '}
          <Anchor component="button" onClick={() => change({ ...filters, q: suggestion })}>
            {suggestion}
          </Anchor>
          ?{' '}
        </>
      )}
      {waiting > 0 && `${countOf(waiting, 'offer')} in review will be searchable after the review.`}
      {!suggestion && waiting === 0 && 'Check the spelling, or remove a filter.'}
    </Empty>
  );
}
