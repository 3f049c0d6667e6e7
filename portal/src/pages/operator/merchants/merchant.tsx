/** Operator's page of one merchant: offers and issues, notes, keys, users, and API requests last. */
import { Alert, Button, SimpleGrid, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { api, ask } from '../../../api/client.ts';
import type { components } from '../../../api/schema.d.ts';
import { RequestsOverTime } from '../../../ui/charts/requests-over-time.tsx';
import { methodName } from '../../../ui/forms/choices.ts';
import { KeyTable } from '../../../ui/key-table.tsx';
import { TextLink } from '../../../ui/links.tsx';
import { countText } from '../../../ui/numbers.ts';
import { Page } from '../../../ui/page.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Empty } from '../../../ui/states.tsx';
import { InviteMember } from '../../account/invite-member.tsx';
import { UserTable } from '../../account/user-table.tsx';
import { MerchantActions } from './merchant-actions.tsx';
import { MerchantActivity } from './merchant-activity.tsx';
import { MerchantNote } from './merchant-note.tsx';

type Merchant = components['schemas']['GetMerchantDetailsAnswer'];

const ENVIRONMENTS = ['live', 'test'] as const;
const REFRESH_MS = 15_000;

export function MerchantPage() {
  const { merchantId } = useParams({ from: '/operator/merchants/$merchantId' });
  const merchant = useQuery({
    queryKey: ['merchants', merchantId],
    queryFn: () => ask(api.GET('/merchants/{merchant_id}', { params: { path: { merchant_id: merchantId } } })),
    refetchInterval: REFRESH_MS,
  });
  return (
    <Page
      title={merchant.data?.name ?? merchantId}
      about={
        <>
          <TextLink to="/operator/merchants">All merchants</TextLink> · {merchantId}
        </>
      }
      actions={merchant.data && <MerchantActions merchant={merchant.data} />}
    >
      <QueryView query={merchant} what="merchant">
        {(found) => (
          <>
            {found.suspended && (
              <Alert color="red" title="Suspended">
                API access is blocked, users are read-only, and no offer is for sale.
              </Alert>
            )}
            <SimpleGrid cols={{ base: 1, lg: 2 }}>
              {ENVIRONMENTS.map((environment) => (
                <MerchantActivity key={environment} merchant={found} environment={environment} />
              ))}
            </SimpleGrid>
            <MerchantNote merchantId={merchantId} note={found.note} etag={found.note_etag} />
            <Keys merchant={found} />
            <Users merchantId={merchantId} />
            <Facts merchant={found} />
            <SimpleGrid cols={{ base: 1, lg: 2 }}>
              {ENVIRONMENTS.map((environment) => (
                <Panel key={environment} title={`API requests (${environment})`}>
                  <RequestsOverTime
                    limitPerMinute={found.limit_per_minute}
                    minutes={found.requests[environment].minutes}
                  />
                </Panel>
              ))}
            </SimpleGrid>
          </>
        )}
      </QueryView>
    </Page>
  );
}

function Facts({ merchant }: { readonly merchant: Merchant }) {
  const facts = [
    ['Return window (days)', countText(merchant.time_to_return_days)],
    ['Return shipping methods', merchant.return_shipping_methods.map(methodName).join(', ')],
  ] as const;
  return (
    <Panel title="Returns">
      <SimpleGrid cols={{ base: 2, sm: 4 }}>
        {facts.map(([name, value]) => (
          <Stack key={name} gap={0}>
            <Text size="sm" c="dimmed">
              {name}
            </Text>
            <Text fw={600}>{value}</Text>
          </Stack>
        ))}
      </SimpleGrid>
    </Panel>
  );
}

function Keys({ merchant: { keys } }: { readonly merchant: Merchant }) {
  const rows = ENVIRONMENTS.flatMap((environment) => keys[environment].map((key) => ({ ...key, environment })));
  return (
    <Panel title="Active keys">
      {rows.length === 0 ? (
        <Empty title="No active keys">The merchant creates keys in the portal.</Empty>
      ) : (
        <KeyTable keys={rows} />
      )}
    </Panel>
  );
}

function Users({ merchantId }: { readonly merchantId: string }) {
  const [isInviting, { open, close }] = useDisclosure();
  const users = useQuery({
    queryKey: ['users', merchantId],
    queryFn: () => ask(api.GET('/users', { params: { query: { merchant: merchantId } } })),
  });
  return (
    <Panel
      title="Users"
      actions={
        <Button variant="light" onClick={open}>
          Invite member
        </Button>
      }
    >
      <InviteMember isOpen={isInviting} close={close} merchantId={merchantId} />
      <QueryView query={users} what="users">
        {({ users: shown }) =>
          shown.length === 0 ? (
            <Empty title="No users yet">Invite a user to give this merchant access.</Empty>
          ) : (
            <UserTable users={shown} />
          )
        }
      </QueryView>
    </Panel>
  );
}
