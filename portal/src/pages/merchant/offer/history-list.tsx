/** Change history of an offer: who changed what and when, before and after. */
import { Badge, Code, Group, SimpleGrid, Stack, Text, Timeline } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { api, ask } from '../../../api/client.ts';
import { readableExact, stringifyExact } from '../../../api/exact-json.ts';
import { type OfferKey, pathOf } from '../../../api/offer.ts';
import { isOnePage } from '../../../api/pages.ts';
import type { components } from '../../../api/schema.d.ts';
import { useSession } from '../../../api/session.ts';
import { keyed } from '../../../ui/forms/keyed.ts';
import { countText } from '../../../ui/numbers.ts';
import { Panel } from '../../../ui/panel.tsx';
import { ShowMore } from '../../../ui/show-more.tsx';
import { Empty, Failed, Loading } from '../../../ui/states.tsx';
import { Time } from '../../../ui/time.tsx';

type Change = components['schemas']['ReadOfferHistoryAnswer']['changes'][number];

const CHANGES_PER_PAGE = 20;

const PART_NAMES: Readonly<Record<Change['part'], string>> = {
  sku: 'Product data',
  price: 'Price',
  inventory: 'Inventory',
  archive: 'Archive',
  variation: 'Variation group',
  shipping_exceptions: 'Shipping exceptions',
  returns_exceptions: 'Returns exceptions',
};

export function HistoryPanel({ offerKey }: { readonly offerKey: OfferKey }) {
  const days = useSession().limits.history_days;
  if (days === 0) {
    return (
      <Panel title="History">
        <Empty title="History is turned off">The marketplace does not record changes.</Empty>
      </Panel>
    );
  }
  const span = days === 1 ? 'last day' : `last ${countText(days)} days`;
  return (
    <Panel title={`History of the ${span}`}>
      <HistoryList offerKey={offerKey} span={span} />
    </Panel>
  );
}

function HistoryList({ offerKey, span }: { readonly offerKey: OfferKey; readonly span: string }) {
  const history = useInfiniteQuery({
    queryKey: ['offers', offerKey.environment, 'offer', offerKey.sku, 'history'],
    queryFn: ({ pageParam }) =>
      ask(
        api.GET('/{environment}/offers/{user_defined_sku_id}/history', {
          params: {
            path: pathOf(offerKey),
            query: { limit: CHANGES_PER_PAGE, ...(pageParam === undefined ? {} : { after: pageParam }) },
          },
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchOnWindowFocus: isOnePage,
  });
  if (history.isPending) return <Loading what="history" />;
  if (history.data === undefined) return <Failed error={history.error} retry={() => history.refetch()} />;
  const changes = history.data.pages.flatMap((page) => page.changes);
  if (changes.length === 0) return <Empty title={`No changes in the ${span}`} />;
  return (
    <Stack>
      {history.isError && <Failed error={history.error} retry={() => history.fetchNextPage()} />}
      <Timeline bulletSize={14} lineWidth={2}>
        {keyed(changes, nameOf).map(([key, change]) => (
          <Timeline.Item key={key} title={<ChangeTitle change={change} />}>
            <BeforeAndAfter change={change} />
          </Timeline.Item>
        ))}
      </Timeline>
      <ShowMore list={history} />
    </Stack>
  );
}

function ChangeTitle({ change: { part, at, by } }: { readonly change: Change }) {
  return (
    <Group gap="xs">
      <Text fw={600}>{PART_NAMES[part]}</Text>
      <Time at={at} size="sm" c="dimmed" />
      <Badge variant="default" tt="none">
        by {by.kind} {by.name}
      </Badge>
    </Group>
  );
}

function BeforeAndAfter({ change }: { readonly change: Change }) {
  const names = changedNames(change.before, change.after);
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} mt={4}>
      <Side label="Before" value={onlyNames(change.before, names)} />
      <Side label="After" value={onlyNames(change.after, names)} />
    </SimpleGrid>
  );
}

function Side({ label, value }: { readonly label: string; readonly value: unknown }) {
  return (
    <Stack gap={2}>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      {value === null ? (
        <Text size="sm" c="dimmed">
          —
        </Text>
      ) : (
        <Code block className="wrapped">
          {readableExact(value)}
        </Code>
      )}
    </Stack>
  );
}

/** Names of the fields that differ; undefined if the part was created or removed as a whole. */
function changedNames(before: object | null, after: object | null): readonly string[] | undefined {
  if (before === null || after === null) return undefined;
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const left = before as Record<string, unknown>;
  const right = after as Record<string, unknown>;
  return [...names].filter((name) => stringifyExact(left[name]) !== stringifyExact(right[name]));
}

function onlyNames(value: object | null, names: readonly string[] | undefined): unknown {
  if (value === null || names === undefined) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)));
}

function nameOf({ at, part, by }: Change): string {
  return `${at} ${part} ${by.kind} ${by.name}`;
}
