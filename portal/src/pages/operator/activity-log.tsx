/** Activity log: what operators changed, and webhook changes, newest first. */
import { Card, Code, Stack } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { api, ask } from '../../api/client.ts';
import { isOnePage } from '../../api/pages.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { Page } from '../../ui/page.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { Empty, Failed, Loading } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';

export function ActivityLogPage() {
  return (
    <Page
      title="Activity log"
      about="Changes by operators, in the portal and on the command line, and changes to webhooks."
    >
      <ActivityList />
    </Page>
  );
}

function ActivityList() {
  const acts = useInfiniteQuery({
    queryKey: ['acts'],
    queryFn: ({ pageParam }) =>
      ask(api.GET('/acts', { params: { query: pageParam === undefined ? {} : { after: pageParam } } })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchOnWindowFocus: isOnePage,
  });
  if (acts.isPending) return <Loading what="activity log" />;
  if (acts.data === undefined) return <Failed error={acts.error} retry={() => acts.refetch()} />;
  const shown = acts.data.pages.flatMap((page) => page.acts);
  if (shown.length === 0) return <Empty title="No activity yet">Changes by operators appear here.</Empty>;
  return (
    <Stack>
      {acts.isError && <Failed error={acts.error} retry={() => acts.fetchNextPage()} />}
      <Card withBorder>
        <DataTable
          minWidth={640}
          rows={shown}
          keyOf={({ at, by, act, subject }) => `${at} ${by} ${act} ${subject}`}
          columns={[
            { head: 'Time', cell: ({ at }) => <Time at={at} /> },
            { head: 'User', cell: ({ by }) => by },
            { head: 'Action', cell: ({ act }) => actText(act) },
            { head: 'Target', cell: ({ subject }) => subject },
            { head: 'Details', cell: ({ detail }) => detail !== '' && <Code>{detail}</Code> },
          ]}
        />
      </Card>
      <ShowMore list={acts} />
    </Stack>
  );
}

/** Turns a call's name such as `addMerchant` into "Add merchant". */
function actText(act: string): string {
  const words = act.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
