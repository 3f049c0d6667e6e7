/** Delivery log of one webhook: each attempt with its result, and a button that sends the event again. */
import { Alert, Button, Group, Paper, Stack, Table, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMayChange } from '../../../api/session.ts';
import {
  DELIVERIES_MAX,
  type Delivery,
  deliveriesQuery,
  replayEvent,
  TEST_TYPE,
  type Webhook,
} from '../../../api/webhooks.ts';
import { ActionsHead } from '../../../ui/actions-head.tsx';
import { useEnvironment } from '../../../ui/environment.ts';
import { keyed } from '../../../ui/forms/keyed.ts';
import { ButtonLink } from '../../../ui/links.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Empty, Failed } from '../../../ui/states.tsx';
import { DeliveryStatus } from '../../../ui/status-badge.tsx';
import { Time } from '../../../ui/time.tsx';

export function Deliveries({ webhook: { webhook_id, url } }: { readonly webhook: Webhook }) {
  const environment = useEnvironment();
  const mayChange = useMayChange();
  const queryClient = useQueryClient();
  const log = useQuery(deliveriesQuery(environment, webhook_id, DELIVERIES_MAX));
  const replaying = useMutation({
    mutationFn: (eventId: string) => replayEvent(environment, webhook_id, eventId),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['webhooks', environment] }),
  });
  const replay = mayChange ? replaying : undefined;
  return (
    <Panel
      title="Deliveries"
      about={
        <Text span inherit className="anywhere">
          The newest {DELIVERIES_MAX} attempts to send events to {url}
        </Text>
      }
      actions={
        <>
          <ButtonLink
            to="/$environment/api-integration"
            params={{ environment }}
            search={{ tab: 'webhooks' }}
            variant="default"
            size="xs"
          >
            All webhooks
          </ButtonLink>
          <Button variant="default" size="xs" loading={log.isRefetching} onClick={() => log.refetch()}>
            Refresh
          </Button>
        </>
      }
    >
      {replaying.isSuccess && <Outcome delivery={replaying.data} what="Event" close={replaying.reset} />}
      {replaying.isError && <Failed error={replaying.error} />}
      <QueryView query={log} what="deliveries">
        {({ deliveries }) =>
          deliveries.length === 0 ? (
            <Empty title="No deliveries yet">Events of the chosen types appear here after they are sent.</Empty>
          ) : (
            <DeliveryList deliveries={deliveries} replay={replay} />
          )
        }
      </QueryView>
    </Panel>
  );
}

interface OutcomeProps {
  readonly delivery: Delivery;
  /** First words of the title. */
  readonly what: string;
  readonly close: () => void;
}

/** Result of a message that the user sent. */
export function Outcome({ delivery: { status, failure }, what, close }: OutcomeProps) {
  return (
    <Alert
      color={failure === null ? 'green' : 'orange'}
      role="status"
      title={failure === null ? `${what} delivered` : `${what} not delivered`}
      withCloseButton
      closeButtonLabel="Close"
      onClose={close}
    >
      {failure ?? `The receiver returned ${status}.`}
    </Alert>
  );
}

interface DeliveryListProps {
  readonly deliveries: readonly Delivery[];
  /** Sends an event again; undefined for users who may not send events. */
  readonly replay: Replaying | undefined;
}

interface Replaying {
  readonly isPending: boolean;
  readonly variables: string | undefined;
  readonly mutate: (eventId: string) => void;
}

function DeliveryList({ deliveries, replay }: DeliveryListProps) {
  const isPhone = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
  const rows = keyed(deliveries, ({ event_id, at }) => `${event_id} ${at}`);
  if (isPhone) {
    return (
      <Stack gap="xs" component="ul" p={0} m={0}>
        {rows.map(([key, delivery]) => (
          <Paper key={key} withBorder p="sm" component="li" style={{ listStyle: 'none' }}>
            <Stack gap={4}>
              <EventName delivery={delivery} />
              <Result delivery={delivery} />
              <Group justify="space-between" gap="xs">
                <Text size="xs" c="dimmed">
                  <Time at={delivery.at} relative /> · attempt {delivery.attempt}
                </Text>
                <Replay delivery={delivery} replay={replay} />
              </Group>
            </Stack>
          </Paper>
        ))}
      </Stack>
    );
  }
  return (
    <Table.ScrollContainer minWidth={640}>
      <Table verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Time</Table.Th>
            <Table.Th>Event</Table.Th>
            <Table.Th ta="right">Attempt</Table.Th>
            <Table.Th>Result</Table.Th>
            {replay && <ActionsHead />}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(([key, delivery]) => (
            <Table.Tr key={key}>
              <Table.Td>
                <Time at={delivery.at} relative />
              </Table.Td>
              <Table.Td>
                <EventName delivery={delivery} />
              </Table.Td>
              <Table.Td ta="right" className="number">
                {delivery.attempt}
              </Table.Td>
              <Table.Td>
                <Result delivery={delivery} />
              </Table.Td>
              {replay && (
                <Table.Td ta="right">
                  <Replay delivery={delivery} replay={replay} />
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function EventName({ delivery: { type, event_id } }: { readonly delivery: Delivery }) {
  return (
    <>
      <Text size="sm">{type}</Text>
      <Text size="xs" c="dimmed" ff="monospace" className="anywhere">
        {event_id}
      </Text>
    </>
  );
}

/** Shows the status alone if there is one, because the text of the failure repeats it. */
export function Result({ delivery: { status, failure } }: { readonly delivery: Delivery }) {
  return (
    <Group gap="xs">
      <DeliveryStatus status={status} failure={failure} />
      {status === null && <Text size="sm">{failure}</Text>}
    </Group>
  );
}

function Replay({
  delivery: { event_id, type },
  replay,
}: Pick<DeliveryListProps, 'replay'> & { readonly delivery: Delivery }) {
  if (replay === undefined || type === TEST_TYPE) return null;
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      aria-label={`Replay ${event_id}`}
      loading={replay.isPending && replay.variables === event_id}
      disabled={replay.isPending}
      onClick={() => replay.mutate(event_id)}
    >
      Replay
    </Button>
  );
}
