/** Merchant list. */
import { Button, Card, Progress, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { merchantsQuery } from '../../../api/operator-offers.ts';
import type { components } from '../../../api/schema.d.ts';
import { DataTable } from '../../../ui/data-table.tsx';
import { SearchField } from '../../../ui/forms/search-field.tsx';
import { TextLink } from '../../../ui/links.tsx';
import { countIfKnown, countOf, countText } from '../../../ui/numbers.ts';
import { Page } from '../../../ui/page.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Empty, SomeUnavailable } from '../../../ui/states.tsx';
import { COLORS, SuspendedBadge } from '../../../ui/status-badge.tsx';
import { Time } from '../../../ui/time.tsx';
import { AddMerchant } from './add-merchant.tsx';

type Merchants = components['schemas']['ListMerchantsAnswer'];

const REFRESH_MS = 15_000;

export function MerchantsPage() {
  const merchants = useQuery({ ...merchantsQuery, refetchInterval: REFRESH_MS });
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
    <DataTable
      minWidth={720}
      highlightOnHover
      verticalSpacing="sm"
      rows={merchants}
      keyOf={({ id }) => id}
      columns={[
        {
          head: 'Merchant',
          cell: ({ id, name, suspended }) => (
            <div>
              <TextLink to="/operator/merchants/$merchantId" params={{ merchantId: id }}>
                {name}
              </TextLink>
              <Text size="xs" c="dimmed">
                {id}
              </Text>
              {suspended && <SuspendedBadge />}
            </div>
          ),
        },
        { head: 'Live offers', isNumber: true, cell: ({ offers }) => countIfKnown(offers.live) },
        { head: 'Test offers', isNumber: true, cell: ({ offers }) => countIfKnown(offers.test) },
        { head: 'Users', isNumber: true, cell: ({ users }) => countText(users) },
        {
          head: 'Live API requests (last minute)',
          cell: ({ name, requests }) => <Requests name={name} count={requests.live.last_minute} limit={limit} />,
        },
        { head: 'Created', cell: ({ created }) => <Time at={created} /> },
      ]}
    />
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
