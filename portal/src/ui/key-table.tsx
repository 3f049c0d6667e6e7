/** Table of active API keys: name, created, last used, expires. */
import { Badge, Group, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { components } from '../api/schema.d.ts';
import type { Environment } from '../api/session.ts';
import { ActionsHead } from './actions-head.tsx';
import { Time } from './time.tsx';

export type Key = components['schemas']['ListKeysAnswer']['keys'][number];

interface KeyTableProps {
  /** With the environment if the table has keys of both. */
  readonly keys: readonly (Key & { readonly environment?: Environment })[];
  /** Buttons of a row. */
  readonly actions?: ((key: Key) => ReactNode) | undefined;
}

export function KeyTable({ keys, actions }: KeyTableProps) {
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
                <Table.Td>
                  <Badge variant="default" tt="none">
                    {key.environment}
                  </Badge>
                </Table.Td>
              )}
              <Table.Td>
                <Text size="sm" fw={600}>
                  {nameOf(key)}
                </Text>
                <Text size="xs" c="dimmed" ff="monospace">
                  {key.user}
                </Text>
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
