/** System page: health checks, queues and background work. */
import { Alert, Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
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
  const failed = checks.filter(({ ok }) => !ok);
  const passed = checks.filter(({ ok }) => ok);
  return (
    <Panel title="Health checks">
      {failed.length === 0 ? (
        <Text role="status">Everything works.</Text>
      ) : (
        failed.map(({ name, detail }) => (
          <Alert key={name} color="red" title={name} role="status">
            {detail}
          </Alert>
        ))
      )}
      <Folded what={countOf(passed.length, 'check that passed', 'checks that passed')}>
        {passed.map(({ name, detail }) => (
          <Group key={name} gap="xs">
            <Text fw={600}>{name}</Text>
            <Text c="dimmed">{detail}</Text>
          </Group>
        ))}
      </Folded>
    </Panel>
  );
}

interface FoldedProps {
  readonly what: string;
  readonly children: ReactNode;
}

/** Rows without a problem, which a button shows. */
function Folded({ what, children }: FoldedProps) {
  const [isOpen, { toggle }] = useDisclosure();
  return (
    <Stack gap="xs" align="flex-start">
      <Button size="compact-sm" variant="subtle" aria-expanded={isOpen} onClick={toggle}>
        {isOpen ? 'Hide' : 'Show'} {what}
      </Button>
      {isOpen && children}
    </Stack>
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

/** Kinds of background work, in words; those of files have the prefix `file-`. */
const WORK_NAMES: Readonly<Record<string, string>> = {
  housekeeping: 'Housekeeping',
  review: 'Review of offers',
  'review-sweep': 'Marking offers for review',
  'catalog-news': 'Changes of the catalog',
  report: 'Reports',
};

function workName(kind: string): string {
  return WORK_NAMES[kind] ?? kind.replace(/^file-/, 'Files: ');
}

function Work({ system: { work } }: { readonly system: System }) {
  const waiting = work.filter(({ due }) => due > 0);
  const idle = work.filter(({ due }) => due === 0);
  return (
    <Panel title="Background work">
      {waiting.length === 0 ? (
        <Text>No work is waiting.</Text>
      ) : (
        <DataTable
          rows={waiting}
          keyOf={({ kind }) => kind}
          columns={[
            { head: 'Work', cell: ({ kind }) => workName(kind) },
            { head: 'Accounts waiting', isNumber: true, cell: ({ due }) => countText(due) },
            { head: 'Oldest', isNumber: true, cell: ({ oldest_due_seconds: seconds }) => durationText(seconds) },
          ]}
        />
      )}
      {idle.length > 0 && (
        <Folded what={countOf(idle.length, 'idle kind of work', 'idle kinds of work')}>
          <Text c="dimmed">{idle.map(({ kind }) => workName(kind)).join(', ')}</Text>
        </Folded>
      )}
    </Panel>
  );
}
