/** PUT /merchant-skus/{user_defined_sku_id} */
import { SkuBody } from '../../domain/bodies/sku.ts';
import { dryRunSku } from '../../operations/dry-run.ts';
import { putSku } from '../../operations/put-sku.ts';
import { acceptedAnswer } from '../answers/answers.ts';
import type { MerchantEndpoint } from '../endpoint.ts';

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
  dryRun: ({ services, account, value: skuId, body }) => dryRunSku(services.context, account, skuId, body),
  async handle({ services, account, by, value: skuId, body }) {
    return acceptedAnswer(await putSku(services.context, account, skuId, body, by));
  },
};
