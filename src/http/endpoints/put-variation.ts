/** PUT /merchant-skus/{user_defined_sku_id}/variation */
import { VariationBody } from '../../domain/bodies/variation.ts';
import { dryRunVariation } from '../../operations/dry-run.ts';
import { putVariation } from '../../operations/put-variation.ts';
import type { MerchantEndpoint } from '../endpoint.ts';
import { writeAnswer, writeDryRun } from '../preconditions.ts';

export const putVariationEndpoint: MerchantEndpoint = {
  id: 'putVariation',
  method: 'PUT',
  path: '/merchant-skus/{user_defined_sku_id}/variation',
  access: 'merchant',
  tag: 'Variation',
  summary: 'Group SKUs as variations of one product',
  description:
    'Send the group to its parent SKU. The call replaces the group of that SKU. A SKU belongs to at most one group: if you list a SKU of another group, it moves to this group.',
  requestBody: VariationBody,
  failures: [404],
  dryRun: (call) => writeDryRun(call, dryRunVariation),
  versioned: true,
  handle: (call) => writeAnswer(call, putVariation),
};
