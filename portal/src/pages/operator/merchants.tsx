/** Merchant list. */
import { Badge, Button, Card, Progress, Stack, Table, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { api, ask } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { SearchField } from '../../ui/forms/search-field.tsx';
import { TextLink } from '../../ui/links.tsx';
import { countIfKnown, countOf, countText } from '../../ui/numbers.ts';
import { Page } from '../../ui/page.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Empty, SomeUnavailable } from '../../ui/states.tsx';
import { COLORS } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { AddMerchant } from './add-merchant.tsx';

type Merchants = components['schemas']['ListMerchantsAnswer'];

const REFRESH_MS = 15_000;

export function MerchantsPage() {
  const merchants = useQuery({
    queryKey: ['merchants'],
    queryFn: () => ask(api.GET('/merchants')),
    refetchInterval: REFRESH_MS,
  });
  const [isAdding, { open, close }] = useDisclosure();
  const { q = '' } = useSearch({ from: '/operator/merchants' });
  const navigate = useNavigate({ from: '/operator/merchants' });
  return (
    <Page title="Merchants" actions={<Button onClick={open}>Add merchant</Button>}>
      <AddMerchant isOpen={isAdding} close={close} />
      <SearchField
        placeholder="Name or ID"
        value={q}
        change={(words) => navigate({ search: words === '' ? {} : { q: words }, replace: true })}
      />
      <Card withBorder>
        <QueryView query={merchants} what="merchants">
          {(found) =>
            found.merchants.length === 0 ? (
              <Empty title="No merchants yet">Add a merchant to get started.</Empty>
            ) : (
              <>
                {found.merchants.some(({ offers }) => offers.live === null || offers.test === null) && (
                  <SomeUnavailable>
                    Their offers can't be counted because a database node is not responding. This page updates
                    automatically.
                  </SomeUnavailable>
                )}
                <MerchantTable found={{ ...found, merchants: matching(found.merchants, q) }} />
              </>
            )
          }
        </QueryView>
      </Card>
    </Page>
  );
}

/** Returns the merchants whose name or id contains every typed word. */
function matching(merchants: Merchants['merchants'], typed: string): Merchants['merchants'] {
  const words = typed.toLowerCase().split(/\s+/);
  return merchants.filter(({ id, name }) => words.every((word) => `${id} ${name.toLowerCase()}`.includes(word)));
}

function MerchantTable({ found: { merchants, limit_per_minute: limit } }: { readonly found: Merchants }) {
  if (merchants.length === 0) return <Empty title="No matching merchants">Try another name or ID.</Empty>;
  return (
    <Table.ScrollContainer minWidth={720}>
      <Table highlightOnHover verticalSpacing="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Merchant</Table.Th>
            <Table.Th ta="right">Live offers</Table.Th>
            <Table.Th ta="right">Test offers</Table.Th>
            <Table.Th ta="right">Users</Table.Th>
            <Table.Th>Live API requests (last minute)</Table.Th>
            <Table.Th>Created</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {merchants.map((merchant) => (
            <Table.Tr key={merchant.id}>
              <Table.Td>
                <Stack gap={2} align="flex-start">
                  <TextLink to="/operator/merchants/$merchantId" params={{ merchantId: merchant.id }}>
                    {merchant.name}
                  </TextLink>
                  <Text size="xs" c="dimmed">
                    {merchant.id}
                  </Text>
                  {merchant.suspended && (
                    <Badge color="red" variant="light" tt="none">
                      Suspended
                    </Badge>
                  )}
                </Stack>
              </Table.Td>
              <Table.Td ta="right" className="number">
                {countIfKnown(merchant.offers.live)}
              </Table.Td>
              <Table.Td ta="right" className="number">
                {countIfKnown(merchant.offers.test)}
              </Table.Td>
              <Table.Td ta="right" className="number">
                {countText(merchant.users)}
              </Table.Td>
              <Table.Td>
                <Requests name={merchant.name} count={merchant.requests.live.last_minute} limit={limit} />
              </Table.Td>
              <Table.Td>
                <Time at={merchant.created} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

interface RequestsProps {
  readonly name: string;
  readonly count: number;
  readonly limit: number;
}

function Requests({ name, count, limit }: RequestsProps) {
  return (
    <Stack gap={2}>
      <Text size="sm">
        {countText(count)} of {countText(limit)}
      </Text>
      <Progress
        value={(count / limit) * 100}
        color={count > limit * 0.8 ? COLORS.fix : 'iris'}
        aria-label={`${countOf(count, 'request')} from ${name} in the last minute`}
      />
    </Stack>
  );
}
