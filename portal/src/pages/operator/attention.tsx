/** What needs a person today: failed health checks, files and webhooks, and rule changes that apply soon. */
import { Anchor, Badge, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { announcedQuery } from '../../api/announced-changes.ts';
import { viewAsMerchant } from '../../api/operator-offers.ts';
import { TextLink } from '../../ui/links.tsx';
import { countOf } from '../../ui/numbers.ts';
import { Panel } from '../../ui/panel.tsx';
import { Empty, Failed, SomeUnavailable } from '../../ui/states.tsx';
import { EnvironmentBadge } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import type { Home } from './home.tsx';
import { systemQuery } from './system.tsx';

/** Changes that apply within this time are worth a look. */
const SOON_MS = 7 * 86_400_000;

interface Item {
  readonly key: string;
  readonly kind: string;
  readonly color: string;
  readonly title: ReactNode;
  readonly detail: ReactNode;
  readonly at?: string | null;
}

export function Attention({ home }: { readonly home: Home }) {
  const system = useQuery(systemQuery);
  const announced = useQuery(announcedQuery);
  const failed = (system.data?.checks ?? []).filter(({ ok }) => !ok);
  const soon = (announced.data?.changes ?? []).filter(
    ({ state, enforced_from: at }) => state === 'announced' && Date.parse(at) - Date.now() < SOON_MS,
  );
  const items: readonly Item[] = [
    ...failed.map(({ name, detail }) => ({
      key: name,
      kind: 'System',
      color: 'red',
      title: <TextLink to="/operator/system">{name}</TextLink>,
      detail,
    })),
    ...(home.files ?? []).map((file) => ({
      key: file.id,
      kind: 'File',
      color: 'orange',
      title: <FileLink file={file} />,
      detail: file.rows === 0 ? 'The file could not be read.' : `All ${countOf(file.rows, 'row')} failed.`,
      at: file.ended,
    })),
    ...home.webhooks.map((webhook) => ({
      key: webhook.id,
      kind: 'Webhook',
      color: 'orange',
      title: <WebhookLink webhook={webhook} />,
      detail: `${webhook.url} ${webhook.enabled ? 'is failing' : 'was disabled because it failed'}.`,
      at: webhook.failing_since,
    })),
    ...soon.map(({ id, subject, enforced_from: at, impact }) => ({
      key: `change ${id}`,
      kind: 'Rules',
      color: 'blue',
      title: <TextLink to="/operator/changes">{subject}</TextLink>,
      detail:
        impact === null
          ? 'A rule change applies soon.'
          : `A rule change applies soon: ${countOf(impact.off_sale, 'offer')} no longer for sale.`,
      at,
    })),
  ];
  return (
    <Panel title="Needs attention">
      {home.files === null && (
        <SomeUnavailable>Failed files can't be listed because a database node is not responding.</SomeUnavailable>
      )}
      {system.isError && <Failed error={system.error} />}
      {announced.isError && <Failed error={announced.error} />}
      {items.length === 0 ? (
        <div role="status">
          <Empty title={system.isPending || announced.isPending ? 'Checking…' : 'Nothing needs attention'} />
        </div>
      ) : (
        <Stack gap="sm">
          {items.map(({ key, kind, color, title, detail, at }) => (
            <Group key={key} wrap="nowrap" align="flex-start" gap="sm">
              <Badge variant="light" color={color} w={86} flex="none" className="status">
                {kind}
              </Badge>
              <Stack gap={0} flex={1} miw={0} align="flex-start">
                {title}
                <Text size="sm" c="dimmed" className="anywhere">
                  {detail}
                </Text>
              </Stack>
              {at && <Time at={at} relative size="sm" c="dimmed" />}
            </Group>
          ))}
        </Stack>
      )}
    </Panel>
  );
}

interface FileLinkProps {
  readonly file: NonNullable<Home['files']>[number];
}

/** A button, because viewing as the merchant is recorded. */
function FileLink({ file: { merchant, environment, id, name } }: FileLinkProps) {
  const opening = useMutation({ mutationFn: () => viewAsMerchant(merchant.id, `${environment}/files/${id}`) });
  return (
    <>
      <Anchor component="button" ta="left" disabled={opening.isPending} onClick={() => opening.mutate()}>
        {merchant.name}: {name}
      </Anchor>
      {environment === 'test' && <EnvironmentBadge environment={environment} />}
      {opening.isError && <Failed error={opening.error} />}
    </>
  );
}

function WebhookLink({ webhook: { merchant, environment, id } }: { readonly webhook: Home['webhooks'][number] }) {
  if (merchant === null) {
    return (
      <TextLink to="/operator/webhooks" search={{ environment, webhook: id }}>
        Marketplace
      </TextLink>
    );
  }
  return (
    <TextLink to="/operator/merchants/$merchantId" params={{ merchantId: merchant.id }}>
      {merchant.name}
    </TextLink>
  );
}
