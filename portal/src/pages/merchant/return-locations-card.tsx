/** Lists return locations, and adds and removes them. */
import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { returnLocationsQuery } from '../../api/account-settings.ts';
import { api, ask } from '../../api/client.ts';
import { type Environment, useMayChange } from '../../api/session.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { useFormMutation } from '../../ui/forms/use-form-mutation.ts';
import { Panel } from '../../ui/panel.tsx';
import { ProblemList } from '../../ui/problem-list.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Empty } from '../../ui/states.tsx';
import { RemovePlace } from './remove-place.tsx';

export function ReturnLocationsCard({ environment }: { readonly environment: Environment }) {
  const mayChange = useMayChange();
  const query = useQuery(returnLocationsQuery(environment));
  return (
    <Panel title="Return locations">
      <QueryView query={query} what="return locations">
        {({ return_locations: locations }) =>
          locations.length === 0 ? (
            <Empty title="No return locations">
              Add a location if some of your products are returned to a different address.
            </Empty>
          ) : (
            <DataTable
              verticalSpacing="sm"
              rows={locations}
              keyOf={({ return_location_id: id }) => id}
              columns={[{ head: 'Location', cell: ({ return_location_id: id }) => id, td: { fw: 600 } }]}
              actions={
                mayChange &&
                (({ return_location_id: id }) => (
                  <RemovePlace
                    id={id}
                    queryKey={['return-locations', environment]}
                    remove={() => {
                      const path = { environment, location_id: id };
                      return ask(api.DELETE('/{environment}/return-locations/{location_id}', { params: { path } }));
                    }}
                  />
                ))
              }
            />
          )
        }
      </QueryView>
      {mayChange && <AddLocation environment={environment} />}
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
