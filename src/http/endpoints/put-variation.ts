/** PUT /merchant-skus/{user_defined_sku_id}/variation */
import { VariationBody } from '../../domain/bodies/variation.ts';
import { putVariation } from '../../operations/put-variation.ts';
import { acceptedAnswer } from '../answers/answers.ts';
import type { MerchantEndpoint } from '../endpoint.ts';

export const putVariationEndpoint: MerchantEndpoint = {
  id: 'putVariation',
  method: 'PUT',
  path: '/merchant-skus/{user_defined_sku_id}/variation',
  access: 'merchant',
  tag: 'Variation',
  summary: 'Group SKUs as variations of one product',
  description:
    'Sent to the parent SKU; replaces its group. A SKU is in one group at most: naming it here moves it here.',
  requestBody: VariationBody,
  failures: [400, 404],
  async handle({ services, account, by, value: skuId, body }) {
    return acceptedAnswer(await putVariation(services.context, account, skuId, body, by));
  },
};
