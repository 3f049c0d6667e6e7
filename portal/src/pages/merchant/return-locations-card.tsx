/** Lists return locations, and adds and removes them. */
import { Button, Group, Stack, Table, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { returnLocationsQuery } from '../../api/account-settings.ts';
import { api, ask } from '../../api/client.ts';
import { type Environment, useMayChange } from '../../api/session.ts';
import { ActionsHead } from '../../ui/actions-head.tsx';
import { useFormMutation } from '../../ui/forms/use-form-mutation.ts';
import { Panel } from '../../ui/panel.tsx';
import { ProblemList } from '../../ui/problem-list.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Empty } from '../../ui/states.tsx';
import { RemoveButton, RemovePlace } from './remove-place.tsx';

export function ReturnLocationsCard({ environment }: { readonly environment: Environment }) {
  const mayChange = useMayChange();
  const query = useQuery(returnLocationsQuery(environment));
  const [removed, setRemoved] = useState<string>();
  return (
    <Panel title="Return locations">
      <QueryView query={query} what="return locations">
        {({ return_locations: locations }) =>
          locations.length === 0 ? (
            <Empty title="No return locations">
              Add a location if some of your products are returned to a different address.
            </Empty>
          ) : (
            <Table verticalSpacing="sm">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Location</Table.Th>
                  {mayChange && <ActionsHead />}
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {locations.map(({ return_location_id: id }) => (
                  <Table.Tr key={id}>
                    <Table.Td fw={600}>{id}</Table.Td>
                    {mayChange && (
                      <Table.Td ta="right">
                        <RemoveButton id={id} remove={setRemoved} />
                      </Table.Td>
                    )}
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          )
        }
      </QueryView>
      {mayChange && <AddLocation environment={environment} />}
      <RemovePlace
        id={removed}
        close={() => setRemoved(undefined)}
        queryKey={['return-locations', environment]}
        remove={(location_id) =>
          ask(
            api.DELETE('/{environment}/return-locations/{location_id}', {
              params: { path: { environment, location_id } },
            }),
          )
        }
      />
    </Panel>
  );
}

const FIELDS = ['return_location_id'];

function AddLocation({ environment }: { readonly environment: Environment }) {
  const queryClient = useQueryClient();
  const form = useForm({ initialValues: { return_location_id: '' } });
  const adding = useFormMutation({
    form,
    fields: FIELDS,
    mutationFn: (location_id: string) =>
      ask(api.PUT('/{environment}/return-locations/{location_id}', { params: { path: { environment, location_id } } })),
    onSuccess: async () => {
      form.reset();
      await queryClient.invalidateQueries({ queryKey: ['return-locations', environment] });
    },
  });
  return (
    <form onSubmit={form.onSubmit(({ return_location_id }) => adding.mutate(return_location_id))}>
      <Stack gap="xs">
        <ProblemList problems={adding.problems} />
        <Group align="flex-start">
          <TextInput
            aria-label="Return location ID"
            placeholder="Location ID"
            required
            {...form.getInputProps('return_location_id')}
          />
          <Button type="submit" variant="light" loading={adding.isPending}>
            Add
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
