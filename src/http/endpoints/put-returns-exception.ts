/** PUT /merchant-skus/{user_defined_sku_id}/returnsexception */
import { ReturnsExceptionBody } from '../../domain/bodies/returns-exception.ts';
import { dryRunReturnsException } from '../../operations/dry-run.ts';
import { putReturnsException } from '../../operations/put-returns-exception.ts';
import type { MerchantEndpoint } from '../endpoint.ts';
import { writeAnswer, writeDryRun } from '../preconditions.ts';

export const putReturnsExceptionEndpoint: MerchantEndpoint = {
  id: 'putReturnsException',
  method: 'PUT',
  path: '/merchant-skus/{user_defined_sku_id}/returnsexception',
  access: 'merchant',
  tag: 'Exceptions',
  summary: 'Set or clear the returns exception of a SKU',
  description: 'Sets the locations to which customers return the SKU. Send `{}` to clear the exception.',
  requestBody: ReturnsExceptionBody,
  failures: [404],
  dryRun: (call) => writeDryRun(call, dryRunReturnsException),
  versioned: true,
  handle: (call) => writeAnswer(call, putReturnsException),
};
