/** Delivery log of one webhook: each attempt with its result, and a button that sends the event again. */
import { Alert, Button, type ButtonProps, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { LIMITS } from '#domain/limits.ts';
import { useMayChange } from '../../../api/session.ts';
import { type Delivery, deliveriesQuery, replayEvent, type Webhook, webhooksKey } from '../../../api/webhooks.ts';
import { CardList, useIsPhone } from '../../../ui/card-list.tsx';
import { DataTable } from '../../../ui/data-table.tsx';
import { countOf } from '../../../ui/numbers.ts';
import { Panel } from '../../../ui/panel.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Empty, Failed } from '../../../ui/states.tsx';
import { DeliveryStatus } from '../../../ui/status-badge.tsx';
import { Time } from '../../../ui/time.tsx';
import { useWebhookOwner, WebhooksLink } from './webhook-owner.tsx';

export function Deliveries({ webhook: { webhook_id, url } }: { readonly webhook: Webhook }) {
  const owner = useWebhookOwner();
  const mayChange = useMayChange();
  const queryClient = useQueryClient();
  const log = useQuery(deliveriesQuery(owner, webhook_id, LIMITS.webhook_deliveries_max));
  const replaying = useMutation({
    mutationFn: (eventId: string) => replayEvent(owner, webhook_id, eventId),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: webhooksKey(owner) }),
  });
  const replay = mayChange ? replaying : undefined;
  return (
    <Panel
      title="Deliveries"
      about={
        <Text span inherit className="anywhere">
          The newest {LIMITS.webhook_deliveries_max} attempts to send events to {url}
        </Text>
      }
      actions={
        <>
          <AllWebhooks variant="default" size="xs" />
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
            <Empty title="No deliveries yet">Events appear here after they are sent.</Empty>
          ) : (
            <DeliveryList deliveries={deliveries} replay={replay} />
          )
        }
      </QueryView>
    </Panel>
  );
}

/** Link back to the list. */
export function AllWebhooks(looks: Pick<ButtonProps, 'variant' | 'size'>) {
  return <WebhooksLink {...looks}>All webhooks</WebhooksLink>;
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
  const isPhone = useIsPhone();
  const keyOf = ({ event_id, at }: Delivery) => `${event_id} ${at}`;
  if (isPhone) {
    return (
      <CardList rows={deliveries} keyOf={keyOf}>
        {(delivery) => (
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
        )}
      </CardList>
    );
  }
  return (
    <DataTable
      minWidth={640}
      verticalSpacing="xs"
      rows={deliveries}
      keyOf={keyOf}
      columns={[
        { head: 'Time', cell: ({ at }) => <Time at={at} relative /> },
        { head: 'Event', cell: (delivery) => <EventName delivery={delivery} /> },
        { head: 'Attempt', isNumber: true, cell: ({ attempt }) => attempt },
        { head: 'Result', cell: (delivery) => <Result delivery={delivery} /> },
      ]}
      actions={replay && ((delivery) => <Replay delivery={delivery} replay={replay} />)}
    />
  );
}

function EventName({ delivery: { type, events, event_id } }: { readonly delivery: Delivery }) {
  return (
    <>
      <Text size="sm">{events > 1 ? `${type}, ${countOf(events, 'event')}` : type}</Text>
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
  // Test events and batches cannot be replayed.
  if (replay === undefined || ['webhook.test', 'event.batch'].includes(type)) return null;
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
