/** In charge of the table of keys that work: when they were made and used, and when they stop. */
import { Badge, Table } from '@mantine/core';
import type { components } from '../api/schema.d.ts';
import type { Environment } from '../api/session.ts';
import { Time } from './time.tsx';

type Key = components['schemas']['ListKeysAnswer']['keys'][number];

interface KeyTableProps {
  /** With the environment where there are keys of both. */
  readonly keys: readonly (Key & { readonly environment?: Environment })[];
}

export function KeyTable({ keys }: KeyTableProps) {
  const isOfBoth = keys.some(({ environment }) => environment !== undefined);
  return (
    <Table.ScrollContainer minWidth={520}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            {isOfBoth && <Table.Th>Environment</Table.Th>}
            <Table.Th>User</Table.Th>
            <Table.Th>Made</Table.Th>
            <Table.Th>Last used</Table.Th>
            <Table.Th>Stops working</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {keys.map((key) => (
            <Table.Tr key={key.user}>
              {isOfBoth && (
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
                <Time at={key.ends} never="not planned" />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
