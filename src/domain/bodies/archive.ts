/** Describes the body that archives or unarchives a SKU. */
import { Type } from '../check/type.ts';

export const ArchiveBody = Type.Object({
  is_archived: Type.Boolean({
    description: 'true archives the SKU, false unarchives it. Either change sets all stock to zero.',
  }),
});
