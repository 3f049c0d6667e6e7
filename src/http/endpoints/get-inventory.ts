/** GET /merchant-skus/{user_defined_sku_id}/inventory */
import Type from 'typebox';
import { readInventory } from '../../operations/read-parts.ts';
import type { StoredInventory } from '../../store/port.ts';
import { foundAnswer, isoTime } from '../answers.ts';
import type { MerchantEndpoint } from '../endpoint.ts';

const updateTime = { format: 'date-time' } as const;

export const getInventoryEndpoint: MerchantEndpoint = {
  id: 'getInventory',
  method: 'GET',
  path: '/merchant-skus/{user_defined_sku_id}/inventory',
  access: 'merchant',
  tag: 'Inventory',
  summary: 'Read the quantities of a SKU',
  description: 'The quantities last sent; they do not fall as items sell.',
  answer: Type.Object({
    fulfillment_nodes: Type.Array(
      Type.Object({
        fulfillment_node_id: Type.String(),
        quantity: Type.Integer(),
        inventory_last_update: Type.String(updateTime),
      }),
    ),
    inventory_last_update: Type.Optional(
      Type.String({ ...updateTime, description: 'Only when no node has a quantity.' }),
    ),
  }),
  failures: [400, 404],
  async handle({ services, account, value: skuId }) {
    return foundAnswer(await readInventory(services.context, account, skuId), inventoryJson);
  },
};

function inventoryJson({ nodes, stampMs }: StoredInventory): string {
  if (nodes.length === 0) return JSON.stringify({ fulfillment_nodes: [], inventory_last_update: isoTime(stampMs) });
  return JSON.stringify({
    fulfillment_nodes: nodes.map(({ fulfillment_node_id, quantity, updatedMs }) => ({
      fulfillment_node_id,
      quantity,
      inventory_last_update: isoTime(updatedMs),
    })),
  });
}
