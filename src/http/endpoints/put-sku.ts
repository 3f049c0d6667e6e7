/** PUT /merchant-skus/{user_defined_sku_id}, and /v2 for shoes */
import { ShoeSkuBody, SkuBody } from '../../domain/bodies/sku.ts';
import { dryRunShoeSku, dryRunSku } from '../../operations/dry-run.ts';
import { putShoeSku, putSku } from '../../operations/put-sku.ts';
import type { MerchantEndpoint } from '../endpoint.ts';
import { writeAnswer, writeDryRun } from '../preconditions.ts';

export const putSkuEndpoint: MerchantEndpoint = {
  id: 'putSku',
  method: 'PUT',
  path: '/merchant-skus/{user_defined_sku_id}',
  access: 'merchant',
  tag: 'SKUs',
  summary: 'Upload the data of a SKU',
  description:
    'Replaces the data of the SKU. Price, inventory, exceptions, variation group and archive flag do not change.',
  requestBody: SkuBody,
  dryRun: (call) => writeDryRun(call, dryRunSku),
  versioned: true,
  handle: (call) => writeAnswer(call, putSku),
};

export const putShoeSkuEndpoint: MerchantEndpoint = {
  id: 'putShoeSku',
  method: 'PUT',
  path: '/merchant-skus/{user_defined_sku_id}/v2',
  access: 'merchant',
  tag: 'SKUs',
  summary: 'Upload the data of a shoe SKU',
  description: 'Works like the SKU upload. The shoe product type becomes the category of the SKU.',
  requestBody: ShoeSkuBody,
  dryRun: (call) => writeDryRun(call, dryRunShoeSku),
  versioned: true,
  handle: (call) => writeAnswer(call, putShoeSku),
};
