/** Activity log: what operators changed, and webhook changes, newest first. */
import { Button, Card, Group, Select, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { api, ask } from '../../api/client.ts';
import { isOnePage } from '../../api/pages.ts';
import type { components } from '../../api/schema.d.ts';
import { CardList, useIsPhone } from '../../ui/card-list.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { SearchField } from '../../ui/forms/search-field.tsx';
import { TextLink } from '../../ui/links.tsx';
import { Page } from '../../ui/page.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { Empty, Failed, Loading } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { ACT_CHOICES, actName, actPage, detailText } from './act-names.ts';

interface Filters {
  readonly q?: string;
  /** Id of the call. */
  readonly act?: string;
}

type Act = components['schemas']['ListActsAnswer']['acts'][number];

export function ActivityLogPage() {
  const filters = useSearch({ from: '/operator/activity-log' });
  const navigate = useNavigate({ from: '/operator/activity-log' });
  const set = (name: keyof Filters, value: string | null, replace = false) => {
    const { [name]: _before, ...others } = filters;
    void navigate({ search: value ? { ...others, [name]: value } : others, replace });
  };
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <Page
      title="Activity log"
      about="Changes by operators, in the portal and on the command line, and changes to webhooks."
    >
      <Group align="flex-end" gap="xs" role="search" aria-label="Activity filters">
        <SearchField placeholder="User, target or details" value={filters.q ?? ''} change={(q) => set('q', q, true)} />
        <Select
          label="Action"
          placeholder="All"
          clearable
          searchable
          w={240}
          data={ACT_CHOICES}
          value={filters.act ?? null}
          onChange={(act) => set('act', act)}
        />
        {isFiltered && (
          <Button variant="subtle" onClick={() => navigate({ search: {} })}>
            Clear
          </Button>
        )}
      </Group>
      <ActivityList filters={filters} />
    </Page>
  );
}

function ActivityList({ filters }: { readonly filters: Filters }) {
  const isPhone = useIsPhone();
  const acts = useInfiniteQuery({
    queryKey: ['acts', filters],
    queryFn: ({ pageParam }) =>
      ask(
        api.GET('/acts', {
          params: { query: pageParam === undefined ? filters : { ...filters, after: pageParam } },
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchOnWindowFocus: isOnePage,
  });
  if (acts.isPending) return <Loading what="activity log" />;
  if (acts.data === undefined) return <Failed error={acts.error} retry={() => acts.refetch()} />;
  const shown = acts.data.pages.flatMap((page) => page.acts);
  if (shown.length === 0) {
    return Object.keys(filters).length > 0 ? (
      <Empty order={2} title="No matching activity">
        Change or clear the filters.
      </Empty>
    ) : (
      <Empty order={2} title="No activity yet">
        Changes by operators appear here.
      </Empty>
    );
  }
  return (
    <Stack>
      {acts.isError && <Failed error={acts.error} retry={() => acts.fetchNextPage()} />}
      {isPhone ? (
        <CardList rows={shown} keyOf={keyOf}>
          {(act) => (
            <Stack gap={2}>
              <Text fw={550}>{actName(act)}</Text>
              <Target {...act} />
              <Text size="sm" className="anywhere">
                {detailText(act.detail)}
              </Text>
              <Text size="sm" c="dimmed" className="anywhere">
                {act.by} · <Time at={act.at} />
              </Text>
            </Stack>
          )}
        </CardList>
      ) : (
        <Card withBorder>
          <DataTable
            minWidth={860}
            rows={shown}
            keyOf={keyOf}
            columns={[
              { head: 'Time', cell: ({ at }) => <Time at={at} /> },
              { head: 'User', cell: ({ by }) => by, td: { miw: 200, className: 'anywhere' } },
              { head: 'Action', cell: actName },
              { head: 'Target', cell: Target, td: { miw: 140, className: 'anywhere' } },
              { head: 'Details', cell: ({ detail }) => detailText(detail), td: { className: 'anywhere' } },
            ]}
          />
        </Card>
      )}
      <ShowMore list={acts} />
    </Stack>
  );
}

function keyOf({ at, by, act, subject }: Act): string {
  return `${at} ${by} ${act} ${subject}`;
}

function Target(act: Act) {
  const { subject } = act;
  const page = actPage(act);
  if (subject === '' || page === undefined) return subject;
  if (page === 'merchant') {
    return (
      <TextLink to="/operator/merchants/$merchantId" params={{ merchantId: subject }}>
        {subject}
      </TextLink>
    );
  }
  return <TextLink to={page}>{subject}</TextLink>;
}
