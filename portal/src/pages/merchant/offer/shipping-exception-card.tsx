/** Form for an offer's shipping exceptions: how it ships from a location when that differs from the location's settings. */
import { Button, Card, Group, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { OVERRIDE_TYPES, SHIPPING_EXCEPTION_TYPES } from '#domain/vocabulary/shipping-exceptions.ts';
import type { FulfillmentNode } from '../../../api/account-settings.ts';
import { api, ask } from '../../../api/client.ts';
import { pathOf, type ShippingExceptions, shippingExceptionsQuery } from '../../../api/offer.ts';
import { methodChoices, withCurrent } from '../../../ui/forms/choices.ts';
import { useHeldForm } from '../../../ui/forms/held-form.ts';
import { MoneyField, type NumberValue } from '../../../ui/forms/number-field.tsx';
import { type Fields, SavingForm, useSaving } from '../../../ui/forms/saving.tsx';
import { Empty } from '../../../ui/states.tsx';
import { NodePanel } from './node-panel.tsx';
import { type OfferPartProps, useOfferRefresh } from './offer-part.ts';

export function ShippingExceptionCard(props: OfferPartProps) {
  const exceptions = useQuery(shippingExceptionsQuery(props.offerKey));
  return (
    <NodePanel
      title="Shipping exceptions"
      about="Exclusive: ship only this way. Restricted: never ship this way. Include: also ship this way. Choose a service level or a shipping method."
      part={exceptions}
    >
      {(found, nodes) => <ExceptionsForm {...props} exceptions={found} nodes={nodes} />}
    </NodePanel>
  );
}

type Nodes = ShippingExceptions['fulfillment_nodes'];
type Sent = Nodes[number]['shipping_exceptions'][number];

/** One exception in the form; '' or null for an empty field. */
interface Row {
  readonly node: string | null;
  readonly shipping_exception_type: string | null;
  readonly service_level: string | null;
  readonly shipping_method: string | null;
  readonly override_type: string | null;
  readonly shipping_charge_amount: NumberValue;
}

const NEW_ROW: Row = {
  node: null,
  shipping_exception_type: 'include',
  service_level: null,
  shipping_method: null,
  override_type: null,
  shipping_charge_amount: '',
};

interface ExceptionsFormProps extends OfferPartProps {
  readonly exceptions: ShippingExceptions | null;
  readonly nodes: readonly FulfillmentNode[];
}

function ExceptionsForm({ offerKey, mayChange, exceptions, nodes }: ExceptionsFormProps) {
  const held = useHeldForm({ rows: rowsOf(exceptions?.fulfillment_nodes ?? []) }, exceptions?.etag);
  const { form } = held;
  const fields: Fields = {
    names: () => form.values.rows.flatMap((_row, at) => Object.keys(NEW_ROW).map((name) => `rows.${at}.${name}`)),
    nameOf: (pointer) => fieldOf(pointer, form.values.rows),
  };
  const saving = useSaving({
    refresh: useOfferRefresh(offerKey),
    held,
    fields,
    save: ({ rows }, header) =>
      ask(
        api.PUT('/{environment}/merchant-skus/{user_defined_sku_id}/shippingexception', {
          params: { path: pathOf(offerKey), header },
          body: { fulfillment_nodes: nodesOf(rows) },
        }),
      ),
  });
  return (
    <SavingForm saving={saving} held={held} fields={fields} mayChange={mayChange}>
      {form.values.rows.length === 0 && (
        <Empty title="No exceptions">The offer uses the shipping settings of its locations.</Empty>
      )}
      {form.values.rows.map((row, at) => {
        const node = nodes.find((one) => one.fulfillment_node_id === row.node);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no id, and the form addresses them by index
          <Card key={at} withBorder role="group" aria-label={`Exception ${at + 1}`}>
            <Group align="flex-start">
              <Select
                label="Location"
                required={mayChange}
                data={nodes.map((one) => one.fulfillment_node_id)}
                readOnly={!mayChange}
                {...form.getInputProps(`rows.${at}.node`)}
              />
              <Select
                label="Type"
                data={[...SHIPPING_EXCEPTION_TYPES]}
                allowDeselect={false}
                w={130}
                readOnly={!mayChange}
                {...form.getInputProps(`rows.${at}.shipping_exception_type`)}
              />
              <Select
                label="Service level"
                clearable
                data={withCurrent(node?.service_levels ?? [], row.service_level)}
                readOnly={!mayChange}
                {...form.getInputProps(`rows.${at}.service_level`)}
              />
              <Select
                label="Shipping method"
                clearable
                data={methodChoices(withCurrent(node?.shipping_methods ?? [], row.shipping_method))}
                readOnly={!mayChange}
                {...form.getInputProps(`rows.${at}.shipping_method`)}
              />
              <Select
                label="Charge"
                clearable
                w={180}
                data={[...OVERRIDE_TYPES]}
                readOnly={!mayChange}
                {...form.getInputProps(`rows.${at}.override_type`)}
              />
              <MoneyField
                label="Amount"
                w={110}
                readOnly={!mayChange}
                {...form.getInputProps(`rows.${at}.shipping_charge_amount`)}
              />
              {mayChange && (
                <Button
                  variant="subtle"
                  color="red"
                  mt={24}
                  aria-label={`Remove exception ${at + 1}`}
                  onClick={() => form.removeListItem('rows', at)}
                >
                  Remove
                </Button>
              )}
            </Group>
          </Card>
        );
      })}
      {mayChange && (
        <Group>
          <Button variant="light" onClick={() => form.insertListItem('rows', NEW_ROW)}>
            Add exception
          </Button>
        </Group>
      )}
    </SavingForm>
  );
}

function rowsOf(nodes: Nodes): Row[] {
  return nodes.flatMap(({ fulfillment_node_id: node, shipping_exceptions: exceptions }) =>
    exceptions.map((exception) => ({ ...NEW_ROW, ...exception, node })),
  );
}

/** Groups rows by node, in the order of each node's first row. */
function byNode(rows: readonly Row[]): readonly (readonly [node: string, rows: readonly Row[]])[] {
  return [...Map.groupBy(rows, (row) => row.node ?? '')];
}

function nodesOf(rows: readonly Row[]): Nodes {
  return byNode(rows).map(([fulfillment_node_id, exceptions]) => ({
    fulfillment_node_id,
    shipping_exceptions: exceptions.map(({ node: _node, ...fields }) => {
      const given = Object.entries(fields).filter(([, value]) => value !== null && value !== '');
      return Object.fromEntries(given) as unknown as Sent;
    }),
  }));
}

/** Maps the server's pointer (index within the node) to the form's flat list. A problem with a whole exception is about its service. */
function fieldOf(pointer: string, rows: readonly Row[]): string | undefined {
  const [, node, place, name = place === undefined ? 'node' : 'service_level'] =
    /^\/fulfillment_nodes\/(\d+)(?:\/shipping_exceptions\/(\d+))?(?:\/(\w+))?/.exec(pointer) ?? [];
  const row = node === undefined ? undefined : byNode(rows)[Number(node)]?.[1][Number(place ?? 0)];
  if (row === undefined) return undefined;
  return `rows.${rows.indexOf(row)}.${name === 'fulfillment_node_id' ? 'node' : name}`;
}
