/** Webhooks tab of the Developers page: the webhooks of the environment, or the deliveries of one. */
import { Anchor, Box, Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { EVENT_TYPES } from '#domain/vocabulary/event-types.ts';
import { useMayChange, useSession } from '../../../api/session.ts';
import {
  changeWebhook,
  deliveriesQuery,
  sendTestEvent,
  type Webhook,
  webhooksKey,
  webhooksQuery,
} from '../../../api/webhooks.ts';
import { countOf } from '../../../ui/numbers.ts';
import { Panel } from '../../../ui/panel.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Empty, Failed } from '../../../ui/states.tsx';
import { WebhookStatus } from '../../../ui/status-badge.tsx';
import { Time } from '../../../ui/time.tsx';
import { AllWebhooks, Deliveries, Outcome, Result } from './deliveries.tsx';
import { AddWebhook, DeleteWebhook, EditWebhook, RollSecret } from './webhook-dialogs.tsx';
import { useWebhookOwner, WebhooksLink } from './webhook-owner.tsx';

export function Webhooks({ webhookId }: { readonly webhookId: string | undefined }) {
  const webhooks = useQuery(webhooksQuery(useWebhookOwner()));
  return (
    <QueryView query={webhooks} what="webhooks">
      {({ webhooks: shown }) => {
        if (webhookId === undefined) return <WebhookList webhooks={shown} />;
        const webhook = shown.find(({ webhook_id }) => webhook_id === webhookId);
        return webhook === undefined ? <NoWebhook /> : <Deliveries key={webhookId} webhook={webhook} />;
      }}
    </QueryView>
  );
}

function NoWebhook() {
  return (
    <Empty title="Webhook not found" action={<AllWebhooks variant="light" />}>
      It was deleted, or it belongs to the other environment.
    </Empty>
  );
}

type Opened = { readonly what: 'add' } | { readonly what: 'edit' | 'roll'; readonly webhook: Webhook };

/** What differs between the owners of webhooks. */
const TEXTS = {
  merchant: {
    title: () => 'Webhooks',
    guide: 'webhooks',
    about: 'each change to your offers, files, reports and keys',
  },
  marketplace: {
    title: (environment: string) => (environment === 'live' ? 'Live webhooks' : 'Test webhooks'),
    guide: 'storefront',
    about: 'each change to the products and offers of the storefront',
  },
} as const;

function WebhookList({ webhooks }: { readonly webhooks: readonly Webhook[] }) {
  const { owner, environment } = useWebhookOwner();
  const texts = TEXTS[owner];
  const action = owner === 'merchant' ? 'Add webhook' : `Add ${environment} webhook`;
  const { api_url: apiUrl } = useSession();
  const mayChange = useMayChange();
  const [opened, setOpened] = useState<Opened>();
  const close = () => setOpened(undefined);
  const webhookOf = (what: Opened['what']) =>
    opened?.what === what && 'webhook' in opened ? opened.webhook : undefined;
  return (
    <Panel
      title={texts.title(environment)}
      about={
        <>
          Events are sent to your own server as they happen, signed and in order.{' '}
          <Anchor inherit href={`${apiUrl}/docs/guides/${texts.guide}.html`} underline="always">
            How to receive webhooks
          </Anchor>
        </>
      }
      actions={mayChange && <Button onClick={() => setOpened({ what: 'add' })}>{action}</Button>}
    >
      {webhooks.length === 0 ? (
        <Empty title="No webhooks">
          A webhook tells your own server about {texts.about}:{' '}
          {mayChange ? `select ${action} and enter its URL.` : 'ask an administrator to add one.'}
        </Empty>
      ) : (
        <Stack gap="sm" component="ul" p={0} m={0}>
          {webhooks.map((webhook) => (
            <WebhookCard key={webhook.webhook_id} webhook={webhook} open={mayChange ? setOpened : undefined} />
          ))}
        </Stack>
      )}
      <AddWebhook isOpen={opened?.what === 'add'} close={close} />
      <EditWebhook webhook={webhookOf('edit')} close={close} />
      <RollSecret webhook={webhookOf('roll')} close={close} />
    </Panel>
  );
}

interface WebhookCardProps {
  readonly webhook: Webhook;
  /** Opens a dialog; undefined for users who may not change webhooks. */
  readonly open: ((opened: Opened) => void) | undefined;
}

function WebhookCard({ webhook, open }: WebhookCardProps) {
  const { url, types, include, batches, enabled, disabled_reason, failed_attempts } = webhook;
  const settings = [
    types === undefined || types.length === EVENT_TYPES.length ? 'All events' : types.join(', '),
    ...(include?.includes('changes') ? ['with changes'] : []),
    ...(batches ? ['in batches'] : []),
  ];
  return (
    <Paper withBorder p="md" component="li" style={{ listStyle: 'none' }}>
      <Stack gap="xs">
        <Group justify="space-between" align="flex-start" gap="xs" wrap="nowrap">
          <Text fw={600} className="anywhere">
            {url}
          </Text>
          <Box flex="none">
            <WebhookStatus enabled={enabled} failed={failed_attempts} />
          </Box>
        </Group>
        {disabled_reason !== null && <Text size="sm">{disabled_reason}</Text>}
        {enabled && failed_attempts > 0 && (
          <Text size="sm">
            {countOf(failed_attempts, 'attempt')} to send the next message failed. The server retries.
          </Text>
        )}
        <Text size="sm" c="dimmed">
          {settings.join(' · ')}
        </Text>
        <LastDelivery webhook={webhook} />
        <WebhookActions webhook={webhook} open={open} />
      </Stack>
    </Paper>
  );
}

function LastDelivery({ webhook: { webhook_id } }: { readonly webhook: Webhook }) {
  const { data, error } = useQuery(deliveriesQuery(useWebhookOwner(), webhook_id, 1));
  const last = data?.deliveries[0];
  return (
    <Group gap="xs">
      <Text size="sm">
        Last delivery:{' '}
        {data ? <Time at={last?.at ?? null} never="none yet" relative /> : error === null ? '…' : 'unknown'}
      </Text>
      {last && <Result delivery={last} />}
    </Group>
  );
}

function WebhookActions({ webhook, open }: WebhookCardProps) {
  const { webhook_id, url, enabled } = webhook;
  const owner = useWebhookOwner();
  const queryClient = useQueryClient();
  const onSuccess = () => queryClient.invalidateQueries({ queryKey: webhooksKey(owner) });
  const testing = useMutation({ mutationFn: () => sendTestEvent(owner, webhook_id), onSuccess });
  const switching = useMutation({
    mutationFn: () => changeWebhook(owner, webhook_id, { enabled: !enabled }),
    onSuccess,
  });
  const button = (label: string) => ({
    size: 'compact-sm',
    variant: 'subtle',
    'aria-label': `${label} ${url}`,
    children: label,
  });
  return (
    <>
      {testing.isSuccess && <Outcome delivery={testing.data} what="Test event" close={testing.reset} />}
      {testing.isError && <Failed error={testing.error} />}
      {switching.isError && <Failed error={switching.error} />}
      {/* Aligns the button labels, not the invisible edges of the buttons, with the text above. */}
      <Group gap="xs" ml={-8}>
        <WebhooksLink {...button('Deliveries')} webhookId={webhook_id} />
        {open && (
          <>
            <Button {...button('Send test event')} loading={testing.isPending} onClick={() => testing.mutate()} />
            <Button {...button('Edit')} onClick={() => open({ what: 'edit', webhook })} />
            <Button {...button('Roll secret')} onClick={() => open({ what: 'roll', webhook })} />
            <Button
              {...button(enabled ? 'Disable' : 'Enable')}
              loading={switching.isPending}
              onClick={() => switching.mutate()}
            />
            <DeleteWebhook webhook={webhook} />
          </>
        )}
      </Group>
    </>
  );
}
