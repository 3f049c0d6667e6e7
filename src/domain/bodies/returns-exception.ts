/** Describes the body of a returns exception. */
import { List, Text } from '../check/schema.ts';
import { type Static, Type } from '../check/type.ts';
import { LIMITS } from '../limits.ts';
import type { Names } from '../names.ts';
import { type BodyCheck, createBodyCheck } from './body-check.ts';
import { requireListToClear } from './clearable-list.ts';

export const ReturnsExceptionBody = Type.Object({
  return_location_ids: Type.Optional(
    List(Text(LIMITS.text_characters_max), LIMITS.return_location_ids_max, {
      description:
        'Ids of your return locations for this product. An empty list, or {} as the body, clears the exception.',
    }),
  ),
});

export type ReturnsExceptionUpload = Static<typeof ReturnsExceptionBody>;

export function createReturnsExceptionCheck(names: Names): BodyCheck<ReturnsExceptionUpload> {
  return createBodyCheck(ReturnsExceptionBody, names, (_clean, sent, report) => {
    requireListToClear('return_location_ids', sent, report);
  });
}
