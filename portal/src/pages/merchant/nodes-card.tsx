/** Lists fulfillment nodes, which the portal calls locations, with a form to add or edit one, and removes them. */
import { Badge, Button, Group, MultiSelect, Select, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { LIMITS } from '#domain/limits.ts';
import {
  type FulfillmentNode,
  type Merchant,
  merchantQuery,
  nodeQuery,
  nodesQuery,
} from '../../api/account-settings.ts';
import { api, ask, type Versioned } from '../../api/client.ts';
import { ApiError } from '../../api/problem.ts';
import { type Environment, useMayChange } from '../../api/session.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { methodChoices, methodName } from '../../ui/forms/choices.ts';
import { useHeldForm } from '../../ui/forms/held-form.ts';
import { type Fields, SavingForm, useSaving } from '../../ui/forms/saving.tsx';
import { Panel } from '../../ui/panel.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Empty } from '../../ui/states.tsx';
import { RemovePlace } from './remove-place.tsx';

const RATE_KINDS: Readonly<Record<FulfillmentNode['rate_kind'], string>> = {
  flat: 'Flat rates',
  per_pound: 'Rates per pound',
};

const NEW_NODE: Versioned<FulfillmentNode> = {
  fulfillment_node_id: '',
  rate_kind: 'flat',
  shipping_methods: [],
  service_levels: [],
  etag: null,
};

export function NodesCard({ environment }: { readonly environment: Environment }) {
  const mayChange = useMayChange();
  const nodes = useQuery(nodesQuery(environment));
  const [edited, setEdited] = useState<FulfillmentNode>();
  const form = { environment, done: () => setEdited(undefined) };
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
            <NodeTable environment={environment} nodes={shown} edit={mayChange ? setEdited : undefined} />
          )
        }
      </QueryView>
      <Dialog
        isOpen={edited !== undefined}
        close={() => setEdited(undefined)}
        title={edited === NEW_NODE ? 'Add location' : `Edit ${edited?.fulfillment_node_id ?? ''}`}
      >
        {edited === NEW_NODE && <NodeForm node={NEW_NODE} {...form} />}
        {edited !== undefined && edited !== NEW_NODE && <StoredNode id={edited.fulfillment_node_id} {...form} />}
      </Dialog>
    </Panel>
  );
}

interface NodeTableProps {
  readonly environment: Environment;
  readonly nodes: readonly FulfillmentNode[];
  /** Undefined for users who may not change locations. */
  readonly edit: ((node: FulfillmentNode) => void) | undefined;
}

function NodeTable({ environment, nodes, edit }: NodeTableProps) {
  return (
    <DataTable
      minWidth={280}
      verticalSpacing="sm"
      rows={nodes}
      keyOf={({ fulfillment_node_id: id }) => id}
      columns={[
        {
          head: 'Location',
          td: { className: 'anywhere' },
          cell: ({ fulfillment_node_id: id, rate_kind, shipping_methods, service_levels }) => (
            <>
              <Text size="sm" fw={600}>
                {id}
              </Text>
              <Text size="xs" c="dimmed" hiddenFrom="sm">
                {[RATE_KINDS[rate_kind], ...shipping_methods.map(methodName), ...service_levels].join(' · ')}
              </Text>
            </>
          ),
        },
        { head: 'Rates', visibleFrom: 'sm', cell: ({ rate_kind }) => RATE_KINDS[rate_kind] },
        {
          head: 'Shipping methods',
          visibleFrom: 'sm',
          cell: ({ shipping_methods: methods }) => <Badges texts={methods.map(methodName)} />,
        },
        { head: 'Service levels', visibleFrom: 'sm', cell: ({ service_levels }) => <Badges texts={service_levels} /> },
      ]}
      actions={
        edit &&
        ((node) => (
          <Group gap="xs" justify="flex-end" wrap="nowrap">
            <Button
              size="compact-sm"
              variant="subtle"
              onClick={() => edit(node)}
              aria-label={`Edit ${node.fulfillment_node_id}`}
            >
              Edit
            </Button>
            <RemovePlace
              id={node.fulfillment_node_id}
              queryKey={['nodes', environment]}
              remove={() => {
                const path = { environment, node_id: node.fulfillment_node_id };
                return ask(api.DELETE('/{environment}/nodes/{node_id}', { params: { path } }));
              }}
            />
          </Group>
        ))
      }
    />
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

interface DialogFormProps {
  readonly environment: Environment;
  readonly done: () => void;
}

interface NodeFormProps extends DialogFormProps {
  readonly node: Versioned<FulfillmentNode>;
}

function StoredNode({ id, ...props }: DialogFormProps & { readonly id: string }) {
  const node = useQuery(nodeQuery(props.environment, id));
  return (
    <QueryView query={node} what="location">
      {(found) => <NodeForm {...props} node={found} />}
    </QueryView>
  );
}

function NodeForm(props: NodeFormProps) {
  const merchant = useQuery(merchantQuery);
  return (
    <QueryView query={merchant} what="form">
      {({ choices }) => <NodeFields {...props} choices={choices} />}
    </QueryView>
  );
}

/** Returns a message for each list without an entry. */
function emptyLists(node: FulfillmentNode): Readonly<Record<string, string>> {
  const empty = (['shipping_methods', 'service_levels'] as const).filter((name) => node[name].length === 0);
  return Object.fromEntries(empty.map((name) => [name, 'Choose at least one.']));
}

/** Places an open list over the fields that are already filled in. Below, it would cover the next field or the Save button. */
const ABOVE = Object.freeze({ position: 'top' });

const ID_RULE = `1 to ${LIMITS.place_id_characters_max} characters, such as warehouse-east. It cannot be changed later.`;

const fields: Fields = { names: () => ['fulfillment_node_id', 'rate_kind', 'shipping_methods', 'service_levels'] };

function NodeFields({ node, environment, done, choices }: NodeFormProps & Pick<Merchant, 'choices'>) {
  const queryClient = useQueryClient();
  const { etag, ...values } = node;
  const isNew = node === NEW_NODE;
  const held = useHeldForm(values, etag, emptyLists);
  const { form } = held;
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['nodes', environment] });
  const saving = useSaving({
    held,
    fields,
    save: ({ fulfillment_node_id: node_id, ...body }, header) => {
      const params = { path: { environment, node_id }, header };
      return ask(api.PUT('/{environment}/nodes/{node_id}', { params, body })).catch((error) => {
        throw isNew && error instanceof ApiError && error.has('precondition_failed') ? idTaken(error) : error;
      });
    },
    refresh,
    proceed: async () => {
      await refresh();
      done();
    },
  });
  return (
    <SavingForm saving={saving} held={held} fields={fields} mayChange changesAt="" isInDialog>
      <TextInput
        label="ID"
        description={isNew ? ID_RULE : undefined}
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
    </SavingForm>
  );
}

function idTaken({ status }: ApiError): ApiError {
  const message = 'You already have a location with this ID.';
  return new ApiError(status, [{ code: 'fulfillment_node_exists', field: '/fulfillment_node_id', message }]);
}
