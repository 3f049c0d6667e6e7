/** Describes the body that archives or unarchives a SKU. */
import { type Static, Type } from '../check/type.ts';
import type { Names } from '../names.ts';
import { type BodyCheck, createBodyCheck } from './body-check.ts';

export const ArchiveBody = Type.Object({
  is_archived: Type.Boolean({
    description: 'true archives the SKU, false unarchives it. Either change sets all stock to zero.',
  }),
});

export type ArchiveUpload = Static<typeof ArchiveBody>;

export function createArchiveCheck(names: Names): BodyCheck<ArchiveUpload> {
  return createBodyCheck(ArchiveBody, names);
}
