/** Activity log: what operators changed, and webhook changes, newest first. */
import { Card, Code, Stack, Table } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { api, ask } from '../../api/client.ts';
import { isOnePage } from '../../api/pages.ts';
import { keyed } from '../../ui/forms/keyed.ts';
import { Page } from '../../ui/page.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { Empty, Failed, Loading } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';

export function ActivityLogPage() {
  return (
    <Page
      title="Activity log"
      about="Changes by operators, in the portal and on the command line, and changes to merchants' webhooks."
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
        <Table.ScrollContainer minWidth={640}>
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Time</Table.Th>
                <Table.Th>User</Table.Th>
                <Table.Th>Action</Table.Th>
                <Table.Th>Target</Table.Th>
                <Table.Th>Details</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {keyed(shown, ({ at, by, act, subject }) => `${at} ${by} ${act} ${subject}`).map(([key, row]) => (
                <Table.Tr key={key}>
                  <Table.Td>
                    <Time at={row.at} />
                  </Table.Td>
                  <Table.Td>{row.by}</Table.Td>
                  <Table.Td>{actText(row.act)}</Table.Td>
                  <Table.Td>{row.subject}</Table.Td>
                  <Table.Td>{row.detail !== '' && <Code>{row.detail}</Code>}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
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
