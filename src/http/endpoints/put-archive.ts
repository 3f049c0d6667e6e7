/** PUT /merchant-skus/{user_defined_sku_id}/status/archive */
import { ArchiveBody } from '../../domain/bodies/archive.ts';
import { dryRunArchive } from '../../operations/dry-run.ts';
import { putArchive } from '../../operations/put-archive.ts';
import type { MerchantEndpoint } from '../endpoint.ts';
import { writeAnswer, writeDryRun } from '../preconditions.ts';

export const putArchiveEndpoint: MerchantEndpoint = {
  id: 'putArchive',
  method: 'PUT',
  path: '/merchant-skus/{user_defined_sku_id}/status/archive',
  access: 'merchant',
  tag: 'SKUs',
  summary: 'Archive or unarchive a SKU',
  description:
    'Archiving and unarchiving set the stock at every node to zero. An archived SKU rejects all other updates. ' +
    "Send the SKU's `ETag` as `If-Match`; archiving does not change it.",
  requestBody: ArchiveBody,
  failures: [404],
  dryRun: (call) => writeDryRun(call, dryRunArchive),
  versioned: true,
  handle: (call) => writeAnswer(call, putArchive),
};
