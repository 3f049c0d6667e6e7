/** PUT /merchant-skus/{user_defined_sku_id}/v2 */
import { ShoeSkuBody } from '../../domain/bodies/sku.ts';
import { dryRunShoeSku } from '../../operations/dry-run.ts';
import { putShoeSku } from '../../operations/put-sku.ts';
import { acceptedAnswer } from '../answers/answers.ts';
import type { MerchantEndpoint } from '../endpoint.ts';

export const putShoeSkuEndpoint: MerchantEndpoint = {
  id: 'putShoeSku',
  method: 'PUT',
  path: '/merchant-skus/{user_defined_sku_id}/v2',
  access: 'merchant',
  tag: 'SKUs',
  summary: 'Upload the data of a shoe SKU',
  description: 'Works like the SKU upload. The shoe product type becomes the category of the SKU.',
  requestBody: ShoeSkuBody,
  dryRun: ({ services, account, value: skuId, body }) => dryRunShoeSku(services.context, account, skuId, body),
  async handle({ services, account, by, value: skuId, body }) {
    return acceptedAnswer(await putShoeSku(services.context, account, skuId, body, by));
  },
};
