/** Form for an offer's price, with price overrides by fulfillment location. */
import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, ask } from '../../../api/client.ts';
import { type Price, pathOf, priceQuery } from '../../../api/offer.ts';
import { DataTable } from '../../../ui/data-table.tsx';
import { useHeldForm } from '../../../ui/forms/held-form.ts';
import { MoneyField } from '../../../ui/forms/number-field.tsx';
import { type Fields, SavingForm, useSaving } from '../../../ui/forms/saving.tsx';
import { Time } from '../../../ui/time.tsx';
import { largeChange, type PriceValues } from './large-change.ts';
import { NodePanel, nodeFieldName } from './node-panel.tsx';
import { type OfferPartProps, useOfferRefresh } from './offer-part.ts';

export function PriceCard(props: OfferPartProps) {
  const price = useQuery(priceQuery(props.offerKey));
  return (
    <NodePanel title="Price" part={price}>
      {(found, nodes) => <PriceForm {...props} price={found} nodeIds={nodes.map((node) => node.fulfillment_node_id)} />}
    </NodePanel>
  );
}

interface PriceFormProps extends OfferPartProps {
  readonly price: Price | null;
  readonly nodeIds: readonly string[];
}

function PriceForm({ offerKey, mayChange, price, nodeIds }: PriceFormProps) {
  const priceAt = new Map(
    price?.fulfillment_nodes.map((node) => [node.fulfillment_node_id, node.fulfillment_node_price]),
  );
  const values: PriceValues = {
    price: price?.price ?? '',
    nodes: nodeIds.map((id) => ({ id, price: priceAt.get(id) ?? '' })),
  };
  const held = useHeldForm(values, price?.etag);
  const { form } = held;
  const fields: Fields = {
    names: () => ['price', ...form.values.nodes.map((_node, at) => `nodes.${at}.price`)],
    nameOf: (pointer) => nodeFieldName(pointer, 'price', sentNodes(form.values), form.values.nodes) ?? pointer.slice(1),
  };
  const saving = useSaving({
    refresh: useOfferRefresh(offerKey),
    held,
    fields,
    doubt: (next) => largeChange(values, next),
    save: (values, header) =>
      ask(
        api.PUT('/{environment}/merchant-skus/{user_defined_sku_id}/price', {
          params: { path: pathOf(offerKey), header },
          body: {
            price: values.price as number,
            fulfillment_nodes: sentNodes(values).map((node) => ({
              fulfillment_node_id: node.id,
              fulfillment_node_price: node.price as number,
            })),
          },
        }),
      ),
  });
  return (
    <SavingForm saving={saving} held={held} fields={fields} mayChange={mayChange}>
      <Group align="flex-end">
        <MoneyField label="Price" readOnly={!mayChange} {...form.getInputProps('price')} />
        {price !== null && (
          <Text size="sm" c="dimmed" pb={8}>
            Updated <Time at={price.price_last_update} />
          </Text>
        )}
      </Group>
      {form.values.nodes.length > 0 && (
        <DataTable
          maw={480}
          rows={form.values.nodes}
          keyOf={({ id }) => id}
          columns={[
            { head: 'Location', cell: ({ id }) => id },
            {
              head: 'Price override',
              cell: ({ id }, at) => (
                <MoneyField
                  aria-label={`Price at ${id}`}
                  placeholder="Default price"
                  readOnly={!mayChange}
                  {...form.getInputProps(`nodes.${at}.price`)}
                />
              ),
            },
          ]}
        />
      )}
    </SavingForm>
  );
}

/** Leaves out nodes without a price override. */
function sentNodes({ nodes }: PriceValues): PriceValues['nodes'] {
  return nodes.filter((node) => node.price !== '');
}
