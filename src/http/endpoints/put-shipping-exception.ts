/** PUT /merchant-skus/{user_defined_sku_id}/shippingexception */
import { ShippingExceptionBody } from '../../domain/bodies/shipping-exception.ts';
import { dryRunShippingException } from '../../operations/dry-run.ts';
import { putShippingException } from '../../operations/put-shipping-exception.ts';
import type { MerchantEndpoint } from '../endpoint.ts';
import { writeAnswer, writeDryRun } from '../preconditions.ts';

export const putShippingExceptionEndpoint: MerchantEndpoint = {
  id: 'putShippingException',
  method: 'PUT',
  path: '/merchant-skus/{user_defined_sku_id}/shippingexception',
  access: 'merchant',
  tag: 'Exceptions',
  summary: 'Set or clear the shipping exceptions of a SKU',
  description: 'Replaces all shipping exceptions of the SKU. Send `{}` to clear them.',
  requestBody: ShippingExceptionBody,
  failures: [404],
  dryRun: (call) => writeDryRun(call, dryRunShippingException),
  versioned: true,
  handle: (call) => writeAnswer(call, putShippingException),
};
