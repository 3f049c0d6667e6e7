/** Describes a return location. */
import { type BodyCheck, createBodyCheck } from '../bodies/body-check.ts';
import { Text } from '../check/schema.ts';
import { type Static, Type } from '../check/type.ts';
import { LIMITS } from '../limits.ts';
import type { Names } from '../names.ts';

export const ReturnLocationBody = Type.Object({
  return_location_id: Text(LIMITS.place_id_characters_max, { min: 1 }),
});

export type ReturnLocationUpload = Static<typeof ReturnLocationBody>;

export function createReturnLocationCheck(names: Names): BodyCheck<ReturnLocationUpload> {
  return createBodyCheck(ReturnLocationBody, names);
}
