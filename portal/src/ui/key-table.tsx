/** Lists active API keys with name, creation time, last use and expiry: in a table, or in cards on a phone. */
import { Badge, Group, Paper, Stack, Table, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import type { components } from '../api/schema.d.ts';
import type { Environment } from '../api/session.ts';
import { ActionsHead } from './actions-head.tsx';
import { Time } from './time.tsx';

export type Key = components['schemas']['ListKeysAnswer']['keys'][number];

interface KeyTableProps {
  /** Keys, with their environment if the table shows both. */
  readonly keys: readonly (Key & { readonly environment?: Environment })[];
  /** Buttons of a row. */
  readonly actions?: ((key: Key) => ReactNode) | undefined;
}

export function KeyTable(props: KeyTableProps) {
  const isPhone = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
  return isPhone ? <Cards {...props} /> : <Rows {...props} />;
}

function Cards({ keys, actions }: KeyTableProps) {
  return (
    <Stack gap="xs" component="ul" p={0} m={0}>
      {keys.map((key) => (
        <Paper key={key.user} withBorder p="sm" component="li" style={{ listStyle: 'none' }}>
          <Stack gap={4}>
            <Group justify="space-between" gap="xs">
              <Text size="sm" fw={600} className="anywhere">
                {nameOf(key)}
              </Text>
              {key.environment && <EnvironmentBadge environment={key.environment} />}
            </Group>
            <Text size="xs" c="dimmed" ff="monospace" className="anywhere">
              {key.user}
            </Text>
            <Text size="sm">
              Created <Time at={key.created} /> · last used <Time at={key.last_used} never="never" relative />
            </Text>
            <Replaced ends={key.ends} />
            {actions && <Group gap="xs">{actions(key)}</Group>}
          </Stack>
        </Paper>
      ))}
    </Stack>
  );
}

/** Shows until when a rolled key works. Other keys do not expire. */
function Replaced({ ends }: Pick<Key, 'ends'>) {
  if (ends === null) return null;
  return (
    <Badge variant="light" color="orange" tt="none" mt={4}>
      Replaced, works until <Time at={ends} />
    </Badge>
  );
}

function EnvironmentBadge({ environment }: { readonly environment: Environment }) {
  return (
    <Badge variant="default" tt="none">
      {environment}
    </Badge>
  );
}

function Rows({ keys, actions }: KeyTableProps) {
  const hasEnvironments = keys.some(({ environment }) => environment !== undefined);
  return (
    <Table.ScrollContainer minWidth={640}>
      <Table verticalSpacing="sm">
        <Table.Thead>
          <Table.Tr>
            {hasEnvironments && <Table.Th>Environment</Table.Th>}
            <Table.Th>Key</Table.Th>
            <Table.Th>Created</Table.Th>
            <Table.Th>Last used</Table.Th>
            <Table.Th>Expires</Table.Th>
            {actions && <ActionsHead />}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {keys.map((key) => (
            <Table.Tr key={key.user}>
              {hasEnvironments && (
                <Table.Td>{key.environment && <EnvironmentBadge environment={key.environment} />}</Table.Td>
              )}
              <Table.Td>
                <Text size="sm" fw={600}>
                  {nameOf(key)}
                </Text>
                <Text size="xs" c="dimmed" ff="monospace">
                  {key.user}
                </Text>
                <Replaced ends={key.ends} />
              </Table.Td>
              <Table.Td>
                <Time at={key.created} />
              </Table.Td>
              <Table.Td>
                <Time at={key.last_used} relative />
              </Table.Td>
              <Table.Td>{key.ends === null ? 'Never' : <Time at={key.ends} />}</Table.Td>
              {actions && (
                <Table.Td>
                  <Group gap="xs" justify="flex-end" wrap="nowrap">
                    {actions(key)}
                  </Group>
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

export function nameOf({ name }: Pick<Key, 'name'>): string {
  return name === '' ? 'Unnamed key' : name;
}
