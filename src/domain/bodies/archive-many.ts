/** Describes the body that archives or unarchives several SKUs, as the portal's offer list sends it. */
import Type, { type Static } from 'typebox';
import { List, Text } from '../check/schema.ts';
import { LIMITS } from '../limits.ts';
import type { Names } from '../names.ts';
import { type BodyCheck, createBodyCheck } from './body-check.ts';

export const ArchiveManyBody = Type.Object({
  skus: List(Text(LIMITS.sku_id_characters_max, { min: 1 }), LIMITS.offers_per_change_max, { min: 1 }),
  archived: Type.Boolean({ description: 'true: archive. false: unarchive. A change zeroes all stock.' }),
});

export type ArchiveManyUpload = Static<typeof ArchiveManyBody>;

export function createArchiveManyCheck(names: Names): BodyCheck<ArchiveManyUpload> {
  return createBodyCheck(ArchiveManyBody, names);
}
