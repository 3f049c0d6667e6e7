/** PUT /merchant-skus/{user_defined_sku_id}/status/archive */
import { ArchiveBody } from '../../domain/bodies/archive.ts';
import { dryRunArchive } from '../../operations/dry-run.ts';
import { putArchive } from '../../operations/put-archive.ts';
import { acceptedAnswer } from '../answers/answers.ts';
import type { MerchantEndpoint } from '../endpoint.ts';

export const putArchiveEndpoint: MerchantEndpoint = {
  id: 'putArchive',
  method: 'PUT',
  path: '/merchant-skus/{user_defined_sku_id}/status/archive',
  access: 'merchant',
  tag: 'SKUs',
  summary: 'Archive or unarchive a SKU',
  description:
    'Archiving and unarchiving set the stock at every node to zero. An archived SKU rejects all other updates.',
  requestBody: ArchiveBody,
  failures: [404],
  dryRun: ({ services, account, value: skuId, body }) => dryRunArchive(services.context, account, skuId, body),
  async handle({ services, account, by, value: skuId, body }) {
    return acceptedAnswer(await putArchive(services.context, account, skuId, body, by));
  },
};
