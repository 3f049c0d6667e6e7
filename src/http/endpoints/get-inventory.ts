/** GET /merchant-skus/{user_defined_sku_id}/inventory */
import { whenThere } from '../../domain/awaitable.ts';
import { Type } from '../../domain/check/type.ts';
import type { InventoryReading } from '../../domain/offers/part.ts';
import { isoTime } from '../../domain/vocabulary/iso-time.ts';
import { readInventory } from '../../operations/read-parts.ts';
import { inventoryTag } from '../../store/port/part-tags.ts';
import { foundAnswer } from '../answers/answers.ts';
import type { MerchantEndpoint } from '../endpoint.ts';

const updateTime = { format: 'date-time' } as const;

export const getInventoryEndpoint: MerchantEndpoint = {
  id: 'getInventory',
  method: 'GET',
  path: '/merchant-skus/{user_defined_sku_id}/inventory',
  access: 'merchant',
  tag: 'Inventory',
  summary: 'Read the quantities of a SKU',
  description: 'Returns the quantities you sent last. Sales do not change them.',
  answer: Type.Object({
    fulfillment_nodes: Type.Array(
      Type.Object({
        fulfillment_node_id: Type.String({ description: 'Id of the fulfillment node.' }),
        quantity: Type.Integer({ description: 'Items in stock at the node.' }),
        inventory_last_update: Type.String({ ...updateTime, description: 'When this quantity was accepted.' }),
      }),
      { description: 'Nodes with a quantity.' },
    ),
    inventory_last_update: Type.Optional(
      Type.String({
        ...updateTime,
        description:
          'When the SKU was first uploaded, or last archived or unarchived. Present only if no quantity was ever sent.',
      }),
    ),
  }),
  failures: [404],
  versioned: true,
  handle({ services, account, value: skuId }) {
    return whenThere(readInventory(services.context, account, skuId), (outcome) =>
      foundAnswer(outcome, inventoryJson, inventoryTag),
    );
  },
};

function inventoryJson({ nodes, stampMs }: InventoryReading): string {
  if (stampMs !== null) return `{"fulfillment_nodes":[],"inventory_last_update":"${isoTime(stampMs)}"}`;
  let list = '';
  for (const node of nodes) list += list === '' ? nodeJson(node) : `,${nodeJson(node)}`;
  return `{"fulfillment_nodes":[${list}]}`;
}

/** Concatenates the JSON, because only the id needs escaping. */
function nodeJson({ fulfillment_node_id: id, quantity, updatedMs }: InventoryReading['nodes'][number]): string {
  const time = isoTime(updatedMs);
  return `{"fulfillment_node_id":${JSON.stringify(id)},"quantity":${quantity},"inventory_last_update":"${time}"}`;
}
