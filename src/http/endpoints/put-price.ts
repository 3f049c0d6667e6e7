/** PUT /merchant-skus/{user_defined_sku_id}/price */
import { PriceBody } from '../../domain/bodies/price.ts';
import { dryRunPrice } from '../../operations/dry-run.ts';
import { putPrice } from '../../operations/put-price.ts';
import type { MerchantEndpoint } from '../endpoint.ts';
import { writeAnswer, writeDryRun } from '../preconditions.ts';

export const putPriceEndpoint: MerchantEndpoint = {
  id: 'putPrice',
  method: 'PUT',
  path: '/merchant-skus/{user_defined_sku_id}/price',
  access: 'merchant',
  tag: 'Price',
  summary: 'Set the price of a SKU',
  description: 'Replaces the whole price, including the prices of individual nodes.',
  requestBody: PriceBody,
  failures: [404],
  dryRun: (call) => writeDryRun(call, dryRunPrice),
  versioned: true,
  handle: (call) => writeAnswer(call, putPrice),
};
