/** Table of active API keys: created, last used, expires. */
import { Badge, Table } from '@mantine/core';
import type { components } from '../api/schema.d.ts';
import type { Environment } from '../api/session.ts';
import { Time } from './time.tsx';

type Key = components['schemas']['ListKeysAnswer']['keys'][number];

interface KeyTableProps {
  /** With the environment if the table has keys of both. */
  readonly keys: readonly (Key & { readonly environment?: Environment })[];
}

export function KeyTable({ keys }: KeyTableProps) {
  const hasEnvironments = keys.some(({ environment }) => environment !== undefined);
  return (
    <Table.ScrollContainer minWidth={520}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            {hasEnvironments && <Table.Th>Environment</Table.Th>}
            <Table.Th>Key ID</Table.Th>
            <Table.Th>Created</Table.Th>
            <Table.Th>Last used</Table.Th>
            <Table.Th>Expires</Table.Th>
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
              <Table.Td ff="monospace">{key.user}</Table.Td>
              <Table.Td>
                <Time at={key.created} />
              </Table.Td>
              <Table.Td>
                <Time at={key.last_used} relative />
              </Table.Td>
              <Table.Td>
                <Time at={key.ends} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
