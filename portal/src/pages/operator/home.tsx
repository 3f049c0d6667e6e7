/** Home of operators: what needs a person today, then how offers develop, queues and rule changes. */
import { Badge, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { announcedQuery } from '../../api/announced-changes.ts';
import { api, ask } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { AreaChart } from '../../ui/charts/area-chart.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { TextLink } from '../../ui/links.tsx';
import { countText, durationText, LOCALE } from '../../ui/numbers.ts';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Empty } from '../../ui/states.tsx';
import { COLORS } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { Attention } from './attention.tsx';
import { ChangeText, ruleChangesQuery } from './recent-changes.tsx';
import { type System, systemQuery } from './system.tsx';

export type Home = components['schemas']['ReadHomeAnswer'];

const REFRESH_MS = 30_000;
const CHANGES_SHOWN_MAX = 5;

export function HomePage() {
  const home = useQuery({ queryKey: ['home'], queryFn: () => ask(api.GET('/home')), refetchInterval: REFRESH_MS });
  return (
    <Page title="Home" about="What needs attention, and the live offers of all merchants over time.">
      <QueryView query={home} what="home">
        {(found) => (
          <>
            <Attention home={found} />
            <SimpleGrid cols={{ base: 1, lg: 2 }}>
              <OfferDays days={found.days} />
              <Rises home={found} />
              <Queues />
              <RuleChanges />
            </SimpleGrid>
          </>
        )}
      </QueryView>
    </Page>
  );
}

const SERIES = [
  { name: 'available', label: 'Available', color: `var(--mantine-color-${COLORS.done}-6)` },
  { name: 'failing', label: 'With issues', color: `var(--mantine-color-${COLORS.fix}-6)` },
  { name: 'review', label: 'In review', color: `var(--mantine-color-${COLORS.waiting}-6)` },
  { name: 'archived', label: 'Archived', color: `var(--mantine-color-${COLORS.inactive}-6)` },
] as const;

/** The days are those of UTC, wherever the operator is. */
const DAY = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeZone: 'UTC' });
const utcDayText = (at: string) => DAY.format(new Date(at));

function OfferDays({ days }: { readonly days: Home['days'] }) {
  const [first] = days;
  const last = days.at(-1);
  return (
    <Panel title="Offers by status" about="The last 30 days. Today is counted every 10 minutes.">
      {first === undefined || last === undefined ? (
        <Empty title="No offers counted yet" />
      ) : (
        <>
          <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
            {SERIES.map(({ name, label }) => (
              <Stack key={name} gap={0}>
                <Text size="sm" c="dimmed">
                  {label}
                </Text>
                <Text fw={600}>{countText(last[name])}</Text>
                {days.length > 1 && (
                  <Text size="xs" c="dimmed">
                    {countText(first[name])} on {utcDayText(first.at)}
                  </Text>
                )}
              </Stack>
            ))}
          </SimpleGrid>
          {days.length > 1 && (
            <AreaChart points={days} series={SERIES.toSorted(byHeight(days))} timeText={utcDayText} />
          )}
        </>
      )}
    </Panel>
  );
}

/** The chart is as high as the first series. */
function byHeight(days: Home['days']) {
  const top = ({ name }: (typeof SERIES)[number]) => Math.max(...days.map((day) => day[name]));
  return (one: (typeof SERIES)[number], other: (typeof SERIES)[number]) => top(other) - top(one);
}

function Rises({ home: { days, rises, rises_since: since } }: { readonly home: Home }) {
  const isFirst = days.every(({ at }) => at <= since);
  return (
    <Panel title="Merchants with rising issues" about={rises.length > 0 && `Compared with ${utcDayText(since)}.`}>
      {rises.length === 0 ? (
        <Empty title={isFirst ? 'Nothing to compare with yet' : 'No rising issues'}>
          {isFirst
            ? 'The offers are compared from the second day on.'
            : `No merchant has more offers with issues than on ${utcDayText(since)}.`}
        </Empty>
      ) : (
        <DataTable
          minWidth={300}
          rows={rises}
          keyOf={({ merchant }) => merchant.id}
          columns={[
            {
              head: 'Merchant',
              td: { className: 'anywhere' },
              cell: ({ merchant: { id, name } }) => (
                <TextLink to="/operator/merchants/$merchantId" params={{ merchantId: id }}>
                  {name}
                </TextLink>
              ),
            },
            { head: 'Offers with issues', isNumber: true, cell: ({ now }) => countText(now) },
            { head: 'More', isNumber: true, cell: ({ before, now }) => `+${countText(now - before)}` },
          ]}
        />
      )}
    </Panel>
  );
}

function Queues() {
  const system = useQuery(systemQuery);
  return (
    <Panel
      title="Queues"
      actions={
        <TextLink to="/operator/review" size="sm">
          Review backlog
        </TextLink>
      }
    >
      <QueryView query={system} what="queues">
        {({ review, images, work }) => (
          <DataTable
            rows={[
              { name: 'Offers due for review', waiting: review.due, oldest: review.oldest_due_seconds },
              {
                name: 'Images to fetch',
                waiting: images.waiting - images.retrying,
                oldest: images.oldest_wait_seconds,
              },
              { name: 'Images to retry', waiting: images.retrying, oldest: images.oldest_retry_seconds },
              fileQueue(work),
            ]}
            keyOf={({ name }) => name}
            columns={[
              { head: 'Queue', cell: ({ name }) => name },
              { head: 'Waiting', isNumber: true, cell: ({ waiting }) => countText(waiting) },
              {
                head: 'Oldest',
                isNumber: true,
                cell: ({ waiting, oldest }) => (waiting === 0 ? '—' : durationText(oldest)),
              },
            ]}
          />
        )}
      </QueryView>
    </Panel>
  );
}

function fileQueue(work: System['work']) {
  const files = work.filter(({ kind }) => kind.startsWith('file'));
  return {
    name: 'File queues',
    waiting: files.reduce((sum, { due }) => sum + due, 0),
    oldest: Math.max(0, ...files.map(({ oldest_due_seconds: oldest }) => oldest)),
  };
}

function RuleChanges() {
  const announced = useQuery(announcedQuery);
  const recent = useQuery(ruleChangesQuery);
  const upcoming = (announced.data?.changes ?? []).filter(({ state }) => state === 'announced');
  return (
    <Panel
      title="Rule changes"
      actions={
        <TextLink to="/operator/changes" size="sm">
          All changes
        </TextLink>
      }
    >
      <QueryView query={recent} what="rule changes">
        {({ changes }) => {
          const rows = [
            ...upcoming.map(({ id, act, subject, enforced_from: at }) => ({ id, act, subject, at, isUpcoming: true })),
            ...changes
              .filter(({ undone }) => undone === null)
              .slice(0, CHANGES_SHOWN_MAX)
              .map((change) => ({ ...change, isUpcoming: false })),
          ];
          if (rows.length === 0) return <Empty title="No recent or upcoming changes" />;
          return (
            <Stack gap="sm">
              {rows.map(({ id, act, subject, at, isUpcoming }) => (
                <Group key={`${id} ${isUpcoming}`} justify="space-between" wrap="nowrap">
                  <div>
                    <ChangeText act={act} subject={subject} />
                  </div>
                  <Stack gap={0} align="flex-end">
                    {isUpcoming && <Badge variant="light">Upcoming</Badge>}
                    <Time at={at} relative size="sm" c="dimmed" />
                  </Stack>
                </Group>
              ))}
            </Stack>
          );
        }}
      </QueryView>
    </Panel>
  );
}
