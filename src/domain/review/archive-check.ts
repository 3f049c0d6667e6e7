/** Checks that the merchant has not archived the SKU. */
import type { UploadCheck } from './check.ts';

export const archiveCheck: UploadCheck = {
  id: 'archive',
  scope: 'upload',
  code: 'archived',
  effect: 'archived',
  state: ({ facts }) => (facts.archived ? 'failed' : 'passed'),
  evidence: ({ facts }) => ({ is_archived: facts.archived }),
  remedy: () =>
    'The SKU is archived. Unarchive it (PUT /merchant-skus/{id}/status/archive with is_archived false), then send its inventory ' +
    'again: archiving set it to 0.',
};
