/** PATCH /merchant-skus/{user_defined_sku_id}/inventory */
import { InventoryBody } from '../../domain/bodies/inventory.ts';
import { dryRunInventory } from '../../operations/dry-run.ts';
import { patchInventory } from '../../operations/patch-inventory.ts';
import type { MerchantEndpoint } from '../endpoint.ts';
import { writeAnswer, writeDryRun } from '../preconditions.ts';

export const patchInventoryEndpoint: MerchantEndpoint = {
  id: 'patchInventory',
  method: 'PATCH',
  path: '/merchant-skus/{user_defined_sku_id}/inventory',
  access: 'merchant',
  tag: 'Inventory',
  summary: 'Set the quantity of a SKU at fulfillment nodes',
  description: 'Updates only the nodes in the body. Send quantity 0 to set a node to zero.',
  requestBody: InventoryBody,
  failures: [404],
  dryRun: (call) => writeDryRun(call, dryRunInventory),
  versioned: true,
  handle: (call) => writeAnswer(call, patchInventory),
};
