/** The page of the record: what operators have done, newest first. */
import { Card, Code, Stack, Table } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { api, ask } from '../../api/client.ts';
import { isOnePage } from '../../api/pages.ts';
import { keyed } from '../../ui/forms/keyed.ts';
import { Page } from '../../ui/page.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { Empty, Failed, Loading } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';

export function ActsPage() {
  return (
    <Page title="Record of acts" about="Every change by an operator, in the portal or on the command line.">
      <ActList />
    </Page>
  );
}

function ActList() {
  const acts = useInfiniteQuery({
    queryKey: ['acts'],
    queryFn: ({ pageParam }) =>
      ask(api.GET('/acts', { params: { query: pageParam === undefined ? {} : { after: pageParam } } })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchOnWindowFocus: isOnePage,
  });
  if (acts.isPending) return <Loading what="record" />;
  if (acts.data === undefined) return <Failed error={acts.error} retry={() => acts.refetch()} />;
  const shown = acts.data.pages.flatMap((page) => page.acts);
  if (shown.length === 0) return <Empty title="Nothing was done yet" />;
  return (
    <Stack>
      {acts.isError && <Failed error={acts.error} retry={() => acts.fetchNextPage()} />}
      <Card withBorder>
        <Table.ScrollContainer minWidth={640}>
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>When</Table.Th>
                <Table.Th>Who</Table.Th>
                <Table.Th>What</Table.Th>
                <Table.Th>To what</Table.Th>
                <Table.Th>Detail</Table.Th>
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

/** Calls are known by names such as `addMerchant`. */
function actText(act: string): string {
  return act.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
