/** System page: health checks, queues and background work. */
import { Badge, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, ask } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { bytesText, countOf, countText, durationText } from '../../ui/numbers.ts';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { SomeUnavailable } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';

export type System = components['schemas']['GetSystemAnswer'];

const REFRESH_MS = 5000;

export const systemQuery = queryOptions({
  queryKey: ['system'],
  queryFn: () => ask(api.GET('/system')),
  refetchInterval: REFRESH_MS,
});

export function SystemPage() {
  const system = useQuery(systemQuery);
  return (
    <Page title="System" about={system.data && <Running system={system.data} />}>
      <QueryView query={system} what="system status">
        {(found) => (
          <>
            {found.review.accounts_missing > 0 && (
              <SomeUnavailable>
                {countOf(found.review.accounts_missing, 'account')} can't be counted because a database node is not
                responding.
              </SomeUnavailable>
            )}
            <Health system={found} />
            <Queues system={found} />
            <Work system={found} />
          </>
        )}
      </QueryView>
    </Page>
  );
}

function Running({ system: { version, since } }: { readonly system: System }) {
  return (
    <>
      Offerbook {version}, started <Time at={since} />
    </>
  );
}

function Health({ system: { checks } }: { readonly system: System }) {
  return (
    <Panel title="Health checks">
      {checks.map(({ name, ok, detail }) => (
        <Group key={name} wrap="nowrap">
          <Badge color={ok ? 'green' : 'red'} variant="light" w={90}>
            {ok ? 'OK' : 'Problem'}
          </Badge>
          <Text fw={600}>{name}</Text>
          <Text c="dimmed">{detail}</Text>
        </Group>
      ))}
    </Panel>
  );
}

function Queues({ system: { review, images, store, files, taxonomy } }: { readonly system: System }) {
  const retries =
    images.retrying === 0
      ? ''
      : `${countText(images.retrying)} more waiting for a retry, the oldest for ${durationText(images.oldest_retry_seconds)}`;
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
      <Queue title="Offers due for review" waiting={review.due} oldest_seconds={review.oldest_due_seconds} />
      <Queue
        title="Images to fetch"
        waiting={images.waiting - images.retrying}
        oldest_seconds={images.oldest_wait_seconds}
        more={retries}
      />
      <Queue title="Pending writes" waiting={store.writes.waiting} oldest_seconds={store.writes.oldest_wait_seconds} />
      <Figure
        title={`Database (${store.kind === 'sqlite' ? 'SQLite' : 'PostgreSQL'})`}
        value={bytesText(store.size_bytes)}
        about="on disk"
      />
      <Figure
        title="Active uploads"
        value={countText(files.under_way)}
        about={`${bytesText(files.free_bytes)} free on the upload disk`}
      />
      <Figure title="Taxonomy" value={countOf(taxonomy.nodes, 'category', 'categories')} about={taxonomy.source} />
    </SimpleGrid>
  );
}

interface QueueProps {
  readonly title: string;
  readonly waiting: number;
  readonly oldest_seconds: number;
  readonly more?: string;
}

function Queue({ title, waiting, oldest_seconds, more = '' }: QueueProps) {
  const oldest = waiting === 0 ? '' : `Oldest: ${durationText(oldest_seconds)}`;
  return (
    <Figure
      title={title}
      value={countText(waiting)}
      about={[oldest, more].filter(Boolean).join('. ') || 'None waiting'}
    />
  );
}

interface FigureProps {
  readonly title: string;
  readonly value: string;
  readonly about: string;
}

function Figure({ title, value, about }: FigureProps) {
  return (
    <Panel title={title}>
      <Stack gap={0}>
        <Text fz={28} fw={700}>
          {value}
        </Text>
        <Text size="sm" c="dimmed">
          {about}
        </Text>
      </Stack>
    </Panel>
  );
}

function Work({ system: { work } }: { readonly system: System }) {
  return (
    <Panel title="Background work">
      <DataTable
        rows={work}
        keyOf={({ kind }) => kind}
        columns={[
          { head: 'Type', cell: ({ kind }) => kind },
          { head: 'Accounts waiting', isNumber: true, cell: ({ due }) => countText(due) },
          { head: 'Oldest', isNumber: true, cell: ({ oldest_due_seconds: seconds }) => durationText(seconds) },
        ]}
      />
    </Panel>
  );
}
