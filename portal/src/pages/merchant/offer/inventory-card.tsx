/** Form for an offer's stock at each fulfillment location. */
import { useQuery } from '@tanstack/react-query';
import { api, ask } from '../../../api/client.ts';
import { type Inventory, inventoryQuery, pathOf } from '../../../api/offer.ts';
import { DataTable } from '../../../ui/data-table.tsx';
import { useHeldForm } from '../../../ui/forms/held-form.ts';
import { NumberField, type NumberValue } from '../../../ui/forms/number-field.tsx';
import { type Fields, SavingForm, useSaving } from '../../../ui/forms/saving.tsx';
import { TextLink } from '../../../ui/links.tsx';
import { Empty } from '../../../ui/states.tsx';
import { Time } from '../../../ui/time.tsx';
import { NodePanel, nodeFieldName } from './node-panel.tsx';
import { type OfferPartProps, useOfferRefresh } from './offer-part.ts';

export function InventoryCard(props: OfferPartProps) {
  const inventory = useQuery(inventoryQuery(props.offerKey));
  return (
    <NodePanel title="Inventory" part={inventory}>
      {(found, nodes) =>
        nodes.length === 0 ? (
          <Empty title="No fulfillment locations">
            <TextLink to="/$environment/settings" params={{ environment: props.offerKey.environment }}>
              Add a location in Settings
            </TextLink>{' '}
            to set inventory.
          </Empty>
        ) : (
          <InventoryForm {...props} inventory={found} nodeIds={nodes.map((node) => node.fulfillment_node_id)} />
        )
      }
    </NodePanel>
  );
}

interface InventoryFormProps extends OfferPartProps {
  readonly inventory: Inventory;
  readonly nodeIds: readonly string[];
}

interface InventoryValues {
  /** The quantity is '' if it was never set. */
  readonly nodes: readonly { readonly id: string; readonly quantity: NumberValue }[];
}

function InventoryForm({ offerKey, mayChange, inventory, nodeIds }: InventoryFormProps) {
  const known = new Map(inventory.fulfillment_nodes.map((node) => [node.fulfillment_node_id, node]));
  const held = useHeldForm<InventoryValues>(
    { nodes: nodeIds.map((id) => ({ id, quantity: known.get(id)?.quantity ?? '' })) },
    inventory.etag,
    // A quantity cannot be unset, so an emptied field would be ignored silently.
    ({ nodes }) =>
      Object.fromEntries(
        nodes.flatMap(({ id, quantity }, at) =>
          quantity === '' && known.has(id) ? [[`nodes.${at}.quantity`, 'Enter 0 if out of stock.']] : [],
        ),
      ),
  );
  const { form } = held;
  // Send only edited quantities: others may have changed since they were loaded.
  const changed = () =>
    form.values.nodes.filter((node, at) => node.quantity !== '' && form.isDirty(`nodes.${at}.quantity`));
  const fields: Fields = {
    names: () => form.values.nodes.map((_node, at) => `nodes.${at}.quantity`),
    nameOf: (pointer) => nodeFieldName(pointer, 'quantity', changed(), form.values.nodes),
  };
  const saving = useSaving({
    refresh: useOfferRefresh(offerKey),
    held,
    fields,
    save: (_values, header) =>
      ask(
        api.PATCH('/{environment}/merchant-skus/{user_defined_sku_id}/inventory', {
          params: { path: pathOf(offerKey), header },
          body: {
            fulfillment_nodes: changed().map((node) => ({
              fulfillment_node_id: node.id,
              quantity: node.quantity as number,
            })),
          },
        }),
      ),
  });
  return (
    <SavingForm saving={saving} held={held} fields={fields} mayChange={mayChange}>
      <DataTable
        maw={640}
        rows={form.values.nodes}
        keyOf={({ id }) => id}
        columns={[
          { head: 'Location', cell: ({ id }) => id },
          {
            head: 'Quantity',
            cell: ({ id }, at) => (
              <NumberField
                aria-label={`Quantity at ${id}`}
                placeholder="Not set"
                isWhole
                readOnly={!mayChange}
                {...form.getInputProps(`nodes.${at}.quantity`)}
              />
            ),
          },
          { head: 'Updated', cell: ({ id }) => <Time at={known.get(id)?.inventory_last_update ?? null} relative /> },
        ]}
      />
    </SavingForm>
  );
}
