/** Price and stock of an offer, edited in their cells of the offer list. A value is saved only over the one that the list shows. */
import { Skeleton, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { nodesQuery } from '../../../api/account-settings.ts';
import { api, ask } from '../../../api/client.ts';
import { type Inventory, inventoryQuery, type Price, pathOf, priceQuery } from '../../../api/offer.ts';
import type { ListedOffer } from '../../../api/offers.ts';
import { useEnvironment } from '../../../ui/environment.ts';
import { MoneyField, NumberField, type NumberValue } from '../../../ui/forms/number-field.tsx';
import { countText, priceText } from '../../../ui/numbers.ts';
import { largeChange } from '../offer/large-change.ts';
import {
  type CellProps,
  EditableCell,
  type Edits,
  type FieldsProps,
  focusFirst,
  type ListedValue,
  ValueCell,
} from './editable-cell.tsx';

interface NewPrice extends ListedValue {
  readonly price: number;
}

interface ListedCellProps {
  readonly offer: ListedOffer;
  /** Undefined if the value is only read. */
  readonly edits: Edits | undefined;
}

export function PriceCell({ offer, edits }: ListedCellProps) {
  if (edits !== undefined && !offer.archived) {
    return <ValueCell offer={offer} edits={edits} name="Price" text={listedPrice(offer)} Cell={EditedPrice} />;
  }
  return offer.price === null ? <Text c="dimmed">—</Text> : priceText(offer.price);
}

export function StockCell({ offer, edits }: ListedCellProps) {
  const text = countText(offer.quantity);
  if (edits === undefined || offer.archived) return text;
  return <ValueCell offer={offer} edits={edits} name="Stock" text={text} Cell={EditedStock} />;
}

function listedPrice({ price }: Pick<ListedOffer, 'price'>): string {
  return price === null ? 'Set price' : priceText(price);
}

function EditedPrice(cell: CellProps) {
  const key = { environment: useEnvironment(), sku: cell.offer.sku };
  const queryClient = useQueryClient();
  return (
    <EditableCell<Price | null, NewPrice>
      {...cell}
      name="Price"
      text={listedPrice}
      read={() => queryClient.fetchQuery({ ...priceQuery(key), staleTime: 0 })}
      stored={(part) => ({ price: part?.price ?? null })}
      doubt={({ price }, part) => {
        const nodes = overridesOf(part).map((node) => ({
          id: node.fulfillment_node_id,
          price: node.fulfillment_node_price,
        }));
        return largeChange({ price: part?.price ?? '', nodes }, { price, nodes });
      }}
      write={({ price }, part, header) =>
        ask(
          api.PUT('/{environment}/merchant-skus/{user_defined_sku_id}/price', {
            params: { path: pathOf(key), header },
            // The write replaces the whole price, so the price overrides are sent again.
            body: { price, fulfillment_nodes: overridesOf(part) },
          }),
        )
      }
      Fields={PriceField}
    />
  );
}

function overridesOf(part: Price | null) {
  return (part?.fulfillment_nodes ?? []).map(({ fulfillment_node_id, fulfillment_node_price }) => ({
    fulfillment_node_id,
    fulfillment_node_price,
  }));
}

function PriceField({ offer, edited, setEdited }: FieldsProps<Price | null, NewPrice>) {
  const [typed, setTyped] = useState<NumberValue>(edited?.price ?? offer.price ?? '');
  return (
    <MoneyField
      aria-label={`Price of ${offer.sku}`}
      size="xs"
      required={offer.price !== null}
      value={typed}
      onChange={(price) => {
        setTyped(price);
        setEdited(typeof price === 'number' && price !== offer.price ? { price, row: { price } } : undefined);
      }}
    />
  );
}

interface NewStock extends ListedValue {
  /** Only the locations that were edited. */
  readonly quantities: ReadonlyMap<string, number>;
}

function EditedStock(cell: CellProps) {
  const environment = useEnvironment();
  const key = { environment, sku: cell.offer.sku };
  const queryClient = useQueryClient();
  const nodes = useQuery(nodesQuery(environment)).data?.fulfillment_nodes.length;
  return (
    <EditableCell<Inventory, NewStock>
      {...cell}
      name="Stock"
      text={({ quantity }) => countText(quantity)}
      // Several locations need more room than the cell.
      isBelow={nodes !== 1}
      read={() => queryClient.fetchQuery({ ...inventoryQuery(key), staleTime: 0 })}
      stored={({ fulfillment_nodes }) => ({ quantity: sum(fulfillment_nodes.map(({ quantity }) => quantity)) })}
      write={({ quantities }, _part, header) =>
        ask(
          api.PATCH('/{environment}/merchant-skus/{user_defined_sku_id}/inventory', {
            params: { path: pathOf(key), header },
            body: {
              fulfillment_nodes: Array.from(quantities, ([fulfillment_node_id, quantity]) => ({
                fulfillment_node_id,
                quantity,
              })),
            },
          }),
        )
      }
      Fields={StockFields}
    />
  );
}

/** A field for each location. */
function StockFields({ offer, reading, edited, setEdited }: FieldsProps<Inventory, NewStock>) {
  const environment = useEnvironment();
  const nodes = useQuery(nodesQuery(environment)).data?.fulfillment_nodes;
  const [part, setPart] = useState<Inventory>();
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    reading.then(setPart, () => setFailed(true));
  }, [reading]);
  const fields = useRef<HTMLDivElement>(null);
  // The fields appear when both are read, and then take the focus.
  const isShown = part !== undefined && nodes !== undefined;
  useEffect(() => {
    if (isShown) focusFirst(fields.current);
  }, [isShown]);
  const [typed, setTyped] = useState<ReadonlyMap<string, NumberValue>>(edited?.quantities ?? new Map());
  if (failed) return <Text size="sm">The stock could not be read. Try again.</Text>;
  if (!isShown) return <Skeleton h={30} role="status" aria-label="Loading stock" />;
  const before = new Map(part.fulfillment_nodes.map((node) => [node.fulfillment_node_id, node.quantity]));
  const change = (node: string, value: NumberValue) => {
    const next = new Map([...typed, [node, value]]);
    setTyped(next);
    const quantities = new Map<string, number>();
    for (const [id, quantity] of next) {
      if (typeof quantity === 'number' && quantity !== before.get(id)) quantities.set(id, quantity);
    }
    const quantity = sum(new Map([...before, ...quantities]).values());
    setEdited(quantities.size === 0 ? undefined : { quantities, row: { quantity } });
  };
  return (
    <Stack gap="xs" ref={fields} mah="50vh" style={{ overflowY: 'auto' }}>
      {nodes.length === 0 && <Text size="sm">Add a location in Settings to set the stock.</Text>}
      {nodes.map(({ fulfillment_node_id: id }) => (
        <NumberField
          key={id}
          {...(nodes.length === 1 ? { 'aria-label': `Stock of ${offer.sku}` } : { label: id })}
          size="xs"
          isWhole
          required={before.has(id)}
          withAsterisk={false}
          value={typed.get(id) ?? before.get(id) ?? ''}
          onChange={(value) => change(id, value)}
        />
      ))}
    </Stack>
  );
}

function sum(quantities: Iterable<number>): number {
  return [...quantities].reduce((total, quantity) => total + quantity, 0);
}
