/** Lists fulfillment nodes, which the portal calls locations, with a form to add or edit one, and removes them. */
import { Badge, Button, Group, MultiSelect, Select, Stack, Table, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type FulfillmentNode, type Merchant, merchantQuery, nodesQuery } from '../../api/account-settings.ts';
import { api, ask } from '../../api/client.ts';
import { type Environment, useMayChange } from '../../api/session.ts';
import { ActionsHead } from '../../ui/actions-head.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { methodChoices, methodName } from '../../ui/forms/choices.ts';
import { useFormMutation } from '../../ui/forms/use-form-mutation.ts';
import { Panel } from '../../ui/panel.tsx';
import { ProblemList } from '../../ui/problem-list.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Empty } from '../../ui/states.tsx';
import { RemoveButton, RemovePlace } from './remove-place.tsx';

const RATE_KINDS: Readonly<Record<FulfillmentNode['rate_kind'], string>> = {
  flat: 'Flat rates',
  per_pound: 'Rates per pound',
};

const NEW_NODE: FulfillmentNode = {
  fulfillment_node_id: '',
  rate_kind: 'flat',
  shipping_methods: [],
  service_levels: [],
};

export function NodesCard({ environment }: { readonly environment: Environment }) {
  const mayChange = useMayChange();
  const nodes = useQuery(nodesQuery(environment));
  const [edited, setEdited] = useState<FulfillmentNode>();
  const [removed, setRemoved] = useState<string>();
  return (
    <Panel
      title="Fulfillment locations"
      about="Where your products ship from. The API calls them fulfillment nodes."
      actions={
        mayChange && (
          <Button variant="light" onClick={() => setEdited(NEW_NODE)}>
            Add location
          </Button>
        )
      }
    >
      <QueryView query={nodes} what="locations">
        {({ fulfillment_nodes: shown }) =>
          shown.length === 0 ? (
            <Empty title="No locations">Add a location to set inventory and shipping.</Empty>
          ) : (
            <NodeTable nodes={shown} actions={mayChange ? { edit: setEdited, remove: setRemoved } : undefined} />
          )
        }
      </QueryView>
      <Dialog
        isOpen={edited !== undefined}
        close={() => setEdited(undefined)}
        title={edited === NEW_NODE ? 'Add location' : `Edit ${edited?.fulfillment_node_id ?? ''}`}
      >
        {edited !== undefined && (
          <NodeForm
            node={edited}
            isNew={edited === NEW_NODE}
            environment={environment}
            done={() => setEdited(undefined)}
          />
        )}
      </Dialog>
      <RemovePlace
        id={removed}
        close={() => setRemoved(undefined)}
        queryKey={['nodes', environment]}
        remove={(node_id) =>
          ask(api.DELETE('/{environment}/nodes/{node_id}', { params: { path: { environment, node_id } } }))
        }
      />
    </Panel>
  );
}

interface NodeTableProps {
  readonly nodes: readonly FulfillmentNode[];
  readonly actions:
    | { readonly edit: (node: FulfillmentNode) => void; readonly remove: (nodeId: string) => void }
    | undefined;
}

function NodeTable({ nodes, actions }: NodeTableProps) {
  return (
    <Table.ScrollContainer minWidth={280}>
      <Table verticalSpacing="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Location</Table.Th>
            <Table.Th visibleFrom="sm">Rates</Table.Th>
            <Table.Th visibleFrom="sm">Shipping methods</Table.Th>
            <Table.Th visibleFrom="sm">Service levels</Table.Th>
            {actions && <ActionsHead />}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {nodes.map((node) => (
            <Table.Tr key={node.fulfillment_node_id}>
              <Table.Td className="anywhere">
                <Text size="sm" fw={600}>
                  {node.fulfillment_node_id}
                </Text>
                <Text size="xs" c="dimmed" hiddenFrom="sm">
                  {[RATE_KINDS[node.rate_kind], ...node.shipping_methods.map(methodName), ...node.service_levels].join(
                    ' · ',
                  )}
                </Text>
              </Table.Td>
              <Table.Td visibleFrom="sm">{RATE_KINDS[node.rate_kind]}</Table.Td>
              <Table.Td visibleFrom="sm">
                <Badges texts={node.shipping_methods.map(methodName)} />
              </Table.Td>
              <Table.Td visibleFrom="sm">
                <Badges texts={node.service_levels} />
              </Table.Td>
              {actions && (
                <Table.Td>
                  <Group gap="xs" justify="flex-end" wrap="nowrap">
                    <Button
                      size="compact-sm"
                      variant="subtle"
                      onClick={() => actions.edit(node)}
                      aria-label={`Edit ${node.fulfillment_node_id}`}
                    >
                      Edit
                    </Button>
                    <RemoveButton id={node.fulfillment_node_id} remove={actions.remove} />
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

function Badges({ texts }: { readonly texts: readonly string[] }) {
  return (
    <Group gap={4}>
      {texts.map((text) => (
        <Badge key={text} variant="default" tt="none">
          {text}
        </Badge>
      ))}
    </Group>
  );
}

interface NodeFormProps {
  readonly node: FulfillmentNode;
  readonly isNew: boolean;
  readonly environment: Environment;
  readonly done: () => void;
}

function NodeForm(props: NodeFormProps) {
  const merchant = useQuery(merchantQuery);
  return (
    <QueryView query={merchant} what="form">
      {({ choices }) => <NodeFields {...props} choices={choices} />}
    </QueryView>
  );
}

const atLeastOne = (chosen: readonly string[]) => (chosen.length === 0 ? 'Choose at least one.' : null);

/** Places an open list over the fields that are already filled in. Below, it would cover the next field or the Save button. */
const ABOVE = Object.freeze({ position: 'top' });

const FIELDS = ['fulfillment_node_id', 'rate_kind', 'shipping_methods', 'service_levels'];

function NodeFields({ node, isNew, environment, done, choices }: NodeFormProps & Pick<Merchant, 'choices'>) {
  const queryClient = useQueryClient();
  const form = useForm({
    initialValues: node,
    validate: { shipping_methods: atLeastOne, service_levels: atLeastOne },
  });
  const saving = useFormMutation({
    form,
    fields: FIELDS,
    mutationFn: ({ fulfillment_node_id: node_id, ...body }: FulfillmentNode) =>
      ask(api.PUT('/{environment}/nodes/{node_id}', { params: { path: { environment, node_id } }, body })),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['nodes', environment] });
      done();
    },
  });
  return (
    <form onSubmit={form.onSubmit((values) => saving.mutate(values))}>
      <Stack>
        <ProblemList problems={saving.problems} />
        <TextInput
          label="ID"
          description={isNew ? '1 to 64 characters, such as warehouse-east. It cannot be changed later.' : undefined}
          required
          disabled={!isNew}
          {...form.getInputProps('fulfillment_node_id')}
        />
        <Select
          label="Rates"
          allowDeselect={false}
          data={choices.rate_kinds.map((kind) => ({ value: kind, label: RATE_KINDS[kind] }))}
          {...form.getInputProps('rate_kind')}
        />
        <MultiSelect
          label="Shipping methods"
          withAsterisk
          aria-required
          searchable
          comboboxProps={ABOVE}
          data={methodChoices(choices.methods)}
          {...form.getInputProps('shipping_methods')}
        />
        <MultiSelect
          label="Service levels"
          withAsterisk
          aria-required
          searchable
          comboboxProps={ABOVE}
          data={choices.levels}
          {...form.getInputProps('service_levels')}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={done}>
            Cancel
          </Button>
          <Button type="submit" loading={saving.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
