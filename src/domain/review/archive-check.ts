/** In charge of the check that the merchant has the SKU for sale at all. */
import type { UploadCheck } from './check.ts';

export const archiveCheck: UploadCheck = {
  id: 'archive',
  scope: 'upload',
  code: 'archived',
  effect: 'archived',
  state: ({ facts }) => (facts.archived ? 'failed' : 'passed'),
  evidence: ({ facts }) => ({ is_archived: facts.archived }),
  remedy: () =>
    'The SKU is archived: send PUT /merchant-skus/{user_defined_sku_id}/status/archive with is_archived false, ' +
    'and its inventory again, which archiving has set to 0.',
};
